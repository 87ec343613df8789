"""How indentation is carried over, and when it is not."""

from __future__ import annotations

import pytest

from lsp_server.edits.indentation import indent_map

T = "\t"


@pytest.mark.parametrize(
    ("pairs", "asked", "found"),
    [
        ([], "  ", "  "),
        ([("", "")], "  ", "  "),
        ([("", "    ")], "", "    "),
        ([("", "    ")], "  ", "      "),
        ([("  ", "    "), ("    ", "      ")], "      ", "        "),
        ([("    ", "  ")], "      ", "    "),
        ([("    ", "  ")], "", None),
        ([("    ", "")], "    ", ""),
        ([(T, T + T)], T + T, T + T + T),
        ([(T, "")], T + T, T),
        ([("", T)], "    ", None),
        ([("", T), ("  ", T + "  ")], "    ", T + "    "),
        ([("    ", T)], "    ", T),
        ([("    ", T)], "        ", None),
        ([("    ", T), ("        ", T + T)], "        ", T + T),
        ([("    ", T), ("        ", T + T)], "            ", None),
        ([("", T), ("    ", T + T)], "    ", T + T),
        ([(T, "  "), (T + T, "    ")], T, "  "),
        ([("", ""), ("  ", "    ")], "  ", "    "),
        ([("", ""), ("  ", "    ")], "    ", None),
        ([("", ""), ("   ", "  "), ("      ", "    ")], "   ", "  "),
        ([("        ", T + "    "), ("    ", T)], "    ", T),
        ([("\u00a0", "  ")], " ", "  "),
        ([("  ", T), ("    ", T + T), ("      ", T + T + T)], "    ", T + T),
        ([("", ""), ("    ", "  "), ("    " + T, "    ")], "    " + T, "    "),
        ([("", ""), ("    ", " "), ("    " + T, "   ")], "    ", " "),
    ],
)
def test_an_indentation_is_carried_over_or_not(
    pairs: list[tuple[str, str]], asked: str, found: str | None
) -> None:
    known = indent_map(pairs)
    assert known is not None
    assert known.of(asked) == found


@pytest.mark.parametrize(
    "pairs",
    [
        [("  ", "  "), ("  ", "    ")],
        [("", "  "), ("  ", "  ")],
        [("", "  "), ("  ", "")],
        [("", ""), ("  ", "  "), ("    ", "      ")],
        [("", ""), ("  ", "    "), ("    ", "      ")],
        [("  ", T), (T, T + T)],
        [("", T), ("  ", "    ")],
    ],
)
def test_lines_that_do_not_move_as_one_block_have_no_map(pairs: list[tuple[str, str]]) -> None:
    assert indent_map(pairs) is None
