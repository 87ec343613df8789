"""What each level lets pass, and what exactly is written then."""

from __future__ import annotations

import pytest

from editor_clients.lines import apply_replacements
from editor_clients.port import Replacement
from ledger.errors import Code, CoeditorError
from lsp_server.edits.matching import Level, Match, match_edit

EXACT, TRAILING, TYPOGRAPHIC = Level.EXACT, Level.TRAILING_SPACE, Level.TYPOGRAPHIC
INDENTATION, ELIDED = Level.INDENTATION, Level.ELIDED


def after(text: str, old: str, new: str, **options: bool) -> tuple[Level, str]:
    match = match_edit(text, old, new, **options)
    return match.level, apply_replacements(text, match.replacements)


def refused(text: str, old: str, new: str, **options: bool) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        match_edit(text, old, new, **options)
    return caught.value


@pytest.mark.parametrize(
    ("text", "old", "new", "written"),
    [
        ("kiln = 3\n", "3", "4", "kiln = 4\n"),
        ("a.b", "a.b", r"\1 $& %s", r"\1 $& %s"),
        ("tea\n", "tea\n", "", ""),
        ("one\ntwo", "two", "2\n", "one\n2\n"),
        ("\n\n", "\n\n", "x", "x"),
        ("  pad  \n", "  pad  ", "pad", "pad\n"),
        ("x--;\n", "x-", "y-", "y--;\n"),
        ("wait --- stop\n", "--- s", "- s", "wait - stop\n"),
        ("a\x0bb\x0cc\u2028d\n", "\x0cc\u2028", "-", "a\x0bb-d\n"),
        ("mid\ufeffdle", "d\ufeff", "d\ufeff", None),
        ("cafe\u0301 cafe\n", "cafe", "tea", "cafe\u0301 tea\n"),
        ("e\u0301", "e\u0301", "e", "e"),
    ],
)
def test_exact_text_is_replaced_literally(text: str, old: str, new: str, written: str | None) -> None:
    if written is None:
        assert refused(text, old, new).code is Code.FS_NO_CHANGE
    else:
        assert after(text, old, new) == (EXACT, written)


@pytest.mark.parametrize(
    ("text", "old", "new", "written"),
    [
        ("a\r\nb\r\n", "a\nb\n", "A\nB\n", "A\r\nB\r\n"),
        ("a\nb\n", "a\r\nb\r\n", "A\r\nB\r\n", "A\nB\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc", "A\nB\nC", "A\r\nB\nC\r\n"),
        ("a\r\nb\nc\r\n", "b\nc", "B\nb\nC", "a\r\nB\nb\nC\r\n"),
        ("a\nb\r\nc\rd\n", "a\nb\nc\nd", "1\n2\n3\n4\n5", "1\n2\r\n3\r4\r5\n"),
        ("a\r\nb", "b", "b\nc", "a\r\nb\r\nc"),
        ("a\nb\r\n", "b", "b\nc", "a\nb\nc\r\n"),
        ("a\r\nb\r\n", "a", "a\nc", "a\r\nc\r\nb\r\n"),
        ("a\rb\r", "a\nb", "A\nB\nC", "A\rB\rC\r"),
        ("lonely", "lonely", "two\nlines", "two\nlines"),
        ("lonely", "lonely", "two\r\nlines", "two\r\nlines"),
        ("10%\r50%\r\nend\r\n", "10%\r50%", "9%\r49%", "9%\r49%\r\nend\r\n"),
        ("10%\r50%\r\nend\r\n", "10%\r50%\nend", "9%\r49%\nEND", "9%\r49%\r\nEND\r\n"),
        ("a\n", "a", "1\r2", "1\r2\n"),
        ("a\r\nb\r\n", "\nb", "\nc\n", "a\r\nc\r\n\r\n"),
        ("a\r\nb\r\n", "\n", ";", None),
    ],
)
def test_new_line_ends_follow_those_replaced(text: str, old: str, new: str, written: str | None) -> None:
    if written is None:
        assert refused(text, old, new).code is Code.FS_AMBIGUOUS_MATCH
    else:
        assert after(text, old, new) == (EXACT, written)


