"""Names of encodings: whatever editors and ``.editorconfig`` call them, to the one name of our wire.

Only stateless encodings in which ASCII is ASCII are known beside the Unicode ones: in those a byte outside a
change can be left alone. Where the web's standard takes a name for its Windows superset (shift_jis, euc-kr,
gb2312), so do we, as editors do.

Never: bytes, texts, or Python's whole list of codecs (``rot13`` is no encoding of files).
"""

from __future__ import annotations

import codecs
import re
from typing import TypeGuard

UTF_8 = "utf-8"
UTF_8_BOM = "utf-8-bom"
UNKNOWN_8BIT = "unknown-8bit"

WIDE = {
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
"""Encodings of two or four bytes a unit, and their byte order marks."""

_UNICODE = {
    "utf8": UTF_8,
    "utf8bom": UTF_8_BOM,
    "utf8sig": UTF_8_BOM,
    "utf8withbom": UTF_8_BOM,
    "utf16": "utf-16-le",
    "utf16le": "utf-16-le",
    "utf16be": "utf-16-be",
    "ucs2": "utf-16-le",
    "ucs2le": "utf-16-le",
    "ucs2be": "utf-16-be",
    "utf32": "utf-32-le",
    "utf32le": "utf-32-le",
    "utf32be": "utf-32-be",
    "ucs4": "utf-32-le",
    "ucs4le": "utf-32-le",
    "ucs4be": "utf-32-be",
    "unknown8bit": UNKNOWN_8BIT,
}

_SINGLE_BYTE = {
    "us-ascii": "ascii",
    "iso-8859-1": "latin-1",
    **{f"iso-8859-{part}": f"iso8859-{part}" for part in (*range(2, 12), *range(13, 17))},
    **{f"windows-{page}": f"cp{page}" for page in (874, *range(1250, 1259))},
    **{
        f"ibm{page}": f"cp{page}"
        for page in (437, 775, 850, 852, 855, 857, 860, 861, 862, 863, 865, 866, 869)
    },
    "ibm00858": "cp858",
    "cp1125": "cp1125",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "kz-1048": "kz1048",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "tis-620": "tis-620",
}
_MULTI_BYTE = {
    "shift_jis": "cp932",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "gbk": "gbk",
    "gb18030": "gb18030",
    "big5": "cp950",
    "big5-hkscs": "big5hkscs",
}
_CODECS = {**_SINGLE_BYTE, **_MULTI_BYTE}

_OTHER_NAMES = {
    "ascii": "us-ascii",
    "ansix341968": "us-ascii",
    "latin1": "iso-8859-1",
    "88591": "iso-8859-1",
    "iso88598i": "iso-8859-8",
    "latin2": "iso-8859-2",
    "latin9": "iso-8859-15",
    "windows31j": "shift_jis",
    "cp932": "shift_jis",
    "ms932": "shift_jis",
    "mskanji": "shift_jis",
    "sjis": "shift_jis",
    "ujis": "euc-jp",
    "cp949": "euc-kr",
    "uhc": "euc-kr",
    "ms949": "euc-kr",
    "windows949": "euc-kr",
    "ksc56011987": "euc-kr",
    "ksc5601": "euc-kr",
    "gb2312": "gbk",
    "gb231280": "gbk",
    "euccn": "gbk",
    "cp936": "gbk",
    "ms936": "gbk",
    "windows936": "gbk",
    "cp950": "big5",
    "ms950": "big5",
    "euctw": "big5",
    "big5hk": "big5-hkscs",
    "cp951": "big5-hkscs",
    "koi8": "koi8-r",
    "koi8ru": "koi8-u",
    "macroman": "macintosh",
    "mac": "macintosh",
    "maccyrillic": "x-mac-cyrillic",
    "cp858": "ibm00858",
    "ptcp154": "kz-1048",
}


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _names() -> dict[str, str]:
    names = dict(_UNICODE)
    for name in _CODECS:
        names[_key(name)] = name
        for prefix in ("windows-", "ibm"):
            if name.startswith(prefix):
                page = name.removeprefix(prefix).lstrip("0")
                names |= {f"cp{page}": name, f"ibm{page}": name, f"windows{page}": name, page: name}
    return names | _OTHER_NAMES


_NAMES = _names()


def wire_name(name: str) -> str | None:
    """The wire's name of an encoding under any of its usual names; None for one that we do not handle.

    Names without a byte order mean the little one.
    """
    return _NAMES.get(_key(name))


def codec_of(encoding: str) -> str:
    """Python's codec for a name of the wire; ``unknown-8bit`` is looked at as Latin-1.

    Errors: LookupError for a name that ``wire_name`` does not give.
    """
    if encoding in WIDE:
        return encoding
    if encoding in (UTF_8, UTF_8_BOM):
        return UTF_8
    if encoding == UNKNOWN_8BIT:
        return "latin-1"
    return _CODECS[encoding]


def is_multi_byte(encoding: str) -> bool:
    """Whether characters of this legacy encoding differ in their number of bytes."""
    return encoding in _MULTI_BYTE


def is_legacy(encoding: str | None) -> TypeGuard[str]:
    """Whether this is a named encoding that is not one of Unicode's: ASCII is ASCII in all of them."""
    return encoding in _CODECS
