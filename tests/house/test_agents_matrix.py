"""The matrix of agents and clauses is what the opt-in suite plays: no cell can vanish."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.agents import test_agents as suite
from tests.agents.matrix import CLAUSES, NOT_SEEN
from tests.agents.troupe import PLAYERS


def _played_by(test: Any) -> set[str]:
    (marks,) = (one for one in test.pytestmark if one.name == "parametrize")
    return {player.name for player in marks.args[1]}


@pytest.mark.parametrize("clause", CLAUSES)
def test_each_agent_plays_the_clause_or_there_is_a_reason(clause: str) -> None:
    name, sees = CLAUSES[clause]
    test = getattr(suite, name)
    assert sees in inspect.getsource(test)
    unseen = {agent for agent, which in NOT_SEEN if which == clause}
    assert _played_by(test) == {player.name for player in PLAYERS} - unseen


def test_every_reason_is_of_an_agent_and_a_clause_that_there_are() -> None:
    assert {agent for agent, _ in NOT_SEEN} <= {player.name for player in PLAYERS}
    assert {clause for _, clause in NOT_SEEN} <= set(CLAUSES)
    assert set(suite.COMPACTIONS) == _played_by(suite.test_a_compaction_is_heard)
