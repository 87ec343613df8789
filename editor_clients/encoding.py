"""Bytes to text and back, such that every byte outside a change stays what it was.

Order of the evidence: the editor's own encoding, a byte order mark, strict UTF-8, the declared charset, else
``unknown-8bit``: a view in which high bytes show as U+0080 to U+00FF and only ASCII can be added.

Never: U+FFFD, a guess that gets written, or I/O.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from editor_clients.byte_offsets import ByteOffsets
from editor_clients.charsets import (
    UNKNOWN_8BIT,
    UTF_8,
    UTF_8_BOM,
    WIDE,
    codec_of,
    is_legacy,
    is_multi_byte,
    wire_name,
)
from editor_clients.lines import apply_replacements, count_breaks
from editor_clients.port import Replacement
from editor_clients.replacements import common_prefix, common_suffix
from ledger.errors import Code, CoeditorError

_HIGH_RUN = re.compile("[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, and how its bytes are to be understood."""

    text: str
    """Without byte order mark, with its own line endings."""
    encoding: str
    """Name on the wire."""
    bom: bytes = b""
    """The byte order mark that the file starts with."""


def decode(data: bytes, *, declared: str | None = None, editor: str | None = None) -> Decoded:
    """The text of ``data``.

    ``editor``: encoding of the open document, which wins when the bytes fit it. ``declared``: the charset of
    ``.editorconfig``; UTF-16 and UTF-32 without a byte order mark are only recognised through it.

    Errors: FS_NOT_TEXT for NUL characters, and for UTF-16 or UTF-32 that is cut or malformed.
    """
    known = wire_name(editor) if editor else None
    if known and (found := _try(data, known)) is not None:
        return found
    for encoding, bom in _MARKS:
        if data.startswith(bom):
            return _marked(data, encoding, bom)
    charset = wire_name(declared) if declared else None
    if b"\0" in data:
        if charset is not None and charset in WIDE and (found := _try(data, charset)) is not None:
            return found
        raise CoeditorError(
            Code.FS_NOT_TEXT, "The file is binary: it contains NUL bytes.", data={"reason": "nul"}
        )
    try:
        text = data.decode(UTF_8)
    except UnicodeDecodeError:
        pass
    else:
        # ASCII bytes say nothing for UTF-8; what is added to them goes by the declaration.
        return Decoded(text, charset if is_legacy(charset) and text.isascii() else UTF_8)
    if is_legacy(charset) and (found := _try(data, charset)) is not None:
        return found
    return Decoded(data.decode("latin-1"), UNKNOWN_8BIT)


_MARKS = (
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
    (UTF_8_BOM, codecs.BOM_UTF8),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
)


def encode(text: str, encoding: str, *, bom: bool = True) -> bytes:
    """The bytes of a whole new text.

    UTF-16 and UTF-32 get a byte order mark unless ``bom`` is false; ``utf-8-bom`` always has one.
    Errors: FS_ENCODING when the encoding cannot hold the text, or is ``unknown-8bit`` and it is not ASCII.
    """
    if encoding == UNKNOWN_8BIT:
        _refuse_high(text, 0, partial(_line_of, text))
    mark = codecs.BOM_UTF8 if encoding == UTF_8_BOM else WIDE.get(encoding, b"") if bom else b""
    return mark + _encoded(text, encoding)


def encode_edit(before: bytes, before_text: str, encoding: str, replacements: Sequence[Replacement]) -> bytes:
    """The bytes of a file after ``replacements`` in its text; all other bytes are those of ``before``.

    ``before_text`` and ``encoding`` are what ``decode`` gave for ``before``; replacements are in order and do
    not overlap. Errors: FS_ENCODING when the encoding cannot hold the new text, with ``data.line`` in the text as it
    would be.
    """
    mark = len(_mark_of(before, encoding))
    if encoding == UNKNOWN_8BIT:
        _check_only_ascii_is_added(before_text, replacements)
    if not mark and encoding == UTF_8:
        _check_no_mark_is_made(before_text, replacements)
    offsets = ByteOffsets(before, mark, before_text, encoding)
    pieces: list[bytes | memoryview] = []
    view = memoryview(before)  # its slices are no copies
    done = 0
    for number, one in enumerate(replacements):
        start, end = offsets.at(one.start), offsets.at(one.end)
        if start < done or end < start:
            raise ValueError("replacements overlap, or are not in order")
        where = partial(_line_after, before_text, replacements, number)
        pieces += (view[done:start], _encoded(one.text, encoding, where))
        done = end
    pieces.append(view[done:])
    return b"".join(pieces)


def check_added(before_text: str, encoding: str, replacements: Sequence[Replacement]) -> None:
    """Errors: FS_ENCODING, as of ``encode_edit``, where a replacement's own text could not be in a file alone."""
    for number, one in enumerate(replacements):
        where = partial(_line_after, before_text, replacements, number)
        if encoding == UNKNOWN_8BIT:
            _refuse_high(one.text, 0, where)
        _encoded(one.text, encoding, where)


