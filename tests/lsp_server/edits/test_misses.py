"""What a miss tells."""

from __future__ import annotations

from typing import Any

import pytest

from editor_clients.lines import LineIndex
from ledger.errors import Code, CoeditorError
from lsp_server.edits.enclosing import enclosing_names
from lsp_server.edits.matching import match_edit
from lsp_server.edits.misses import place_of
from lsp_server.edits.visible import described, visible

POTTERY = """\
import clay

class Kiln:
    cone = 6

    def fire(self, pots):
        for pot in pots:
            self.heat(pot, until=1240)
        return pots

    def cool(self):
\treturn None
"""


def missed(text: str, old: str, new: str = "something else") -> dict[str, Any]:
    with pytest.raises(CoeditorError) as caught:
        match_edit(text, old, new)
    assert caught.value.code is Code.FS_NO_MATCH
    return {"message": caught.value.message, **caught.value.data}


@pytest.mark.parametrize(
    ("old", "lines"),
    [
        ("self.heat(pot, until=1250)", [8, 8]),
        ("        for pot in pots:\n            self.heat(pot, till=1240)\n        return pots", [7, 9]),
        ("    def fire(self, pot):", [6, 6]),
        ("clas Kiln:\n    cone = 6", [3, 4]),
        ("    cone = 6\n    def fire(self, pots):", [5, 6]),
        ("cone = 7", [4, 4]),
        ("    def cool(self):\n        return  None", [11, 12]),
        ("import clay\nclass Kiln:\n", [1, 2]),
    ],
)
def test_the_nearest_lines_are_shown(old: str, lines: list[int]) -> None:
    nearest = missed(POTTERY, old)["nearest"]
    assert nearest["lines"] == lines
    shown = POTTERY.split("\n")[lines[0] - 1 : lines[1]]
    assert nearest["text"] == "\n".join(f"{n}\t{line}" for n, line in enumerate(shown, lines[0]))


def test_nothing_is_shown_where_nothing_is_like_it() -> None:
    report = missed(POTTERY, "zebra crossing ahead")
    assert "nearest" not in report
    assert "reason" not in report


@pytest.mark.parametrize(
    ("text", "old", "line", "column", "why"),
    [
        ("a = 1\nbeta = 2\n", "beta = 3", 2, 8, "the file has '2', old_string has '3'"),
        ("call(a,  b)\n", "call(a, b)", 1, 8, "the file has 2 blanks, old_string has a blank"),
        ("value\tone\n", "value one", 1, 6, "the file has a tab, old_string has a blank"),
        ("value one\n", "value one two", 1, 10, "the file has the end of the line, old_string has a blank"),
        ("say\u200bhello\n", "sayhello", 1, 4, "the file has ZERO WIDTH SPACE (U+200B), old_string has 'h'"),
        ("ＡＢ = 1\n", "AB = 1", 1, 1, "FULLWIDTH LATIN CAPITAL LETTER A (U+FF21)"),
        ("start()\nalpha\nstop()\n", "start()\nalpho\nstop()", 2, 5, "the file has 'a', old_string has 'o'"),
        ("one\ntwo", "one\ntwo\nthree", 3, 1, "the file ends before it"),
        (" \t x = “q” — 2…\n", 'x = "q" -- 3...', 1, 8, "LEFT DOUBLE QUOTATION MARK (U+201C)"),
        (" \t f(“q”, 2)\n", 'g("q", 3)', 1, 4, "the file has 'f', old_string has 'g'"),
        ("\t\tx = `q`\n", " y = 'q'", 1, 1, "the file has 2 tabs, old_string has a blank"),
    ],
)
def test_the_first_difference_is_pointed_at(text: str, old: str, line: int, column: int, why: str) -> None:
    differs = missed(text, old)["nearest"]["differs"]
    assert (differs["line"], differs["column"]) == (line, column)
    assert why in differs["why"]


