"""One line of a patch by itself: which marker it is, and what is said of one that is none."""

from __future__ import annotations

import pytest

from lsp_server.edits.v4a_lines import HEADERS, At, Header, Marker, MoveTo, Plain, marker_of, unknown_line

ODD = "\u00a0"
"""A blank that is none to a patch: it belongs to the text."""


@pytest.mark.parametrize(
    ("line", "marker"),
    [
        ("*** Begin Patch", Plain("begin")),
        (" \t*** End Patch \r", Plain("end")),
        (f"{ODD}*** End Patch", None),
        ("*** End of File", Plain("end of file")),
        ("*** Environment ID: 7", Plain("environment")),
        ("\\ No newline at end of file", Plain("no newline")),
        (f"*** Add File: \t{ODD}f{ODD}", Header("Add", f"{ODD}f{ODD}")),
        ("*** Delete File:", Header("Delete", "")),
        ("*** Move File: a -> b", Header("Move", "a -> b")),
        (f"*** Move to: \t{ODD}f{ODD}", MoveTo(f"{ODD}f{ODD}")),
        ("*** Move to:", MoveTo("")),
        ("@@", At("")),
        ("@@ @@", At("")),
        ("@@ -1,2 +3 @@", At("", numbered=True)),
        (f"@@ -1 +1 @@ \t{ODD}f{ODD}", At(f"{ODD}f{ODD}", numbered=True)),
        (f"@@ {ODD}@@", At(f"{ODD}@@")),
        (f"@@  f{ODD} \t@@ @@", At(f" f{ODD} \t@@")),
        (f"@@ f{ODD} \t @@", At(f"f{ODD}")),
        ("@@f", None),
        ("*** Nope", None),
        ("plain", None),
        ("", None),
    ],
)
def test_markers(line: str, marker: Marker | None) -> None:
    assert marker_of(line) == marker


@pytest.mark.parametrize(
    ("line", "said", "first"),
    [
        ("***update file : f", "write '*** Update File: f'.", "*** Update File: f"),
        ("** Delete File", "write '*** Delete File: <path>'.", "*** Delete File: <path>"),
        ("diff --git a/f b/f", "unified diff", HEADERS[0]),
        ("--- a/f", "unified diff", HEADERS[0]),
        ("+++ b/f", "unified diff", HEADERS[0]),
        ("Index: f", "unified diff", HEADERS[0]),
        ("*** Nope", "not a header that exists", HEADERS[0]),
        ("prose", "where a section has to start", HEADERS[0]),
    ],
)
def test_what_is_said_of_a_line_that_is_none(line: str, said: str, first: str) -> None:
    sentence, expected = unknown_line(line)
    assert sentence.startswith(repr(line))
    assert said in sentence
    assert expected[0] == first


@pytest.mark.parametrize(("length", "shown"), [(80, "x" * 80), (81, "x" * 79 + "…")])
def test_long_lines_are_cut(length: int, shown: str) -> None:
    assert unknown_line("x" * length)[0].startswith(f"{shown!r} stands")