@pytest.mark.parametrize(
    ("text", "old", "new", "written"),
    [
        ("a = 1  \nb = 2\n", "a = 1\nb = 2", "a = 9\nb = 2", "a = 9\nb = 2\n"),
        ("a = 1  \nb = 2\n", "a = 1\nb = 2", "a = 1\nb = 9", "a = 1  \nb = 9\n"),
        ("a\t \nb \t\nc\n", "a\nb\nc", "a\nb\nd", "a\t \nb \t\nd\n"),
        ("a\nb\n", "a \nb\t\n", "A \nb\t\n", "A \nb\n"),
        ("a\nb", "b\n", "B\n", "a\nB"),
        ("a\nb", "b\n", "B\nC\n", "a\nB\nC"),
        ("a\nb", "b\n", "B", "a\nB"),
        ("a\nb", "a\nb\n", "", ""),
        ("a\r\nb  ", "a \nb\n", "a \nc\n", "a\r\nc"),
        ("a \r\nb\r\n", "a\nb\n", "a\nx\n", "a \r\nx\r\n"),
        ("x = 1  \ny\n", "1\ny", "2\ny", "x = 2\ny\n"),
        ("a  \n  \nb\n", "a\n\nb", "a\n\nc", "a  \n  \nc\n"),
        ("bar\n \t \nfoo\n", "  \nfoo", "fee", "bar\nfee\n"),
        ("bar \nfoo \nend\n", "\nfoo\nend", "\nfoo\nEND", "bar \nfoo \nEND\n"),
        ("f(a)\t\n", "f(a)  ", "g(a)", "g(a)\n"),
        ("f(a)  \n", "f(a)\n", "f(a)\n", None),
        ("x\nab", "x \na", "x", "xb"),
        ("x  \nab", "x\na", "x", "xb"),
        ("def\u00e9  \nb\n", "def\u00e9\nb", "d\nb", "d\nb\n"),
        ("—  \nb\n", "—\nb", "-\nb", "-\nb\n"),
    ],
)
def test_blanks_at_line_ends_are_forgiven(text: str, old: str, new: str, written: str | None) -> None:
    if written is None:
        assert refused(text, old, new).code is Code.FS_NO_CHANGE
    else:
        assert after(text, old, new) == (TRAILING, written)


@pytest.mark.parametrize(
    ("text", "old", "new", "written"),
    [
        ("“Tea,” she said\n", '"Tea," she', '"Mate," she', "“Mate,” she said\n"),
        ('say("hi")\n', "say(“hi”)", "say(“yo”)", 'say("yo")\n'),
        ("it’s\n", "it's", "it's not", "it’s not\n"),
        ("a — b\n", "a -- b", "a -- c", "a — c\n"),
        ("a — b\n", "a - b", "a - c", "a — c\n"),
        ("a ― b\n", "a -- b", "a -- c", "a ― c\n"),
        ("a – b\n", "a - b", "a - c", "a – c\n"),
        ("a − b\n", "a - b", "a - c", "a − c\n"),
        ("a -- b\n", "a — b", "a — c", "a -- c\n"),
        ("a - b\n", "a — b", "a — c", "a - c\n"),
        ("wait…\n", "wait...", "wait... more", "wait… more\n"),
        ("wait...\n", "wait…", "stop…", "stop...\n"),
        ("a\u00a0b\u2003c\n", "a b c", "a b d", "a\u00a0b\u2003d\n"),
        ("a\u00a0b\n", "a\u2009b", "a\u2009c", "a\u00a0c\n"),
        ("rate:\u00a05 %\n", "rate: ", "cost: ", "cost:\u00a05 %\n"),
        ("rate:\u00a05 %\n", "rate: ", "cost:  ", "cost:\u00a0 5 %\n"),
        ("ru\u0308ben\n", "rüben", "rüben soup", "ru\u0308ben soup\n"),
        ("rüben\n", "ru\u0308ben", "ru\u0308be", "rübe\n"),
        ("e\u0323\u0302x\n", "\u1ec7x", "\u1ec7y", "e\u0323\u0302y\n"),
        ("e\u0302\u0323x\n", "\u1ec7x", "\u1ec7y", "e\u0302\u0323y\n"),
        ("\u1112\u1161\u11ab글\n", "한글", "한국", "\u1112\u1161\u11ab국\n"),
        ("“a”  \n“b”\n", '"a"\n"b"', '"a"\n"c"', "“a”  \n“c”\n"),
        ("“a”\u00a0\nb\n", '"a"\nb', '"a"\nc', "“a”\u00a0\nc\n"),
        ("x “a”\r\n", '"a"\n', '"b"\n', "x “b”\r\n"),
        ("“a”", '"a"\n', '"b"\n', "“b”"),
        ("f(“a”)\n", 'f("a")', 'f("b", "a")', 'f("b", “a”)\n'),
        ("a…b\n", "a...b", "a..b", "a..b\n"),
        ("a—b “x”\n", 'a--b "x"', 'a-b "x"', "a-b “x”\n"),
        ("“x” – 1–2 — …\n", '"x" - 1-2 -- ...', '"x" - 1-3 -- ...', "“x” – 1–3 — …\n"),
        ("\u212b = 1\n", "\u00c5 = 1", "\u00c5 = 2", "\u212b = 2\n"),
    ],
)
def test_typography_of_shared_characters_is_the_files(text: str, old: str, new: str, written: str) -> None:
    assert after(text, old, new) == (TYPOGRAPHIC, written)


