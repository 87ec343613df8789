"""Misses in a row: counted for each scope and file, and not for ever."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ledger.types import ScopeKey, TargetKey
from lsp_server.streaks import MissStreaks

KEYS = st.tuples(
    st.sampled_from("ab").map(ScopeKey), st.sampled_from(["/x", "/y"]).map(TargetKey), st.booleans()
)


@given(st.lists(KEYS))
def test_a_row_is_what_came_since_it_ended_last(steps: list[tuple[ScopeKey, TargetKey, bool]]) -> None:
    streaks = MissStreaks()
    for number, (scope, target, ends) in enumerate(steps, 1):
        if ends:
            streaks.ended(scope, target)
            continue
        same = [end for one, other, end in steps[:number] if (one, other) == (scope, target)]
        row = same[::-1].index(True) if True in same else len(same)
        assert streaks.missed(scope, target) == row


def test_the_one_missed_longest_ago_is_forgotten_first() -> None:
    streaks = MissStreaks(most=2)
    one, two, three = (TargetKey(name) for name in ("/1", "/2", "/3"))
    scope = ScopeKey("s")
    for target in (one, two, one, three):
        streaks.missed(scope, target)
    assert [streaks.missed(scope, target) for target in (one, two)] == [3, 1]
