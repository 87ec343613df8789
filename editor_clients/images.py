"""Images that a model can look at: what kind a file is by its first bytes, and how large the picture is.

Never: decoding a picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from editor_clients.disk import read_bytes, too_large
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError

_NO_SIZE = frozenset({0xC4, 0xC8, 0xCC})
"""JPEG markers among those of frames that open none."""


@dataclass(frozen=True, slots=True)
class Image:
    """One image file."""

    mime_type: str
    width: int
    height: int
    """Pixels; 0 where the file does not tell."""
    data: bytes = field(repr=False)


def read_image(
    walls: Walls, path: str, *, most_bytes: int, longest_side: int, file_limit: int
) -> Image | None:
    """The image at ``path``; None when it is none of the kinds that models take.

    Errors: FS_TOO_LARGE with ``data.limit_name`` ``image_bytes`` or ``image_side`` (a picture that a model cannot
    take would spoil its whole conversation), and those of ``read_bytes``.
    """
    file = read_bytes(walls, path, file_limit)
    mime_type = kind_of(file.data) if file is not None else None
    if file is None or mime_type is None:
        return None
    if len(file.data) > most_bytes:
        raise too_large(path, len(file.data), most_bytes, "image_bytes")
    width, height = size_of(file.data)
    if max(width, height) > longest_side:
        raise CoeditorError(
            Code.FS_TOO_LARGE,
            f"{path} has {width} by {height} pixels; images of up to {longest_side} a side can be shown. Make a "
            "smaller copy and read that.",
            file_path=path,
            data={"limit": longest_side, "limit_name": "image_side"},
        )
    return Image(mime_type, width, height, file.data)


def kind_of(data: bytes) -> str | None:
    """The MIME type, by the signature; None for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height as the file's head tells; zeros where it does not."""
    found = {"image/png": _png, "image/jpeg": _jpeg, "image/gif": _gif, "image/webp": _webp}
    kind = kind_of(data)
    return found[kind](data) if kind is not None else (0, 0)


def _png(data: bytes) -> tuple[int, int]:
    if data[12:16] != b"IHDR" or len(data) < 24:
        return 0, 0
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def _gif(data: bytes) -> tuple[int, int]:
    return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")


def _jpeg(data: bytes) -> tuple[int, int]:
    """From the first frame header; what stands before it is stepped over by its length."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_SIZE:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    form = data[12:16]
    if len(data) < 30:
        return 0, 0
    if form == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if form == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if form == b"VP8 ":
        width, height = (int.from_bytes(data[at : at + 2], "little") & 0x3FFF for at in (26, 28))
        return width, height
    return 0, 0
