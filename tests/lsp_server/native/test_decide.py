"""What an agent's own tool may do, over every combination."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import get_args

import pytest

from editor_clients.port import CurrentText
from ledger.ranges import LineRanges
from ledger.session import ABSENT, UNSEEN, Observation, after_read
from ledger.types import token_of
from lsp_server.native.decide import Act, Step, decide

SAVED = CurrentText("one\n", token_of("one\n"), "disk", "utf-8")
UNSAVED = replace(SAVED, unsaved=True)
DIVERGED = replace(SAVED, unsaved=True, diverged=True)
SEEN = after_read(UNSEEN, SAVED.token, 1, LineRanges.of((1, 1)))
OTHER = after_read(UNSEEN, token_of("another\n"), 1, LineRanges.of((1, 1)))

TABLE: dict[tuple[Act, str], Step] = {
    ("read", "unsaved"): "show",
    ("edit", "unsaved"): "refuse_unsaved",
    ("write", "unsaved"): "refuse_unsaved",
    ("delete", "unsaved"): "refuse_unsaved",
    ("read", "unsaved, saves"): "save",
    ("edit", "unsaved, saves"): "save",
    ("write", "unsaved, saves"): "refuse_unsaved",
    ("delete", "unsaved, saves"): "refuse_unsaved",
    ("read", "diverged"): "show",
    ("edit", "diverged"): "refuse_unsaved",
    ("write", "diverged"): "refuse_unsaved",
    ("delete", "diverged"): "refuse_unsaved",
}


@pytest.mark.parametrize(("act", "seen"), list(product(get_args(Act), (UNSEEN, ABSENT, SEEN, OTHER))))
def test_unsaved_text_by_the_table(act: Act, seen: Observation) -> None:
    assert decide(act, UNSAVED, seen, saves=False) == TABLE[act, "unsaved"]
    assert decide(act, UNSAVED, seen, saves=True) == TABLE[act, "unsaved, saves"]
    for saves in (False, True):
        assert decide(act, DIVERGED, seen, saves=saves) == TABLE[act, "diverged"]


@pytest.mark.parametrize(
    ("act", "seen", "saves"), list(product(get_args(Act), (UNSEEN, ABSENT, SEEN, OTHER), (False, True)))
)
def test_saved_text_is_only_kept_from_overwrites_of_another_text(
    act: Act, seen: Observation, saves: bool
) -> None:
    wanted = "refuse_stale" if act in ("write", "delete") and seen is OTHER else "allow"
    assert decide(act, SAVED, seen, saves=saves) == wanted
    assert decide(act, None, seen, saves=saves) == "allow"