def _marked(data: bytes, encoding: str, bom: bytes) -> Decoded:
    """Text behind a byte order mark."""
    found = _try(data, encoding)
    if found is not None:
        return found
    if encoding == UTF_8_BOM and b"\0" not in data:
        return Decoded(data[len(bom) :].decode("latin-1"), UNKNOWN_8BIT, bom)
    raise CoeditorError(
        Code.FS_NOT_TEXT,
        f"The file starts like {encoding}, but is not valid in it, or contains NUL characters.",
        data={"reason": "malformed", "encoding": encoding},
    )


def _try(data: bytes, encoding: str) -> Decoded | None:
    """``data`` in this encoding if it is strictly that, and text."""
    bom = _mark_of(data, encoding)
    try:
        text = data[len(bom) :].decode(codec_of(encoding)) if bom else data.decode(codec_of(encoding))
    except UnicodeDecodeError:
        return None
    if "\0" in text or (encoding == UTF_8_BOM and not bom):
        return None
    if encoding == UTF_8 and text.startswith("\ufeff"):
        return None
    return Decoded(text, encoding, bom)


def _mark_of(data: bytes, encoding: str) -> bytes:
    bom = WIDE.get(encoding, codecs.BOM_UTF8 if encoding in (UTF_8_BOM, UNKNOWN_8BIT) else b"")
    return bom if bom and data.startswith(bom) else b""


def _encoded(text: str, encoding: str, where: Callable[[int], int] | None = None) -> bytes:
    """``text`` in this encoding; never anything that reads back as another text. ``where``: the line of an offset."""
    line_of = where or partial(_line_of, text)
    codec = codec_of(encoding)
    try:
        data = text.encode(codec)
    except UnicodeEncodeError as error:
        _refuse(text, encoding, error.start, line_of)
    if is_multi_byte(encoding) and not text.isascii():
        back = data.decode(codec, "replace")
        if back != text:
            _refuse(text, encoding, common_prefix(text, back), line_of)
    return data


def _line_of(text: str, at: int) -> int:
    """The 1-based line of the character at ``at``."""
    return count_breaks(text, 0, at) + 1


def _line_after(before_text: str, replacements: Sequence[Replacement], number: int, at: int) -> int:
    """The line, in the text after ``replacements``, of the offset ``at`` in the new text of one of them."""
    one = replacements[number]
    ahead = apply_replacements(before_text[: one.start], replacements[:number])
    return _line_of(ahead + one.text, len(ahead) + at)


def _refuse(text: str, encoding: str, at: int, where: Callable[[int], int]) -> NoReturn:
    character = text[at : at + 1]
    name = f"U+{ord(character):04X}" if character else "a combination of characters"
    shown = f" ({character})" if character.isprintable() and not "\ud800" <= character <= "\udfff" else ""
    raise CoeditorError(
        Code.FS_ENCODING,
        f"The file is {encoding}, which cannot hold {name}{shown}; nothing was written. "
        "Write it with characters of that encoding, or convert the file first.",
        data={"encoding": encoding, "character": name, "line": where(at)},
    )


def _check_no_mark_is_made(before_text: str, replacements: Sequence[Replacement]) -> None:
    """A text that starts with U+FEFF would be read back as one with a byte order mark."""
    for one in replacements:
        start = one.text or before_text[one.end : one.end + 1]
        if one.start == 0 and start.startswith("\ufeff"):
            _refuse(start, UTF_8, 0, lambda _: 1)


def _check_only_ascii_is_added(before_text: str, replacements: Sequence[Replacement]) -> None:
    """High characters of new text must be runs that the replaced text held: moved, not multiplied."""
    held: Counter[str] = Counter()
    wanted: list[tuple[str, int]] = []
    for one in replacements:
        old = before_text[one.start : one.end]
        start = common_prefix(old, one.text)
        suffix = common_suffix(old, one.text, min(len(old), len(one.text)) - start)
        held.update(_HIGH_RUN.findall(old[start : len(old) - suffix]))
        wanted.append((one.text[start : len(one.text) - suffix], start))
    for number, (text, start) in enumerate(wanted):
        for run in _HIGH_RUN.finditer(text):
            if held[run.group()] <= 0:
                where = partial(_line_after, before_text, replacements, number)
                _refuse_high(run.group(), start + run.start(), where)
            held[run.group()] -= 1


def _refuse_high(text: str, at: int, where: Callable[[int], int]) -> None:
    """``text`` stands at the offset ``at`` of what ``where`` tells the lines of."""
    found = _HIGH_RUN.search(text)
    if found is None:
        return
    raise CoeditorError(
        Code.FS_ENCODING,
        "The encoding of the file is not known, so only ASCII can be added to it; nothing was written. "
        "Declare its charset in .editorconfig, or convert the file first.",
        data={
            "encoding": UNKNOWN_8BIT,
            "character": f"U+{ord(found.group()[0]):04X}",
            "line": where(at + found.start()),
        },
    )