def test_invisible_characters_are_made_visible() -> None:
    differs = missed("say\u200bhello \n", "sayhello")["nearest"]["differs"]
    assert differs["file"] == "say<U+200B>hello·"
    assert differs["sent"] == "sayhello"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb", "a\\tb"),
        ("a  ", "a··"),
        ("a\u00a0b", "a<U+00A0>b"),
        ("a\u00a0", "a<U+00A0>"),
        ("a \t", "a \\t"),
        ("X ", "X·"),
        ("“a”", "“<U+201C>a”<U+201D>"),
        ("e\u0301", "e<U+0301>"),
        ("é漢", "é漢"),
        ("\x00\x1b", "<U+0000><U+001B>"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ("", "the end of the line"),
        ("  x", "2 blanks"),
        ("\t", "a tab"),
        ("x", "'x'"),
        ("X", "'X'"),
        ("\x01", "a character (U+0001)"),
        ("é", "LATIN SMALL LETTER E WITH ACUTE (U+00E9)"),
    ],
)
def test_a_character_in_words(points: str, words: str) -> None:
    assert described(points) == words


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("alpha\nbeta\n", "1\talpha\n2\tbeta"),
        ("alpha\nbeta\n", "     1\talpha\n     2\tbeta\n"),
        ("alpha\nbeta\n", "2\tbeta"),
        ("alpha\nbeta\n", "  1→alpha\n  2→beta"),
        ("alpha\nbeta\n", "1: alpha\n2: beta"),
        ("alpha\nbeta\n", "1 | alpha\n2 | beta"),
        ("alpha\nbeta\n", "7\tgamma\n8\tdelta"),
        ("alpha\nbeta\n", "[coeditor: line 2 is cut here: 9 of its 99 characters are shown]"),
        ("alpha\nbeta\n", "1\talpha\n[coeditor: lines 2-9 are not shown]"),
    ],
)
def test_pasted_line_numbers_and_notices_are_named(text: str, old: str) -> None:
    report = missed(text, old)
    assert report["reason"] == "own_output"
    assert "line numbers" in report["message"]


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("1\tone\n2\ttwo\n", "1\tone\n2\ttwo"),
        ("1\tone \n2\ttwo\n", "1\tone\n2\ttwo"),
        ("12: x\n", "12: x"),
        ("[coeditor: a note]\n", "[coeditor: a note]"),
    ],
)
def test_numbers_that_are_in_the_file_are_text(text: str, old: str) -> None:
    assert match_edit(text, old, "x").lines


@pytest.mark.parametrize("old", ["3\tone\n5\ttwo", "1 one", "x\t1"])
def test_other_numbers_are_an_ordinary_miss(old: str) -> None:
    assert "reason" not in missed("alpha\nbeta\n", old)


@pytest.mark.parametrize(
    "marker", ["# ... existing code ...", "// … rest of it", "/* ... */ // same", "<!-- ... more -->"]
)
def test_a_marker_of_more_than_dots_is_named(marker: str) -> None:
    report = missed(POTTERY, f"class Kiln:\n{marker}\n    def fire(self, pots):\n        for pot in pots:")
    assert f"`...` alone, not `{marker}`" in report["hint"]
    assert report["hint"] in report["message"]
    assert report["nearest"]["lines"] == [6, 7], "of the parts the longest"


def test_a_marker_that_the_file_has_is_text() -> None:
    text = "one\n# ... and more\ntwo\n"
    assert "hint" not in missed(text, "# ... and more\nthree")
    assert missed(text, "# ... and less")["nearest"]["lines"] == [2, 2]


@pytest.mark.parametrize(
    ("text", "old", "hint"),
    [
        ('say("hi")\n', 'say(\\"hi\\")', "escaped"),
        ("a\n\tb\n", "a\\n\\tb", "escaped"),
        ("if a < b && c:\n", "if a &lt; b &amp;&amp; c:", "entities"),
    ],
)
def test_escaped_text_is_named_and_not_repaired(text: str, old: str, hint: str) -> None:
    report = missed(text, old)
    assert hint in report["hint"]
    assert report["hint"] in report["message"]


