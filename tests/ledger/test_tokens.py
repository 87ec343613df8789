"""The token of a large text is kept at hand for a while, and the texts that are held for it are few."""

from __future__ import annotations

from ledger.types import VersionToken, known_token_of, token_of_utf8


def test_three_texts_that_were_hashed_lately_are_at_hand_and_two_of_the_largest() -> None:
    small = [bytes([letter]) * (1 << 20) for letter in b"abc"]
    assert at_hand(small) == [token_of_utf8(data) for data in small]
    large = [bytes([letter]) * (9 << 20) for letter in b"de"]
    assert at_hand(large) == [token_of_utf8(data) for data in large]
    assert [known_token_of(data) for data in small] == [None, None, None]


def at_hand(texts: list[bytes]) -> list[VersionToken | None]:
    """What is known of ``texts``, in other objects, right after each of them was hashed."""
    for data in texts:
        token_of_utf8(data)
    return [known_token_of(bytes(bytearray(data))) for data in texts]
