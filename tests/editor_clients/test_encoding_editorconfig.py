"""What ``.editorconfig`` declares: globs and precedence as its specification and its own test-suite have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.editorconfig import editorconfig_charset, editorconfig_properties, matches


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*", ["a", "d/a.txt", ".hidden"], []),
        ("*.pas", ["u.pas", "d/e/u.pas"], ["u.pas.x", "upas"]),
        ("a*e.c", ["ace.c", "abcde.c", "d/ae.c"], ["a/e.c", "abc.c"]),
        ("Bar/*", ["Bar/a"], ["Bar/d/a", "x/Bar/a", "Bar"]),
        ("/a.c", ["a.c"], ["d/a.c"]),
        ("d/*.c", ["d/a.c"], ["e/d/a.c"]),
        ("d/**.c", ["d/a.c", "d/e/a.c"], ["e/d/a.c"]),
        ("d/**/z.c", ["d/z.c", "d/e/z.c", "d/e/f/z.c"], ["dz.c", "d/ez.c"]),
        ("**/z.c", ["z.c", "d/e/z.c"], ["dz.c"]),
        ("a**e.c", ["ae.c", "a/b/e.c"], ["b.c"]),
        ("?.c", ["a.c", "d/b.c"], [".c", "ab.c"]),
        ("d?a.c", ["dxa.c"], ["d/a.c"]),
        ("[ab].c", ["a.c"], ["c.c", "ab.c"]),
        ("[!ab].c", ["c.c"], ["a.c", "b.c"]),
        ("[a-c].c", ["b.c"], ["d.c", "-.c"]),
        ("[d-g-].c", ["-.c", "e.c"], ["z.c"]),
        ("a[b/c].x", ["a[b/c].x"], ["ab.x"]),
        ("[ab.c", ["[ab.c"], ["a.c"]),
        ("[]x].c", ["].c", "x.c"], ["a.c"]),
        ("{a,b}.c", ["a.c", "b.c"], ["c.c", "{a,b}.c"]),
        ("*.{py,js}", ["x.py", "d/x.js"], ["x.c", "x."]),
        ("a{b,}.c", ["ab.c", "a.c"], ["ac.c"]),
        ("{a,b{1,2}}.c", ["a.c", "b1.c", "b2.c"], ["b.c"]),
        ("{single}.c", ["{single}.c"], ["single.c"]),
        ("{}.c", ["{}.c"], [".c"]),
        ("{a.c", ["{a.c"], ["a.c"]),
        ("a}.c", ["a}.c"], ["a.c"]),
        ("{a,b}}.c", ["{a,b}}.c"], ["a.c"]),
        ("{3..12}.c", ["3.c", "12.c", "007.c"], ["2.c", "13.c", "a.c"]),
        ("{-3..3}", ["-2", "0", "+1"], ["-4"]),
        ("{12..3}", ["5"], ["2"]),
        ("{aa..bb}", ["{aa..bb}"], ["aa"]),
        (r"\*.c", ["*.c"], ["a.c"]),
        (r"a\[b", ["a[b"], ["ab"]),
        (r"\{a,b\}", ["{a,b}"], ["a"]),
        ("Makefile", ["Makefile", "d/Makefile"], ["makefile", "Makefile.am"]),
        ("a.b", ["a.b"], ["axb"]),
        ("{*.c,d/*.h}", ["x.c", "d/x.h"], ["e/d/x.h"]),
        ("a+(b).c", ["a+(b).c"], ["aab.c"]),
        ("[a&&b].c", ["&.c"], ["x.c"]),
        ("[+--].c", ["+.c", "-.c", ",.c"], ["a.c"]),
        ("{a,{1..3}}.c", ["a.c", "2.c"], ["4.c"]),
        ("v{1..12}3", ["v123", "v13"], ["v143"]),
        ("käse*", ["käse.txt"], ["kase.txt"]),
    ],
)
def test_globs(glob: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not matches(glob, path)] == []
    assert [path for path in no if matches(glob, path)] == []


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*a" * 40 + "b", "a" * 200 + "b", "a" * 200),
        ("**a" * 40 + "b", "a/" * 100 + "a" * 40 + "b", "a/" * 200),
        ("/**" * 40 + "/b", "a/" * 200 + "b", "a/" * 200),
        ("{a,*a,**}" * 30 + "b", "a" * 200 + "b", "a" * 200),
        ("{1..9}" * 30, "1" * 30, "1" * 31),
        ("}" * 200 + "{" * 200, "}" * 200 + "{" * 200, "a"),
    ],
    ids=["names", "paths", "folders", "choices", "numbers", "braces"],
)
def test_a_glob_made_to_take_for_ever_is_answered(glob: str, yes: str, no: str) -> None:
    assert matches(glob, yes)
    assert not matches(glob, no)


@given(st.text("ab*?[]{}!\\,./-^~&|()0123..", max_size=20), st.text("ab./{}[],*1", max_size=10))
def test_any_glob_is_answered(glob: str, path: str) -> None:
    assert matches(glob, path) in (True, False)


FILES = {
    "/w/.editorconfig": "root = true\n\n[*]\ncharset = utf-8\nend_of_line = lf\n[*.pas]\ncharset = latin1\n",
    "/w/d/.editorconfig": "[*.txt]\r\nCharset = UTF-16LE\r\n[*.pas]\r\nend_of_line=CRLF\r\n",
    "/w/d/e/.editorconfig": "root=true\n[x.*]\ncharset = unset\n[**]\nindent_size = 4\n",
    "/.editorconfig": "[*]\ncharset = koi8-r\ntab_width = 8\n",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/w/a.c", {"charset": "utf-8", "end_of_line": "lf"}),
        ("/w/u.pas", {"charset": "latin1", "end_of_line": "lf"}),
        ("/w/d/u.pas", {"charset": "latin1", "end_of_line": "crlf"}),
        ("/w/d/u.txt", {"charset": "utf-16le", "end_of_line": "lf"}),
        ("/w/d/e/x.txt", {"indent_size": "4"}),
        ("/v/a.c", {"charset": "koi8-r", "tab_width": "8"}),
    ],
)
def test_nearer_files_win_and_root_ends_the_search(path: str, expected: dict[str, str]) -> None:
    assert editorconfig_properties(path, "/", FILES.get) == expected


@pytest.mark.parametrize("root", ["/w/d", "/w/d/"])
def test_nothing_above_the_given_root_is_read(root: str) -> None:
    asked: list[str] = []

    def read(path: str) -> bytes | None:
        asked.append(path)
        return FILES[path].encode() if path in FILES else None

    assert editorconfig_charset("/w/d/f/u.pas", root, read) is None
    assert asked == ["/w/d/f/.editorconfig", "/w/d/.editorconfig"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ufeff[*]\ncharset=latin1", "latin1"),
        ("# charset = a\n; charset = b\n  [*]  \n\tcharset\t=\tlatin1  \n", "latin1"),
        ("charset = latin1\n", None),
        ("[*]\ncharset latin1\n", None),
        ("[*]\ncharset = latin1\ncharset = utf-8\n", "utf-8"),
        ("[*]\ncharset = latin1\n[*.x]\ncharset = unset\n", None),
        ("[*.y]\ncharset = latin1\n", None),
        ("[*\ncharset = latin1\n", None),
        ("[a]b]\ncharset = a\n[*]\ncharset = latin1\n", "latin1"),
        ("[*]\n" + "x" * 5000 + "\ncharset = latin1\n", "latin1"),
        ("", None),
    ],
)
def test_one_file(text: str, expected: str | None) -> None:
    assert editorconfig_charset("/w/f.x", "/w", lambda path: text) == expected


def test_bytes_that_are_not_utf_8_do_no_harm() -> None:
    assert editorconfig_charset("/w/f", "/w", lambda path: b"# \xff\n[*]\ncharset=gbk\n") == "gbk"