@pytest.mark.parametrize(
    ("text", "old", "new", "named"),
    [
        ("“a”\n", '"a"', '"a" or "b"', "“"),
        ("a\u00a0b\n", "a b", "a b c", "no-break"),
        ("x — y\n", "x -- y", "x -- y -- z", "—"),
    ],
)
def test_typography_written_as_sent_is_warned_of(text: str, old: str, new: str, named: str) -> None:
    match = match_edit(text, old, new)
    assert any(named in warning for warning in match.warnings)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("“a” b\n", '"a" b', '"a" c'),
        ("“a”\n", '"a"', "b"),
        ("a  \nb\n", "a\nb", "c\nb"),
    ],
)
def test_nothing_is_warned_of_when_all_is_shared(text: str, old: str, new: str) -> None:
    assert match_edit(text, old, new).warnings == ()


@pytest.mark.parametrize(
    ("text", "old", "new", "written"),
    [
        ("def f():\n    a()\n    b()\n", "a()\nb()", "a()\nc()", "def f():\n    a()\n    c()\n"),
        ("a()\nb()\n", "    a()\n    b()", "    c()\n    b()", "c()\nb()\n"),
        ("\tif x:\n\t\ty()\n", "    if x:\n        y()", "    if x:\n        z()", "\tif x:\n\t\tz()\n"),
        ("    if x:\n        y()\n", "\tif x:\n\t\ty()", "\tif z:\n\t\ty()", "    if z:\n        y()\n"),
        ("if x:\n  y\n    z\n", "if x:\n    y\n        z", "if x:\n    z", "if x:\n  z\n"),
        ("\tif x:\n\t\ty\n", "if x:\n    y", "if x:\n    z", "\tif x:\n\t\tz\n"),
        ("        a\n        b\n", "    a\n    b", "    if p:\n        a", "        if p:\n            a\n"),
        ("\t\ta\n\t\tb\n", "\ta\n\tb", "\tif p {\n\t\tb\n\t}", "\t\tif p {\n\t\t\tb\n\t\t}\n"),
        ("    a\n    b\n", "        a\n        b", "        a\n            c", "    a\n        c\n"),
        ("    a\n\n    b\n", "a\n\nb", "a\n\nc", "    a\n\n    c\n"),
        ("    a\n  \n    b\n", "a\n\nb", "x\n\nb", "    x\n  \n    b\n"),
        ("    a  \n    b\n", "a\nb", "a\nc", "    a  \n    c\n"),
        ("    “a”\n    b\n", '"a"\nb', '"a!"\nb', "    “a!”\n    b\n"),
        ("\treturn\r\n}\r\n", "    return", "    return 1", "\treturn 1\r\n}\r\n"),
        ("    a\n    b\n", "a\nb\n", "a\n", "    a\n"),
        ("    a\n    b", "a\nb\n", "a\nc\n", "    a\n    c"),
        ("x\n    a\n    b\n", "\na\nb", "\na\nc", "x\n    a\n    c\n"),
        ("    a\n    b\n", "a\nb", "", "\n"),
        ("    a\n    b\n", "a\nb\n", "", ""),
        ("    a\n    b\n", "a\nb", "a\n\nb\n", "    a\n\n    b\n\n"),
        ("\u00a0\u00a0a\n  b\n", "a\nb", "a\nc", "\u00a0\u00a0a\n  c\n"),
    ],
)
def test_blocks_are_found_and_written_at_the_files_indentation(
    text: str, old: str, new: str, written: str
) -> None:
    assert after(text, old, new) == (INDENTATION, written)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("\treturn\n", "    return", "    if x:\n        return"),
        ("if x:\n  y\n    z\n", "if x:\n    y\n        z", "if x:\n    y\n            z"),
        ("\ta\n\tb\n", "a\nb", "if x:\n    a"),
        ("a\n", "  a", " a!"),
    ],
)
def test_indentation_that_the_old_text_does_not_map_is_refused(text: str, old: str, new: str) -> None:
    error = refused(text, old, new)
    assert error.code is Code.FS_NO_MATCH
    assert error.data["nearest"]["lines"][0] == 1
    assert "indentation" in error.message


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("    if a:\n        b\n    c\n", "if a:\n  b\n  c"),
        ("a\nb\n", "a\n  b"),
        ("  a\nb\n", " a\n b"),
        ("    a\n        b\n                c\n", "a\n    b\n        c"),
        ("    a(1)\n    b\n", "  a(\n  b"),
        ("x = a\n    b\n", "a\n  b"),
        ("a  b\n    c\n", "a b\n  c"),
        ("    a\n", "a\n\n"),
        ("\tx\n", "   "),
    ],
)
def test_what_is_not_one_shifted_block_is_no_hit(text: str, old: str) -> None:
    assert refused(text, old, "new").code is Code.FS_NO_MATCH


