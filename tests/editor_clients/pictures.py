"""The smallest images of each kind, made by hand."""

from __future__ import annotations

import struct
import zlib


def png(width: int, height: int, *, extra: bytes = b"") -> bytes:
    """A PNG whose head says so; a real one for 1 by 1."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"tEXt", extra) + chunk(b"IDAT", zlib.compress(b"\0\0"))
    return b"\x89PNG\r\n\x1a\n" + parts + chunk(b"IEND", b"")


def jpeg(width: int, height: int, *, frame: int = 0xC0) -> bytes:
    """The head of a JPEG: two segments, then the frame."""
    first = b"\xff\xe0\x00\x10JFIF\0" + bytes(9)
    table = b"\xff\xc4\x00\x05abc"
    return (
        b"\xff\xd8"
        + first
        + table
        + b"\xff"
        + bytes([frame])
        + struct.pack(">HBHH", 17, 8, height, width)
        + bytes(20)
    )


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def webp(form: bytes, width: int, height: int) -> bytes:
    if form == b"VP8X":
        body = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    elif form == b"VP8L":
        body = b"\x2f" + (width - 1 | (height - 1) << 14).to_bytes(4, "little") + bytes(8)
    else:
        body = b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(4)
    return b"RIFF" + bytes(4) + b"WEBP" + form + struct.pack("<I", len(body)) + body + bytes(8)
