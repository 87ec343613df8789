"""Who made a text that was saved: the person, or the formatter that ran while the editor saved."""

from __future__ import annotations

import pytest

from editor_clients.saves import Saved, Saves
from ledger.types import TargetKey, VersionToken

URI, TARGET = "file:///w/a", TargetKey("/w/a")
ONE, TWO = VersionToken("v1"), VersionToken("v2")


@pytest.mark.parametrize(
    ("begun", "changes", "formatted_from"),
    [
        (ONE, 1, ONE),
        (ONE, 0, None),
        (ONE, 2, None),  # somebody may have typed as well
        (TWO, 1, None),  # changed and changed back
        (None, 1, None),  # an editor that does not tell
    ],
)
def test_one_change_in_the_course_of_a_save_is_the_formatters(
    begun: VersionToken | None, changes: int, formatted_from: VersionToken | None
) -> None:
    saves = Saves()
    if begun is not None:
        saves.begin(URI, begun)
    for _ in range(changes):
        saves.changed(URI)
    saves.done(URI, TARGET, TWO)
    assert saves.find(TARGET, TWO) == Saved(TWO, formatted_from)
    assert saves.find(TARGET, ONE) is None


def test_a_save_that_never_came_says_nothing_of_the_next() -> None:
    saves = Saves()
    saves.begin(URI, ONE)
    saves.forget(URI)
    saves.changed(URI)
    saves.done(URI, TARGET, TWO)
    assert saves.find(TARGET, TWO) == Saved(TWO)
