"""Every error says what to do next."""

from __future__ import annotations

import pytest

from ledger.errors import Code
from lsp_server.wire.remedies import REMEDIES, remedy_of, sentence_of


@pytest.mark.parametrize("code", list(Code))
def test_every_code_has_a_remedy(code: Code) -> None:
    assert REMEDIES[code].endswith(".")
    assert remedy_of({"code": str(code)}) == REMEDIES[code]


def test_the_reason_of_a_miss_has_a_remedy_of_its_own() -> None:
    plain = remedy_of({"code": "FS_NO_MATCH", "data": {"reason": "miscopied"}})
    assert plain == REMEDIES[Code.FS_NO_MATCH]
    for reason in ("already_applied", "own_output", "not_read", "stale"):
        assert remedy_of({"code": "FS_NO_MATCH", "data": {"reason": reason}}) != plain


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("The disk is full.", "The disk is full. " + REMEDIES[Code.FS_IO]),
        ("The disk is full", "The disk is full. " + REMEDIES[Code.FS_IO]),
        ("The disk is full. Free some space.", "The disk is full. Free some space."),
        ("The disk is full; free some space.", "The disk is full; free some space."),
    ],
)
def test_a_message_without_a_remedy_gets_one(message: str, shown: str) -> None:
    assert sentence_of({"code": "FS_IO", "message": message}) == shown


def test_a_foreign_code_has_no_remedy() -> None:
    assert sentence_of({"code": "ELSEWHERE", "message": "Odd."}) == "Odd."
