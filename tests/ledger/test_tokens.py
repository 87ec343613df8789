"""The token of a large text is kept at hand for a while, and the texts that are held for it are few."""

from __future__ import annotations

from ledger.types import known_token_of, token_of_utf8


def test_texts_that_were_hashed_lately_are_at_hand_and_take_16_mib_in_all() -> None:
    small = [bytes([letter]) * (1 << 20) for letter in b"ab"]
    for data in small:
        token_of_utf8(data)
    assert [known_token_of(bytes(bytearray(data))) for data in small] == [
        token_of_utf8(data) for data in small
    ]
    large = [bytes([letter]) * (9 << 20) for letter in b"cd"]
    for data in large:
        token_of_utf8(data)
    held = [known_token_of(bytes(bytearray(data))) for data in (*small, *large)]
    assert held == [None, None, None, token_of_utf8(large[1])]
