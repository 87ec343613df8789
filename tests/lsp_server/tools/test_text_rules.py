"""The rules about texts, one by one, from the bytes on disk to the bytes on disk: README, "Text"."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk

BOM = b"\xef\xbb\xbf"
COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "caf\xe9") for form in ("NFC", "NFD"))
LONG = "x" * 40


@dataclass(frozen=True)
class Rule:
    """An edit of a file, and what comes of it."""

    id: str
    before: bytes | str
    old: str
    new: str
    after: bytes | str | None = None
    """None: the file stays as it is."""
    level: str = "exact"
    code: str | None = None
    more: dict[str, Any] = field(default_factory=dict)
    """Further arguments."""
    settings: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    """What an error's data, or the match of an outcome, holds."""
    warns: bool = False


ALL = {"replace_all": True}
AMBIGUOUS, MISS = "FS_AMBIGUOUS_MATCH", "FS_NO_MATCH"
RULES = [
    # Only LF, CRLF and CR end a line; other separators are content.
    Rule("other separators", "a\u2028b\x0bc\x85d\ne\n", "e", "E", "a\u2028b\x0bc\x85d\nE\n", data={"lines": [[2, 2]]}),
    Rule("cr ends a line", b"a\rb\rc", "b", "B", b"a\rB\rc", data={"lines": [[2, 2]]}),
    Rule("matching is on a view", b"a\r\nb\rc\nd", "a\nb\nc\n", "x\ny\nz\n", b"x\r\ny\rz\nd"),
    # Every byte outside the span stays.
    Rule("mixed ends", b"a\r\nb\nc\rd", "d", "D", b"a\r\nb\nc\rD"),
    Rule("mark", BOM + b"a\nb\n", "b", "B", BOM + b"a\nB\n"),
    Rule("mark in front of the edit", BOM + b"a\nb\n", "a", "A", BOM + b"A\nb\n"),
    Rule("no final newline", b"a\nb", "a", "A", b"A\nb"),
    Rule("no final newline at the edit", b"a\nb", "b", "B", b"a\nB"),
    Rule("invalid bytes", b"a\xff\xfe\x80\nb\n", "b", "B", b"a\xff\xfe\x80\nB\n"),
    # New lines end as their neighbours do.
    Rule("crlf file", b"a\r\nb\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\n"),
    Rule("crlf sent for lf", b"a\nb\n", "a\nb", "a\r\nx\r\nb", b"a\nx\nb\n"),
    Rule("the i-th of a mixed span", b"a\r\nb\nc\n", "a\nb\nc\n", "1\n2\n3\n4\n", b"1\r\n2\n3\n4\n"),
    Rule("a lone cr sent is content", b"a\r\nb\r\n", "b", "x\ry", b"a\r\nx\ry\r\n"),
    # Encodings.
    Rule("utf-16-le", "a\nb €\n".encode("utf-16"), "b", "ü", "a\nü €\n".encode("utf-16")),
    Rule("only ascii in unknown bytes", b"a\xe9\nb\n", "b", "€", code="FS_ENCODING"),
    Rule("unknown bytes are shown as latin letters", b"a\xe9\nb\n", "a\xe9\nb", "a\xe9\nB", b"a\xe9\nB\n"),
    Rule("nul bytes", b"a\0b\n", "a", "A", code="FS_NOT_TEXT"),
    Rule("replacement characters are as good as any", "a\ufffd\n", "a", "A", "A\ufffd\n"),
    # Replacement text is literal.
    Rule("literal", "a\n", "a", r"$& $1 \1 \g<0> %s {} \n", r"$& $1 \1 \g<0> %s {} \n" + "\n"),
    # The first level with a hit decides.
    Rule("exact before typographic", "“a”\n\"a\"\n", '"a"', "b", "“a”\nb\n", data={"lines": [[2, 2]]}),
    Rule("more than one", "a\na\n", "a", "b", code=AMBIGUOUS, data={"lines": [1, 2]}),
    Rule("overlapping ones", "aaa\n", "aa", "b", code=AMBIGUOUS, data={"lines": [1]}),
    Rule("all of them", "a\na\n", "a", "b", "b\nb\n", more=ALL, data={"count": 2, "lines": [[1, 1], [2, 2]]}),
    Rule("in two spellings of a level", "“a”\n„x\n«a»\n‟a”\n", '"a"', "b", code=AMBIGUOUS, data={"lines": [1, 4]}),
    # Trailing blanks, and a final newline that is not there.
    Rule("blanks at line ends", "a  \nb\t\nc\n", "a\nb\nc\n", "a\nB\nc\n", "a  \nB\nc\n", "trailing-space"),
    Rule("blanks sent at line ends", "a\nb\n", "a \nb\n", "x\nb\n", "x\nb\n", "trailing-space"),
    Rule("final newline that lacks", "a\nb", "a\nb\n", "a\nB\n", "a\nB", "trailing-space"),
    # Look-alikes.
    Rule("curly quotes", "say “hi” now\n", 'say "hi" now', 'say "hi" then', "say “hi” then\n", "typographic"),
    Rule("apostrophe", "it’s\n", "it's", "it's so", "it’s so\n", "typographic"),
    Rule("em dash", "a—b\n", "a--b", "a--c", "a—c\n", "typographic"),
    Rule("en dash", "1–2\n", "1-2", "1-3", "1–3\n", "typographic"),
    Rule("ellipsis", "wait…\n", "wait...", "wait... no", "wait… no\n", "typographic"),
    Rule("odd blank", "a\u00a0b\n", "a b", "a c", "a\u00a0c\n", "typographic"),
    Rule("decomposed", DECOMPOSED + " x\n", COMPOSED + " x", COMPOSED + " y", DECOMPOSED + " y\n", "typographic"),
    Rule("full width is another text", "ａ\n", "a", "b", code=MISS),
    Rule("half an ellipsis", "wait…\n", "wait..", "no", code=MISS),
    Rule("a dash for one hyphen", "a—b\n", "a-b", "a-c", "a—c\n", "typographic"),
    Rule("a short dash is one hyphen", "1–2\n", "1--2", "x", code=MISS),
    Rule("a letter without its mark", "e\u0301\n", "e", "x", code=MISS),
    Rule("told where it is as sent", "“a”\n", '"a"', '"b" + "a"', '"b" + “a”\n', "typographic", warns=True),
    # Indentation.
    Rule("shifted", "if x:\n        a\n        b\n", "    a\n    b\n", "    a\n    c\n        d\n",
         "if x:\n        a\n        c\n            d\n", "indentation"),
    Rule("tabs", "if x:\n\ta\n\t\tb\n", "    a\n        b\n", "    a\n        c\n",
         "if x:\n\ta\n\t\tc\n", "indentation"),
    Rule("scaled", "x:\n  a\n    b\n", "x:\n    a\n        b\n", "x:\n    c\n        b\n",
         "x:\n  c\n    b\n", "indentation"),
    Rule("not unambiguous", "if x:\n\ta\n\t\tb\n", "    a\n        b\n", "    a\n      c\n", code=MISS),
    # Lines left out.
    Rule("left out", "f(\n  1,\n  2,\n)\n", "f(\n...\n)\n", "g(\n...\n)\n", "g(\n  1,\n  2,\n)\n", "elided"),
    Rule("left out in a comment", "a\n1\nb\n", "a\n# ...\nb", "A\n# ...\nb", "A\n1\nb\n", "elided"),
    Rule("two spans", "a\n1\nb\n2\nb\n", "a\n...\nb\n", "a\n...\nB\n", code=AMBIGUOUS),
    Rule("only in the new text", "a\n1\nb\n", "a\n...\nb\n", "a\n...\nB\n...\n", code=MISS),
    Rule("dots that are there are text", "a\n...\nb\n", "a\n...\nb\n", "a\n...\nc\n", "a\n...\nc\n"),
    # Never similarity; the settings.
    Rule("never similarity", "def total(items):\n", "def totals(items):", "x", code=MISS, data={"reason": "miscopied"}),
    Rule("exact only", "a \nb\n", "a\nb\n", "c\n", code=MISS, settings={"matching": "exact"}),
    Rule("repeated", f"{LONG}\n{LONG}\n", LONG, "y", "y\ny\n", settings={"replace_repeated": True}, warns=True),
    Rule("repeated, not asked for", f"{LONG}\n{LONG}\n", LONG, "y", code=AMBIGUOUS),
    Rule("repeated too short", f"{LONG[1:]}\n" * 2, LONG[1:], "y", code=AMBIGUOUS, settings={"replace_repeated": True}),
    Rule("repeated too often", f"{LONG}\n" * 4, LONG, "y", code=AMBIGUOUS, settings={"replace_repeated": True}),
    # What is refused whatever the file has.
    Rule("numbered", "a\nb\n", "1\ta\n2\tb", "x", code=MISS, data={"reason": "own_output"}),
    Rule("a notice", "a\nb\n", "a\n[coeditor: 3 more lines]", "x", code=MISS, data={"reason": "own_output"}),
    Rule("empty for a text", "a\n", "", "b", code="INVALID_ARGUMENT"),
    Rule("empty for nothing", "", "", "b\n", "b\n"),
    Rule("equal", "a\n", "a", "a", code="FS_NO_CHANGE"),
    Rule("a mark in front is dropped", BOM + b"a\nb\n", "\ufeffa", "A", BOM + b"A\nb\n"),
    Rule("done already", "new\n", "old", "new", code=MISS, data={"reason": "already_applied"}),
]  # fmt: skip


