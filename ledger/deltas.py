"""A text as what it has that a similar one has not: equal start and end, and the compressed rest.

Never: a guess. Whoever unpacks one checks that it is what it says it is.
"""

from __future__ import annotations

import struct
import zlib

_HEAD = struct.Struct(">QQ")
"""Bytes that are equal at the start, and at the end."""
_WINDOW = 32_768
"""Bytes that deflate can look back at."""
_FEWEST_BITS = 10
"""Of how far back that is; with fewer, what is compressed comes out larger."""


def delta(base: bytes, data: bytes) -> bytes | None:
    """``data`` for those who have ``base``; None for large ones that have little in common."""
    start = _alike(base, data)
    end = _alike_at_end(base, data, start)
    new = len(data) - start - end
    if new > max(_WINDOW * 2, len(data) // 2):
        return None
    rest = deflated(
        data[start : len(data) - end],
        level=6 if new <= _WINDOW * 2 else 1,
        after=base[start : len(base) - end][-_WINDOW:],
    )
    return _HEAD.pack(start, end) + rest


def deflated(data: bytes, *, level: int = 1, after: bytes = b"") -> bytes:
    """``data`` compressed, for ``zlib.decompress``; ``after``: what whoever unpacks it has already.

    With tables that are as large as it needs: to clear those for 32 KiB takes ten times as long as a short answer.
    """
    bits = min(max((len(after) + len(data)).bit_length(), _FEWEST_BITS), zlib.MAX_WBITS)
    memory = bits - (zlib.MAX_WBITS - zlib.DEF_MEM_LEVEL)
    deflate = zlib.compressobj(level, zlib.DEFLATED, bits, memory, zdict=after)
    return deflate.compress(data) + deflate.flush()


def undelta(base: bytes, packed: bytes) -> bytes:
    """What ``delta`` made ``packed`` of. Errors: ValueError when it was not made for ``base``."""
    try:
        start, end = _HEAD.unpack_from(packed)
        inflate = zlib.decompressobj(zdict=base[start : len(base) - end][-_WINDOW:])
        rest = inflate.decompress(packed[_HEAD.size :]) + inflate.flush()
    except (struct.error, zlib.error) as error:
        raise ValueError("a delta that is damaged, or for another text") from error
    return base[:start] + rest + base[len(base) - end :]


def _alike(one: bytes, other: bytes) -> int:
    """Bytes at the start that are the same in both."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _alike_at_end(one: bytes, other: bytes, taken: int) -> int:
    """Bytes at the end that are the same in both, as far as none of the first ``taken`` are counted."""
    low, high = 0, min(len(one), len(other)) - taken
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low