@pytest.mark.parametrize(
    ("text", "old", "new", "written"),
    [
        ("a\n1\n2\nz\nend\n", "a\n...\nz", "a\nz", "a\nz\nend\n"),
        ("a\n1\n2\nz\nend\n", "a\n...\nz\n", "", "end\n"),
        ("a\n1\n2\nz\n", "a\n…\nz", "A\n…\nZ", "A\n1\n2\nZ\n"),
        ("a\n1\n2\nz\n", "a\n# ...\nz", "# ...\nZ", "1\n2\nZ\n"),
        ("a\n1\n2\nz\nend\n", "a\n// ...\nz", "A\n// ...", "A\n1\n2\nend\n"),
        ("a\n1\n2\nz\nend\n", "a\n// ...\nz\n", "A\n// ...\n", "A\n1\n2\nend\n"),
        ("a\n1\n2\nz\n", "a\n/* ... */\nz", "/* ... */", "1\n2\n"),
        ("a\n1  \nz\r\n", "a\n<!-- ... -->\nz\n", "b\n<!-- ... -->\ny\n", "b\n1  \ny\r\n"),
        ("a\n1\r\n2\nz\n", "a\n...\nz", "b\nb\n...\nz", "b\nb\n1\r\n2\nz\n"),
        ("a\n1\nm\n2\nz\n", "a\n...\nm\n...\nz", "a\n...\nM\n...\nz", "a\n1\nM\n2\nz\n"),
        ("a\n1\nm\n2\nz\n", "a\n# ...\nm\n...\nz", "a\n...\nz", "a\n2\nz\n"),
        ("a\n1\nm\n2\nz\n", "a\n# ...\nm\n...\nz", "a\n# ...\nz", "a\n1\nz\n"),
        (
            "  def f():\n    a\n    b\n  c\n",
            "def f():\n  ...\n  b",
            "def f():\n  c",
            "  def f():\n    c\n  c\n",
        ),
        ("a\nz\n", "a\n...\nz", "b", "b\n"),
        ("a\n1\nz", "a\n...\nz\n", "a\n...\ny\n", "a\n1\ny"),
        ("“a”\n1\nz\n", '"a"\n...\nz', '"b"\n...\nz', "“b”\n1\nz\n"),
        ("a\n...\n1\nz\n", "a\n...\nz", "a\nz", "a\nz\n"),
    ],
)
def test_a_line_of_dots_stands_for_lines_in_between(text: str, old: str, new: str, written: str) -> None:
    assert after(text, old, new) == (ELIDED, written)


