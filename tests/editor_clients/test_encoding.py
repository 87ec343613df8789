"""Bytes survive: decoding and encoding give them back, and an edit touches only its own span."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from editor_clients.charsets import WIDE, codec_of
from editor_clients.encoding import check_added, decode, encode, encode_edit
from editor_clients.lines import apply_replacements
from editor_clients.port import Replacement
from editor_clients.replacements import replacements_between
from ledger.errors import Code, CoeditorError
from tests.editor_clients.text_strategies import any_texts, texts

T = TypeVar("T")

SAMPLES = {
    "windows-1252": "// preço: 5 €\r\nnaïve “quotes”\n",
    "iso-8859-1": "// preço\r\n",
    "iso-8859-2": "zażółć gęślą jaźń\n",
    "koi8-r": "Съешь ещё\nэтих мягких\r\n",
    "windows-1251": "Съешь ещё\n",
    "gbk": "// 中文注释 ·—\r\nint n=1;\n",
    "gb18030": "中文 ḿ 😀 ｶ\n",
    "shift_jis": "在庫=3\n表示\\n ｶﾅ ①髙～\r\n",
    "euc-jp": "在庫=3\n表示 ｶﾅ\n",
    "euc-kr": "한국어 똠방각하\r\n",
    "big5": "中文許功蓋\n",
    "big5-hkscs": "中文嘅Ê̄x\n",
    "macintosh": "café\r",
    "ibm437": "café ░\n",
}
"""Text that each legacy encoding holds, with the characters that go wrong."""


def refused(code: Code, call: Callable[[], object]) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        call()
    assert caught.value.code == code
    return caught.value


@pytest.mark.parametrize(("encoding", "text"), SAMPLES.items(), ids=SAMPLES.keys())
def test_declared_legacy_text_is_read_and_written(encoding: str, text: str) -> None:
    data = text.encode(codec_of(encoding))
    found = decode(data, declared=encoding)
    assert (found.text, found.encoding) == (text, encoding)
    assert encode(text, encoding) == data


@pytest.mark.parametrize("encoding", SAMPLES)
def test_without_a_declaration_the_bytes_show_as_latin_1(encoding: str) -> None:
    data = SAMPLES[encoding].encode(codec_of(encoding))
    found = decode(data)
    assert (found.text, found.encoding) == (data.decode("latin-1"), "unknown-8bit")


@pytest.mark.parametrize(
    ("data", "declared", "text", "encoding"),
    [
        (b"", None, "", "utf-8"),
        (b"", "gbk", "", "gbk"),
        (b"abc", None, "abc", "utf-8"),
        (b"abc", "latin1", "abc", "iso-8859-1"),
        (b"abc", "utf-8-bom", "abc", "utf-8"),
        (b"abc", "utf-16le", "abc", "utf-8"),
        (b"abcd", "rot13", "abcd", "utf-8"),
        ("é".encode(), "latin1", "é", "utf-8"),
        (b"\xef\xbb\xbfa", None, "a", "utf-8-bom"),
        (b"\xef\xbb\xbf", None, "", "utf-8-bom"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", None, "\ufeffa", "utf-8-bom"),
        (b"a\xef\xbb\xbfb", None, "a\ufeffb", "utf-8"),
        (b"\xef\xbb\xbfa\xff", "latin1", "a\xff", "unknown-8bit"),
        (b"\xff\xfea\0", None, "a", "utf-16-le"),
        (b"\xfe\xff\0a", None, "a", "utf-16-be"),
        (b"\xff\xfe", None, "", "utf-16-le"),
        (b"\xff\xfe\0\0a\0\0\0", None, "a", "utf-32-le"),
        (b"\0\0\xfe\xff\0\0\0a", None, "a", "utf-32-be"),
        (b"a\0b\0", "utf-16le", "ab", "utf-16-le"),
        (b"\0a\0b", "UTF-16BE", "ab", "utf-16-be"),
        (b"x\xff", None, "x\xff", "unknown-8bit"),
        (b"x\x81", "windows-1252", "x\x81", "unknown-8bit"),
        (b"\xed\xa0\x80", None, "\xed\xa0\x80", "unknown-8bit"),
        (b"x\xff", "no-such-charset", "x\xff", "unknown-8bit"),
    ],
)
def test_order_of_the_evidence(data: bytes, declared: str | None, text: str, encoding: str) -> None:
    found = decode(data, declared=declared)
    assert (found.text, found.encoding) == (text, encoding)


@pytest.mark.parametrize(
    ("data", "editor", "text", "encoding"),
    [
        ("é".encode(), "iso88591", "Ã©", "iso-8859-1"),
        (b"\xef\xbb\xbfa", "utf8", "a", "utf-8-bom"),
        (b"\xef\xbb\xbfa", "utf8bom", "a", "utf-8-bom"),
        (b"a", "utf8bom", "a", "utf-8"),
        (b"a\0b\0", "utf16le", "ab", "utf-16-le"),
        (b"\xff", "utf8", "\xff", "unknown-8bit"),
        ("表".encode("cp932"), "shiftjis", "表", "shift_jis"),
    ],
)
def test_the_editor_wins_where_the_bytes_fit(data: bytes, editor: str, text: str, encoding: str) -> None:
    found = decode(data, editor=editor, declared="koi8-u" if encoding == "iso-8859-1" else None)
    assert (found.text, found.encoding) == (text, encoding)


@pytest.mark.parametrize(
    ("data", "declared"),
    [
        (b"a\0b\n", None),
        (b"a\0b\n", "latin1"),
        (b"a\0b", "utf-16le"),
        (b"\xef\xbb\xbfa\0", None),
        (b"\xff\xfea\0\0\0", None),
        (b"\xff\xfea\0b", None),
        (b"\xff\xfe\x00\xd8a\0", None),
        (b"\xff\xfe\x00\xdc", None),
        (b"\xff\xfea", None),
        (b"\xff\xfe\0\0a\0\0", None),
        (b"\0\0\xfe\xff\0\x11\0\0", None),
        (b"\0\0\xfe\xff\0\0\0\0", None),
        (b"\xd8\0\0a", "utf-16-be"),
    ],
)
def test_what_is_not_text(data: bytes, declared: str | None) -> None:
    refused(Code.FS_NOT_TEXT, lambda: decode(data, declared=declared))


def _before(data: bytes, encoding: str | None) -> tuple[str, str]:
    found = _unless(Code.FS_NOT_TEXT, lambda: decode(data, declared=encoding))
    assume(found is not None)
    assert found is not None
    return found.text, found.encoding


def _unless(code: Code, call: Callable[[], T]) -> T | None:
    """What the call gives; None when it is refused with that code."""
    try:
        return call()
    except CoeditorError as error:
        if error.code != code:
            raise
        return None


any_encoding = st.sampled_from([None, *SAMPLES, "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
marks = st.sampled_from([b"", *WIDE.values(), codecs.BOM_UTF8])
any_bytes = st.tuples(marks, st.binary(max_size=40)).map(b"".join)


@settings(max_examples=300)
@given(any_bytes, any_encoding)
def test_any_bytes_are_refused_or_come_back(data: bytes, declared: str | None) -> None:
    text, encoding = _before(data, declared)
    assert encode_edit(data, text, encoding, ()) == data
    nothing = [Replacement(at, at, "") for at in range(len(text) + 1)]
    whole = [Replacement(at, at + 1, character) for at, character in enumerate(text)]
    untouched = _unless(Code.FS_ENCODING, lambda: encode_edit(data, text, encoding, nothing))
    rewritten = _unless(Code.FS_ENCODING, lambda: encode_edit(data, text, encoding, whole))
    # One byte sequence of a legacy encoding may be two characters; some characters cannot be written back.
    assert untouched == data or (untouched is None and encoding == "big5-hkscs")
    if rewritten is None:
        assert encoding in SAMPLES
    else:
        assert decode(rewritten, declared=declared).text == text


@settings(max_examples=300)
@given(any_bytes, any_encoding, st.data())
def test_bytes_outside_the_spans_are_identical(
    data: bytes, declared: str | None, draw: st.DataObject
) -> None:
    text, encoding = _before(data, declared)
    start = draw.draw(st.integers(0, len(text)))
    end = draw.draw(st.integers(start, len(text)))
    try:
        after = encode_edit(data, text, encoding, [Replacement(start, end, "<>")])
    except CoeditorError:
        assert encoding == "big5-hkscs"
        return
    put = "<>".encode(codec_of(encoding))
    mark = len(decode(data, declared=declared).bom)
    assert any(
        after[:i] + data[j:] == data[:i] + after[i + len(put) :]
        and after[i : i + len(put)] == put
        and _strictly(data[mark:i], encoding) == text[:start]
        and _strictly(data[j:], encoding) == text[end:]
        for i in range(mark, len(data) + 1)
        for j in [len(data) - (len(after) - i - len(put))]
    )


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(codec_of(encoding))
    except UnicodeDecodeError:
        return None


@pytest.mark.parametrize("encoding", [*SAMPLES, "utf-8", "utf-8-bom", *WIDE])
@settings(max_examples=40)
@given(data=st.data())
def test_edits_of_valid_text_read_back_as_the_text_after(encoding: str, data: st.DataObject) -> None:
    alphabet = st.sampled_from(SAMPLES.get(encoding, "aé棚😀\u2028\n\r\f") + "ab \n\r=")
    before = data.draw(st.lists(alphabet, max_size=30).map("".join))
    after = data.draw(st.lists(alphabet, max_size=30).map("".join))
    bytes_before = _unless(Code.FS_ENCODING, lambda: encode(before, encoding))
    expected = _unless(Code.FS_ENCODING, lambda: encode(after, encoding))
    if bytes_before is None or expected is None:
        assert encoding == "big5-hkscs"  # has no combining macron by itself
        return
    made = replacements_between(before, after)
    edited = _unless(Code.FS_ENCODING, lambda: encode_edit(bytes_before, before, encoding, made))
    if edited is None:
        assert encoding == "big5-hkscs"
        return
    assert edited == expected
    again = decode(edited, declared=encoding, editor=encoding)
    assert (again.text, again.encoding) == (after, encoding)


@given(any_texts, st.booleans(), st.sampled_from(["utf-8", "utf-8-bom", *WIDE]))
def test_unicode_round_trip(text: str, bom: bool, encoding: str) -> None:
    assume("\0" not in text and not text.startswith("\ufeff"))
    data = encode(text, encoding, bom=bom)
    if encoding in WIDE:
        assert data.startswith(WIDE[encoding]) == (bom or text.startswith("\ufeff"))
    found = decode(data, declared=encoding, editor=encoding)
    assert found.text == text
    assert found.encoding == encoding


@given(texts.filter(lambda t: not t.startswith("\ufeff")), st.sampled_from(sorted(WIDE)), st.booleans())
def test_an_edit_keeps_the_mark_or_its_absence(text: str, encoding: str, bom: bool) -> None:
    before = encode(text, encoding, bom=bom)
    edited = encode_edit(before, text, encoding, [Replacement(0, 0, "x")])
    assert edited == encode("x" + text, encoding, bom=bom)


def test_an_edit_keeps_a_mark_before_bytes_that_are_not_utf_8() -> None:
    data = b"\xef\xbb\xbfimport a \xff\n"
    found = decode(data)
    assert (found.text, found.bom) == ("import a \xff\n", codecs.BOM_UTF8)
    made = [Replacement(7, 8, "b")]
    assert encode_edit(data, found.text, found.encoding, made) == b"\xef\xbb\xbfimport b \xff\n"


def test_two_spellings_of_one_character_stay_as_they_are() -> None:
    data = b"\xed\x40=1\r\n\x87\x90\x81\xe0=2\n\xfa\x5c"
    found = decode(data, declared="shift_jis")
    assert found.text == "纊=1\r\n≒≒=2\n纊"
    assert encode(found.text, found.encoding) != data
    made = [Replacement(2, 3, "9"), Replacement(8, 9, "表")]
    assert encode_edit(data, found.text, found.encoding, made) == (
        b"\xed\x40=9\r\n\x87\x90\x81\xe0=\x95\x5c\n\xfa\x5c"
    )


def test_a_long_legacy_text_is_found_by_its_characters() -> None:
    text = "在庫 a①\n" * 20_000
    data = text.encode("cp932")
    offsets = [3, 60_001, 60_002, 119_998]
    made = [Replacement(at, at + 1, "x") for at in offsets]
    assert encode_edit(data, text, "shift_jis", made) == apply_replacements(text, made).encode("cp932")


@pytest.mark.parametrize(
    ("encoding", "text", "character"),
    [
        ("iso-8859-1", "a 棚", "U+68DA"),
        ("windows-1252", "\x81", "U+0081"),
        ("us-ascii", "é", "U+00E9"),
        ("shift_jis", "a\nb é", "U+00E9"),
        ("euc-jp", "¥", "U+00A5"),
        ("gbk", "😀", "U+1F600"),
        ("utf-8", "\ud83d", "U+D83D"),
        ("utf-16-le", "a\udc00", "U+DC00"),
        ("unknown-8bit", "aé", "U+00E9"),
    ],
)
def test_what_an_encoding_cannot_hold_is_refused(encoding: str, text: str, character: str) -> None:
    before = encode("x\n", encoding)
    for call in (
        lambda: encode(text, encoding),
        lambda: encode_edit(before, "x\n", encoding, [Replacement(1, 1, text)]),
    ):
        error = refused(Code.FS_ENCODING, call)
        assert error.data["character"] == character
        assert error.data["encoding"] == encoding
        assert error.data["line"] == text.count("\n") + 1
        error.message.encode()


@pytest.mark.parametrize(
    ("encoding", "before", "replacements", "line"),
    [
        ("iso-8859-1", "a\nb\nc\n", [Replacement(4, 5, "\u2014")], 3),
        ("iso-8859-1", "a\nb\nc\n", [Replacement(0, 1, "x\ny\r\nz"), Replacement(4, 5, "q\r\u2014")], 6),
        ("shift_jis", "a\rb\rc\r", [Replacement(0, 2, ""), Replacement(4, 5, "\u2014\xe9")], 2),
        ("unknown-8bit", "a\xe9\nb\nc\n", [Replacement(3, 4, "b\nb"), Replacement(5, 6, "c\n\xe9")], 5),
    ],
)
def test_a_refusal_names_the_line_in_the_text_as_it_would_be(
    encoding: str, before: str, replacements: list[Replacement], line: int
) -> None:
    data = before.encode("latin-1")
    for call in (
        lambda: encode_edit(data, before, encoding, replacements),
        lambda: check_added(before, encoding, replacements),
    ):
        assert refused(Code.FS_ENCODING, call).data["line"] == line


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"k=\xbf\xb4 1\n", "k=\xbf\xb4 2\n"),
        (b"\xbf\xb4 a \xe6\n", "b \xe6 \xbf\xb4\n"),
        (b"\xbf\xb4\xe6", "\xbf\xb4"),
        (b"\xbf\xb4\xe6", ""),
        (b"abc \xbf", "ABC \xbf!"),
        (b"\xbf=1 \xe6=2", "\xbf=3 \xe6=4"),
    ],
)
def test_unknown_bytes_may_stay_move_and_go(old: bytes, new: str) -> None:
    text = old.decode("latin-1")
    made = [Replacement(0, len(text), new)]
    assert encode_edit(old, text, "unknown-8bit", made) == new.encode("latin-1")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"k=\xbf", "k=\xbf \xb4"),
        (b"\xbf 1", "\xbf 2 \xbf 3"),
        (b"\xbf\xb4", "\xb4\xbf"),
        (b"abc", "é"),
        (b"abc \xbf", "棚 \xbf"),
        (b"a \xbf\xb4", "\xbf b"),
    ],
)
def test_unknown_bytes_are_never_added(old: bytes, new: str) -> None:
    text = old.decode("latin-1")
    made = [Replacement(0, len(text), new)]
    error = refused(Code.FS_ENCODING, lambda: encode_edit(old, text, "unknown-8bit", made))
    assert ".editorconfig" in error.message


@pytest.mark.parametrize(("start", "end", "put"), [(0, 0, "\ufeff"), (0, 1, "\ufeffb"), (0, 1, "")])
def test_no_byte_order_mark_is_made_by_an_edit(start: int, end: int, put: str) -> None:
    text = "a\ufeffb"
    refused(
        Code.FS_ENCODING, lambda: encode_edit(text.encode(), text, "utf-8", [Replacement(start, end, put)])
    )


def test_two_characters_of_one_byte_sequence_are_not_cut() -> None:
    data = b"\x88\x62x"
    text = decode(data, declared="big5-hkscs").text
    assert text == "Ê\u0304x"
    refused(Code.FS_ENCODING, lambda: encode_edit(data, text, "big5-hkscs", [Replacement(1, 1, "a")]))
    assert encode_edit(data, text, "big5-hkscs", [Replacement(2, 3, "y")]) == b"\x88\x62y"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "gbk", "koi8-r", "unknown-8bit"])
@pytest.mark.parametrize(
    "wrong",
    [
        [Replacement(2, 1, "")],
        [Replacement(0, 9, "")],
        [Replacement(0, 2, ""), Replacement(1, 2, "")],
        [Replacement(2, 3, ""), Replacement(0, 1, "")],
    ],
)
def test_replacements_out_of_order_are_our_mistake(encoding: str, wrong: list[Replacement]) -> None:
    before = encode("abc", encoding)
    with pytest.raises(ValueError, match=r"order|offset"):
        encode_edit(before, "abc", encoding, wrong)
