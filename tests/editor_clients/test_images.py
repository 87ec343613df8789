"""Which bytes are an image, and what its head says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.images import kind_of, size_of
from tests.editor_clients.pictures import gif, jpeg, png, webp

sides = st.integers(1, 16_383)


@pytest.mark.parametrize(
    ("data", "kind", "size"),
    [
        (png(640, 480), "image/png", (640, 480)),
        (jpeg(640, 480), "image/jpeg", (640, 480)),
        (jpeg(3, 70_00, frame=0xC2), "image/jpeg", (3, 7_000)),
        (jpeg(3, 4, frame=0xC8), "image/jpeg", (0, 0)),
        (gif(640, 480), "image/gif", (640, 480)),
        (webp(b"VP8X", 640, 480), "image/webp", (640, 480)),
        (webp(b"VP8L", 640, 480), "image/webp", (640, 480)),
        (webp(b"VP8 ", 640, 480), "image/webp", (640, 480)),
        (webp(b"ALPH", 640, 480), "image/webp", (0, 0)),
        (b"", None, (0, 0)),
        (b"<svg/>", None, (0, 0)),
        (b"RIFF\0\0\0\0WAVEfmt ", None, (0, 0)),
        (b"BM\0\0\0\0", None, (0, 0)),
    ],
)
def test_kind_and_size(data: bytes, kind: str | None, size: tuple[int, int]) -> None:
    assert (kind_of(data), size_of(data)) == (kind, size)


@given(sides, sides)
def test_every_size_is_read_as_it_was_written(width: int, height: int) -> None:
    for data in (png(width, height), jpeg(width, height), gif(width, height), webp(b"VP8L", width, height)):
        assert size_of(data) == (width, height)


@given(
    st.sampled_from([png(9, 9), jpeg(9, 9), gif(9, 9), webp(b"VP8X", 9, 9)]),
    st.integers(0, 60),
    st.binary(max_size=20),
)
def test_a_head_that_is_cut_or_garbled_is_no_error(data: bytes, kept: int, tail: bytes) -> None:
    assert len(size_of(data[:kept] + tail)) == 2