@pytest.mark.parametrize(
    ("text", "old", "new", "code"),
    [
        ("a\n1\nz\na\n2\nz\n", "a\n...\nz", "x", Code.FS_AMBIGUOUS_MATCH),
        ("a\n1\nz\n2\nz\n", "a\n...\nz", "x", Code.FS_AMBIGUOUS_MATCH),
        ("a\n1\nm\nm\nz\n", "a\n...\nm\n...\nz", "x", Code.FS_AMBIGUOUS_MATCH),
        ("  a\n1\n  z\n    a\n2\n    z\n", "a\n...\nz", "x", Code.FS_AMBIGUOUS_MATCH),
        ("a\n1\nz\n", "a\n...\nz", "a\n# ...\nz", Code.FS_NO_MATCH),
        ("a\n1\nz\n", "a\n...\nz", "a\n  ...\nz", Code.FS_NO_MATCH),
        ("a\n1\nz\n", "a\n...\nz", "a\n...\n...\nz", Code.FS_NO_MATCH),
        ("a\n1\nm\n2\nz\n", "a\n...\nm\n...\nz", "a\n...\nz", Code.FS_NO_MATCH),
        ("a\n1\nz\n", "a\n...", "x", Code.FS_NO_MATCH),
        ("a\n1\nz\n", "...\nz", "x", Code.FS_NO_MATCH),
        ("a\n1\nz\n", "a\n# ... rest ...\nz", "x", Code.FS_NO_MATCH),
        ("a\n1\nz\n", "a ...\nz", "x", Code.FS_NO_MATCH),
        ("  a\n1\nz\n", "a\n...\nz", "x", Code.FS_NO_MATCH),
    ],
)
def test_lines_left_out_are_never_guessed(text: str, old: str, new: str, code: Code) -> None:
    assert refused(text, old, new).code is code
    assert refused(text, old, new, replace_all=True).code is code


def test_dots_are_text_where_the_file_has_them() -> None:
    assert after("def f():\n    ...\n", "    ...", "    pass") == (EXACT, "def f():\n    pass\n")
    assert after("def f():\n    pass\n", "    pass", "    ...") == (EXACT, "def f():\n    ...\n")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("wait... ok\n", "wait.. ok"),
        ("a…b\n", "a.."),
        ("a…b\n", "..b"),
        ("a——b\n", "a---b x"),
        ("caf\u00e9 “\n", 'cafe "'),
        ("한글\n", "하"),
        ("\u1112\u1161\u11ab글\n", "하"),
        ("\u1112\u1161\u11ab글\n", "\u1112\u1161"),
        ("x\u0301y\n", "x"),
        ("x\u0301y\n", "\u0301y"),
        ("ＡＢ\n", "AB"),
        ("ﬁsh\n", "fish"),
        ("a\tb\n", "a b"),
        ("a  b\n", "a b"),
        ("f(a,b)\n", "f(a, b)"),
        ("a\n\n\nb\n", "a\n\nb"),
        ("Abc\n", "abc"),
        ("a\u200bb\n", "ab"),
        ("«a»\n", '"a"'),
        ("a\n", "a\\n"),
        ("b\n", "b\n\n"),
        ("---x\n", "—x"),
    ],
)
def test_other_text_and_halves_of_characters_are_no_hit(text: str, old: str) -> None:
    assert refused(text, old, "new").code is Code.FS_NO_MATCH


