"""Differences between texts: they come back, and never as another text."""

from __future__ import annotations

import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.deltas import deflated, delta, undelta

PIECES = st.lists(
    st.sampled_from([b"", b"a", b"ab\n", b"line of text\n", b"\xff\x00", b"x" * 300]), max_size=30
)


@given(PIECES, PIECES)
def test_it_comes_back(one: list[bytes], other: list[bytes]) -> None:
    base, data = b"".join(one), b"".join(other)
    packed = delta(base, data)
    assert packed is not None
    assert undelta(base, packed) == data


@pytest.mark.parametrize("size", [0, 1, 511, 512, 1023, 1024, 5_000, 32_767, 32_768, 70_000])
@pytest.mark.parametrize("known", [0, 1, 1_000, 32_767, 40_000])
def test_what_is_compressed_comes_back_whatever_its_size(size: int, known: int) -> None:
    line = b"line of text, 12345\n"
    data, base = (line * 4_000)[:size], (line * 4_000)[3 : 3 + known]
    assert zlib.decompress(deflated(data)) == data
    assert len(deflated(data)) < 100 + size // 50
    packed = delta(base, b"<" + data + b">")
    assert (packed is None) is (size > 65_536), "it has too little in common with so short a one"
    assert packed is None or undelta(base, packed) == b"<" + data + b">"


@pytest.mark.parametrize("at", [0, 500_000, 999_990])
def test_one_place_of_a_large_text_takes_little(at: int) -> None:
    base = random.Random(1).randbytes(1_000_000)
    packed = delta(base, base[:at] + b"changed" + base[at + 10 :])
    assert packed is not None
    assert len(packed) < 100
    assert undelta(base, packed) == base[:at] + b"changed" + base[at + 10 :]


def test_large_texts_that_have_nothing_in_common_are_none() -> None:
    chance = random.Random(1)
    assert delta(chance.randbytes(200_000), chance.randbytes(200_000)) is None


@given(st.binary(max_size=40))
def test_damage_is_an_error_or_another_text_and_never_a_crash(packed: bytes) -> None:
    try:
        undelta(b"base text", packed)
    except ValueError:
        return