def as_bytes(text: bytes | str) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
async def test_a_rule(make_walk: MakeWalk, rule: Rule) -> None:
    walk = make_walk(rule.settings)
    path = walk.put("a.txt", as_bytes(rule.before))
    await walk.read("a.txt")
    found = await walk.edit("a.txt", rule.old, rule.new, **rule.more)
    assert found.get("code") == rule.code, found
    there = path.read_bytes()
    if rule.code is not None:
        assert there == as_bytes(rule.before)
        assert {name: found["data"].get(name) for name in rule.data} == rule.data
        return
    assert rule.after is not None
    assert there == as_bytes(rule.after)
    assert found["match"]["level"] == rule.level
    assert {name: found["match"][name] for name in rule.data} == rule.data
    assert bool(found["warnings"]) is rule.warns, found["warnings"]


@pytest.mark.parametrize(
    ("before", "content", "after", "warns"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n", True),
        (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\n", False),
        (b"a\r\nb\n", "x\ny\n", b"x\ny\n", False),
        (b"a\nb\n", "x\r\n", b"x\r\n", False),
        (b"a\rb\r", "x\ny\n", b"x\ny\n", False),
        (BOM + b"a\n", "b\n", BOM + b"b\n", False),
        (BOM + b"a\r\nb\r\n", "\ufeffx\ny\n", BOM + b"x\r\ny\r\n", True),
        ("a\n".encode("utf-16"), "ü\n", "ü\n".encode("utf-16"), False),
        (b"a\n", "$& \\1 %s\n", b"$& \\1 %s\n", False),
    ],
)
async def test_a_whole_write_keeps_how_the_file_is_written(
    walk: Walk, before: bytes, content: str, after: bytes, warns: bool
) -> None:
    path = walk.put("a.txt", before)
    await walk.read("a.txt")
    found = await walk.write("a.txt", content)
    assert path.read_bytes() == after
    assert bool(found["warnings"]) is warns


async def test_the_nearest_lines_are_shown_with_what_differs_and_where_they_are(walk: Walk) -> None:
    walk.put("a.py", "class Cart:\n    def total(self):\n        return\u200b 1  # sum\n")
    await walk.read("a.py")
    found = await walk.edit("a.py", "        return 1  # som\n", "        return 2\n")
    nearest = found["data"]["nearest"]
    assert found["data"]["reason"] == "miscopied"
    assert nearest["lines"] == [3, 3]
    assert "U+200B" in str(nearest)
    assert nearest["enclosing"] == ["class Cart:", "def total(self):"]


async def test_a_declared_charset_counts_where_the_bytes_are_not_utf8(walk: Walk) -> None:
    path = walk.put("a.txt", "naïve\nb\n".encode("cp1252"))
    walk.put(".editorconfig", "root = true\n[*.txt]\ncharset = latin1\n")
    assert (await walk.read("a.txt"))["encoding"] == "iso-8859-1"
    assert (await walk.edit("a.txt", "b", "été"))["ok"] is True
    assert path.read_bytes() == "naïve\nété\n".encode("latin-1")
    assert (await walk.edit("a.txt", "été", "€"))["code"] == "FS_ENCODING"
    walk.put("a.txt", "naïve\nb\n")
    assert (await walk.read("a.txt"))["encoding"] == "utf-8"