def test_two_hyphens_for_an_em_dash_are_never_parted() -> None:
    assert after("a--b\n", "—", "+") == (TYPOGRAPHIC, "a+b\n")
    assert after("a—b\n", "--", "+") == (TYPOGRAPHIC, "a+b\n")


@pytest.mark.parametrize(
    ("text", "old", "lines", "count"),
    [
        ("aaa", "aa", [1], 2),
        ("id idx id\n", "id", [1], 3),
        ("x\ny\nx\n", "x", [1, 3], 2),
        ('“k”\n"k”\n', '"k"', [1, 2], 2),
        ("a \nb\na\t\nb\n", "a\nb", [1, 3], 2),
        ("  a\n  b\n\ta\n\tb\n", "a\nb", [1, 3], 2),
        ("a\nb\ra\r\nb\n", "a\nb", [1, 3], 2),
    ],
)
def test_more_than_one_hit_at_the_first_level_is_ambiguous(
    text: str, old: str, lines: list[int], count: int
) -> None:
    error = refused(text, old, "new")
    assert error.code is Code.FS_AMBIGUOUS_MATCH
    assert (error.data["lines"], error.data["count"]) == (lines, count)
    assert str(count) in error.message
    for line in lines:
        assert str(line) in error.message


def test_an_ambiguous_hit_is_told_with_what_it_stands_in() -> None:
    text = "class Jar:\n    def lid(self):\n        return 1\n    def rim(self):\n        return 1\n"
    error = refused(text, "return 1", "return 2")
    assert [row["enclosing"] for row in error.data["hits"]] == [
        ["class Jar:", "def lid(self):"],
        ["class Jar:", "def rim(self):"],
    ]


@pytest.mark.parametrize(
    ("text", "old", "new", "level", "written", "count"),
    [
        ("aaaa", "aa", "b", EXACT, "bb", 2),
        ("aaaaa", "aa", "b", EXACT, "bba", 2),
        ("x\nx\n", "x", "xx", EXACT, "xx\nxx\n", 2),
        ("a\r\nb\n", "\n", ";", EXACT, "a;b;", 2),
        ("cafe cafe\u0301 cafe", "cafe", "tea", EXACT, "tea cafe\u0301 tea", 2),
        ('“k” "k”\n', '"k"', '"z"', TYPOGRAPHIC, '“z” "z”\n', 2),
        ("a \nb\na\t\nb\n", "a\nb", "a\nc", TRAILING, "a \nc\na\t\nc\n", 2),
        ("  a\n  b\n\ta\n\tb\n", "a\nb", "a\nc", INDENTATION, "  a\n  c\n\ta\n\tc\n", 2),
        ("x", "x", "$&", EXACT, "$&", 1),
    ],
)
def test_replace_all_replaces_every_hit_from_left_to_right(
    text: str, old: str, new: str, level: Level, written: str, count: int
) -> None:
    match = match_edit(text, old, new, replace_all=True)
    assert (match.level, apply_replacements(text, match.replacements)) == (level, written)
    assert len(match.lines) == count


LONG = "self.logger.warning('the jar is not closed')"


@pytest.mark.parametrize(
    ("times", "old", "replaced"),
    [(2, LONG, True), (3, LONG, True), (4, LONG, False), (2, LONG[:39], False), (2, LONG[:40], True)],
)
def test_long_repeated_text_is_replaced_everywhere_when_the_setting_says_so(
    times: int, old: str, replaced: bool
) -> None:
    text = f"{LONG}\n" * times
    if replaced:
        match = match_edit(text, old, "x", replace_repeated=True)
        assert len(match.lines) == times
        assert any(f"{times}" in warning for warning in match.warnings)
        assert refused(text, old, "x").code is Code.FS_AMBIGUOUS_MATCH
    else:
        assert refused(text, old, "x", replace_repeated=True).code is Code.FS_AMBIGUOUS_MATCH