@pytest.mark.parametrize(
    ("text", "old", "new", "applied"),
    [
        ("result = done\n", "result = open", "result = done", True),
        ("a\r\nb\r\n", "x\ny", "a\nb", True),
        ("done done\n", "open", "done", False),
        ("done\n", "open", "\n", False),
        ("done\n", "open", "", False),
        ("done\n", "  \ndone?", "done", True),
        ("cafe\u0301\n", "tea", "cafe", False),
    ],
)
def test_a_change_that_is_made_already_is_named(text: str, old: str, new: str, applied: bool) -> None:
    assert (missed(text, old, new).get("reason") == "already_applied") is applied


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (1, []),
        (4, ["class Kiln:"]),
        (8, ["class Kiln:", "def fire(self, pots):"]),
        (12, ["class Kiln:", "def cool(self):"]),
    ],
)
def test_enclosing_names_are_told_by_indentation(line: int, names: list[str]) -> None:
    text = POTTERY.replace("\treturn", "        return")
    assert enclosing_names(LineIndex(text), line) == names


@pytest.mark.parametrize(
    ("text", "line", "names"),
    [
        (
            "export class A {\n  private run(x: number): void {\n    if (x) {\n      go();\n",
            4,
            ["export class A {", "private run(x: number): void {"],
        ),
        ("func main() {\n\tx := 1\n}\n\nfunc other() {\n\ty := 1\n", 6, ["func other() {"]),
        ("[inlet]\nx = 1\n\n[outlet]\ny = 2\n", 5, ["[outlet]"]),
        ("# Tea\n\ntext\n\n## Milk\n\nmore\n", 7, ["## Milk"]),
        ("pub(crate) async fn brew(n: u8) {\n    n\n", 2, ["pub(crate) async fn brew(n: u8) {"]),
        ("{\n  a: 1\n", 2, []),
        ("def one(): pass\ndef two(): pass\n", 2, []),
        ("def one():\n    a\n\n    b\n", 3, ["def one():"]),
        ("a\nb\nc\n", 3, []),
        ("def one():\n    a\n    b\ndef two():\n", 3, ["def one():"]),
        ("class A:\n  def one(self):\n\n", 3, ["class A:", "def one(self):"]),
        ("".join(f"{' ' * n}class C{n}:\n" for n in range(6)), 6, [f"class C{n}:" for n in range(1, 5)]),
    ],
)
def test_enclosing_names_of_other_languages(text: str, line: int, names: list[str]) -> None:
    assert enclosing_names(LineIndex(text), line) == names


def test_a_report_shows_whole_lines_within_bounds() -> None:
    text = "".join(f"line number {n} of the list\n" for n in range(500))
    nearest = missed(text, text[:8000].replace("number 7 ", "number x "))["nearest"]
    assert nearest["lines"] == [1, 40]
    assert len(nearest["text"]) <= 4_000
    long = missed("const jar = " + "x" * 10_000 + "\n", "const jas = xxxxxx")["nearest"]
    assert long["lines"] == [1, 1]
    assert "text" not in long


@pytest.mark.parametrize(
    ("text", "old", "place"),
    [
        (POTTERY, "cone = 6", (4, 4)),
        (POTTERY, "return pots\n", (9, 9)),
        (POTTERY, "return potz", (9, 9)),
        (POTTERY, "4\t    cone = 5", (4, 4)),
        (POTTERY, "\ufeffimport clay", (1, 1)),
        ("a\r\nb\r\n", "a\nb", (1, 2)),
        (POTTERY, "", None),
        (POTTERY, "zebra", None),
        ("", "x", None),
    ],
)
def test_the_place_that_is_meant(text: str, old: str, place: tuple[int, int] | None) -> None:
    assert place_of(text, old) == place
