"""Names of encodings as editors, ``.editorconfig`` and IANA spell them."""

from __future__ import annotations

import pytest

from editor_clients.charsets import codec_of, is_legacy, wire_name
from editor_clients.encoding import decode

OTHERS = [
    "latin1",
    "gbk",
    "gb18030",
    "shiftjis",
    "eucjp",
    "euckr",
    "big5",
    "big5hkscs",
    "koi8r",
    "koi8u",
    "macroman",
    "cp437",
    "cp850",
    "tis620",
]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("UTF8", "utf-8"),
        ("utf-8", "utf-8"),
        ("utf-8-bom", "utf-8-bom"),
        ("utf8bom", "utf-8-bom"),
        ("utf16le", "utf-16-le"),
        ("utf-16be", "utf-16-be"),
        ("ucs-2le", "utf-16-le"),
        ("latin1", "iso-8859-1"),
        ("ISO8859-15", "iso-8859-15"),
        ("iso885915", "iso-8859-15"),
        ("cp1252", "windows-1252"),
        ("windows1252", "windows-1252"),
        ("cp866", "ibm866"),
        ("shiftjis", "shift_jis"),
        ("cp932", "shift_jis"),
        ("Windows-31J", "shift_jis"),
        ("eucjp", "euc-jp"),
        ("euckr", "euc-kr"),
        ("cp949", "euc-kr"),
        ("gb2312", "gbk"),
        ("cp936", "gbk"),
        ("gb18030", "gb18030"),
        ("big5hkscs", "big5-hkscs"),
        ("cp950", "big5"),
        ("koi8r", "koi8-r"),
        ("koi8ru", "koi8-u"),
        ("macroman", "macintosh"),
        ("ascii", "us-ascii"),
        ("utf-7", None),
        ("iso-2022-jp", None),
        ("cp037", None),
        ("rot13", None),
        ("unicode_escape", None),
        ("", None),
    ],
)
def test_names(name: str, expected: str | None) -> None:
    assert wire_name(name) == expected


def test_every_name_is_its_own_and_ascii_is_ascii_in_every_legacy_encoding() -> None:
    ascii_bytes = bytes(range(1, 128))
    names = {wire_name(f"windows{page}") for page in range(874, 1259)} | {wire_name(name) for name in OTHERS}
    for name in names - {None}:
        assert name is not None
        assert wire_name(name) == name == name.lower()
        assert wire_name(codec_of(name)) == name
        assert is_legacy(name)
        assert decode(ascii_bytes, declared=name).text == ascii_bytes.decode()
