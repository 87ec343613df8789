"""Where the characters of a decoded text stand in the bytes that it was decoded from.

Works where the codec does not round-trip: legacy bytes are walked with the decoder itself, since two byte
sequences may mean one character and encoding would then give other lengths than the file has.

Never: changes of bytes.
"""

from __future__ import annotations

import codecs

from editor_clients.charsets import UTF_8, UTF_8_BOM, WIDE, codec_of, is_multi_byte
from ledger.errors import Code, CoeditorError

_FEED = 1 << 14
"""Bytes given to the decoder at once, before the last stretch is walked byte by byte."""


class ByteOffsets:
    """Byte offsets of rising character offsets in one text."""

    def __init__(self, data: bytes, mark: int, text: str, encoding: str) -> None:
        """``mark`` is the length of the byte order mark; ``text`` is ``data[mark:]`` decoded."""
        self._data = data
        self._text = text
        self._codec = codec_of(encoding)
        self._mark = mark
        self._unit = 0
        """Bytes of every character, 0 where they differ."""
        if encoding in WIDE:
            wide = encoding.startswith("utf-32")
            if wide or len(data) - mark == 2 * len(text):
                self._unit = 4 if wide else 2
        elif text.isascii() or not (encoding in (UTF_8, UTF_8_BOM) or is_multi_byte(encoding)):
            self._unit = 1
        self._decoder = codecs.getincrementaldecoder(self._codec)() if is_multi_byte(encoding) else None
        self._characters = 0
        self._fed = mark

    def at(self, offset: int) -> int:
        """Byte offset of the character at ``offset``, which must not be below the one asked for before.

        Errors: ValueError for an offset outside the text; FS_ENCODING where one byte sequence stands for two
        characters and the offset is between them.
        """
        if not self._characters <= offset <= len(self._text):
            raise ValueError(f"offset {offset} is outside the text, or below the one before")
        if self._unit:
            self._characters = offset
            return self._mark + self._unit * offset
        if self._decoder is None:
            self._fed += len(self._text[self._characters : offset].encode(self._codec))
            self._characters = offset
            return self._fed
        return self._walk(self._decoder, offset)

    def _walk(self, decoder: codecs.IncrementalDecoder, offset: int) -> int:
        # A stretch of n bytes never gives more than n characters, so it is safe to feed the distance.
        while (missing := offset - self._characters) > 0:
            end = self._fed + max(1, min(missing // 2, _FEED))
            got = len(decoder.decode(self._data[self._fed : end]))
            self._fed = end
            self._characters += got
        if self._characters > offset or decoder.getstate()[0]:
            raise CoeditorError(
                Code.FS_ENCODING,
                "The change starts or ends inside one character of the file's encoding; nothing was written.",
                data={"reason": "cuts-character"},
            )
        return self._fed
