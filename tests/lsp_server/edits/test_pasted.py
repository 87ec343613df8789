"""Text that was copied from what showed a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import LineIndex
from lsp_server.edits.pasted import is_own_output, unescaped, without_entities, without_numbers
from lsp_server.reading import show_window


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("1\ta", True),
        ("1\ta\n2\tb\n", True),
        ("1\ta\r\n2\tb\r\n", True),
        ("     9\ta\n    10\tb", True),
        ("1\t\n2\t", True),
        ("1\ta\n[coeditor: more]", True),
        ("text\n[coeditor: cut here]\ntext", True),
        ("1\ta\n3\tb", False),
        ("1\ta\nb", False),
        ("id\tname\n1\ta", False),
        ("1 a\n2 b", False),
        ("", False),
        ("\n", False),
        ("x = [coeditor: no]", False),
    ],
)
def test_the_read_tools_output_is_known(text: str, own: bool) -> None:
    assert is_own_output(text) is own


@given(st.text(alphabet="ab\t ", max_size=20).map(lambda text: text + "x"), st.integers(1, 30))
def test_whatever_the_read_tool_shows_is_known(line: str, count: int) -> None:
    text = f"{line}\n" * count
    shown = show_window(LineIndex(text), 1, 100, 300)
    assert is_own_output(shown.text)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("1\ta\n2\t b\n", "a\n b"),
        ("9→a\n10→b", "a\nb"),
        ("[coeditor: cut here]", None),
        ("3: a", "a"),
        ("3 | a\n4 |", "a\n"),
        ("3|a\n4|b", "a\nb"),
        ("[coeditor: x]\n3\ta", "a"),
        ("a\nb", None),
        ("1\ta\n1\tb", None),
        ("", None),
    ],
)
def test_numbers_are_taken_off(text: str, bare: str | None) -> None:
    assert without_numbers(text) == bare


@pytest.mark.parametrize(
    ("text", "bare"),
    [("a\\nb", "a\nb"), ('\\"', '"'), ("\\\\d", "\\d"), ("\\d", None), ("plain", None), ("\\t\\'", "\t'")],
)
def test_escapes_are_taken_off(text: str, bare: str | None) -> None:
    assert unescaped(text) == bare


def test_entities_are_taken_off() -> None:
    assert without_entities("&lt;a&gt; &amp; b") == "<a> & b"
    assert without_entities("a & b") is None
    assert without_entities("a") is None