def test_repeated_text_in_two_spellings_or_overlapping_stays_ambiguous() -> None:
    quoted = "print('“the kiln is hot, do not open the lid”')"
    text = f"{quoted}\n{quoted.replace('“', chr(34))}\n"
    plain = quoted.replace("“", '"').replace("”", '"')
    assert refused(text, plain, "x", replace_repeated=True).code is Code.FS_AMBIGUOUS_MATCH
    assert refused("ab" * 21, "ab" * 20, "x", replace_repeated=True).code is Code.FS_AMBIGUOUS_MATCH


@pytest.mark.parametrize(
    ("text", "old", "new", "code"),
    [
        ("a\n", "", "b", Code.INVALID_ARGUMENT),
        (" \n", "", "", Code.INVALID_ARGUMENT),
        ("a\n", "\ufeff", "b", Code.INVALID_ARGUMENT),
        ("", "", "", Code.FS_NO_CHANGE),
        ("", "x", "y", Code.FS_NO_MATCH),
        ("a\n", "a", "a", Code.FS_NO_CHANGE),
        ("a\n", "q", "q", Code.FS_NO_CHANGE),
        ("a\nb", "a\nb", "a\r\nb", Code.FS_NO_CHANGE),
        ("a\n", "\ufeffa", "a", Code.FS_NO_CHANGE),
        ("“a”\n", '"a"', "“a”", Code.FS_NO_CHANGE),
    ],
)
def test_requests_without_a_meaning_are_refused(text: str, old: str, new: str, code: Code) -> None:
    assert refused(text, old, new).code is code


def test_an_empty_text_is_filled() -> None:
    assert match_edit("", "", "a\r\n") == Match(EXACT, (Replacement(0, 0, "a\r\n"),), ((1, 1),))
    assert after("", "", "a\r\n") == (EXACT, "a\r\n")


def test_a_bom_at_the_start_of_what_was_sent_is_dropped() -> None:
    assert after("import a\n", "\ufeffimport a", "\ufeffimport b") == (EXACT, "import b\n")
    assert after("import a\n", "\ufeffimport a", "import b") == (EXACT, "import b\n")


@pytest.mark.parametrize(
    ("text", "old"),
    [("a \nb\n", "a\nb"), ("“a”\n", '"a"'), ("  a\n  b\n", "a\nb"), ("a\n1\nb\n", "a\n...\nb"), ("a", "a\n")],
)
def test_the_exact_setting_leaves_only_the_exact_level(text: str, old: str) -> None:
    assert match_edit(text, old, "new").level is not EXACT
    assert refused(text, old, "new", tolerant=False).code is Code.FS_NO_MATCH
    assert after("a\r\nb\r\n", "a\nb", "c", tolerant=False) == (EXACT, "c\r\n")


@pytest.mark.parametrize(
    ("text", "old", "lines"),
    [
        ("a\nb\nc\n", "b\n", ((2, 2),)),
        ("a\nb\nc\n", "a\nb", ((1, 2),)),
        ("a\r\nb\r\nc", "b\nc", ((2, 3),)),
        ("a\n  b\n  c\n", "b\nc\n", ((2, 3),)),
        ("a\n1\nz\n", "a\n...\nz", ((1, 3),)),
        ("b\nb\n", "b", ((1, 1), (2, 2))),
    ],
)
def test_the_lines_of_hits_are_those_before_the_edit(
    text: str, old: str, lines: tuple[tuple[int, int], ...]
) -> None:
    assert match_edit(text, old, "new", replace_all=len(lines) > 1).lines == lines


def test_the_first_level_with_a_hit_decides() -> None:
    assert after("  two\ntwo\n", "two\n", "2\n", replace_all=True)[0] is EXACT
    assert after('"a" \nb\n“a”\nb\n', '"a"\nb', "x") == (TRAILING, "x\n“a”\nb\n")
    assert after('“a”\nb\n  "a"\n  b\n', '"a"\nb', "x") == (TYPOGRAPHIC, 'x\n  "a"\n  b\n')
