"""Real agents, unmodified, over a person's unsaved typing: ``pytest -m agents -n0 tests/agents``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.agents.play import Play, history, stage
from tests.agents.troupe import CLAUDE, CODEX, COPILOT, OPENCODE, PLAYERS, Player
from tests.e2e.vscode.install import missing_npm

MISSING = missing_npm()
pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(600),
    pytest.mark.skipif(MISSING is not None, reason=MISSING or ""),
]

BEFORE = '"""Numbers."""\n\n\ndef total(prices):\n    return sum(prices)\n'
TYPED = "# Ask the cook.\n"
players = pytest.mark.parametrize("player", PLAYERS, ids=lambda one: one.name)


def ours(player: Player, mark: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"mark": mark, "tool": player.ours(tool), "args": arguments}


@players
async def test_our_tools_are_found_refuse_over_typing_and_tell_new_problems(
    player: Player, tmp_path: Path
) -> None:
    async with stage(player, tmp_path) as play:
        path = play.place.write("stock.py", BEFORE)
        document = play.editor.open(path)
        play.cues["type"] = lambda: play.editor.type(document, 0, TYPED)
        name = str(path)
        edit = {
            "file_path": name,
            "old_string": "return sum(prices)",
            "new_string": "return sum(prices, digits)",
        }
        steps = [
            ours(player, "read", "read", file_path=name),
            {"cue": "type"} | ours(player, "refused", "edit", **edit),
            ours(player, "again", "read", file_path=name, refresh=True),
            ours(player, "edited", "edit", **edit),
            {"say": "done"},
        ]
        await play.run({"main": steps})
        assert "def total(prices)" in play.sent_after("read")
        refused = play.sent_after("refused")
        assert "unsaved" in refused
        assert "Ask the cook" in refused
        assert "Ask the cook" in play.sent_after("again")
        assert "Undefined name `digits`" in play.sent_after("edited")
        assert document.text == TYPED + BEFORE.replace("(prices)\n", "(prices, digits)\n").replace(
            "def total(prices, digits)", "def total(prices)"
        )
        assert path.read_text() == BEFORE


@players
async def test_native_tools_are_guarded_by_the_hook(player: Player, tmp_path: Path) -> None:
    async with stage(player, tmp_path) as play:
        path, calm = play.place.write("stock.py", BEFORE), play.place.write("calm.txt", "one\ntwo\n")
        document = play.editor.open(path)
        play.cues["type"] = lambda: play.editor.type(document, 0, TYPED)
        name = str(path)
        steps: list[dict[str, Any]] = []
        if player.read is not None:
            steps += [player.read(name), player.read(str(calm))]
        steps += [
            {"cue": "type", "mark": "edited"} | player.edit(name, "    return sum(prices)", "    return 0"),
            {"mark": "written"} | player.write(name, "gone\n"),
            {"mark": "calm"} | player.edit(str(calm), "two", "2"),
        ]
        if player.read is not None:
            steps.append({"mark": "seen"} | player.read(name))
        await play.run({"main": [*steps, {"say": "done"}]})
        for mark in ("edited", "written"):
            told = play.sent_after(mark)
            assert "Coeditor: " in told, told[-2000:]
            assert "unsaved changes" in told
        assert (document.text, path.read_text()) == (TYPED + BEFORE, BEFORE)
        assert calm.read_text() == "one\n2\n"
        if player.read is not None:
            assert "Ask the cook" in play.sent_after("seen")
        rows = await history(play)
        assert [Path(row["files"][0]["file_path"]).name for row in rows] == ["calm.txt"]


@pytest.mark.parametrize("player", [CLAUDE, CODEX, COPILOT, OPENCODE], ids=lambda one: one.name)
async def test_a_sub_agent_is_told_apart(player: Player, tmp_path: Path) -> None:
    assert player.sub_agent is not None
    async with stage(player, tmp_path) as play:
        first, second = play.place.write("first.txt", "1\n"), play.place.write("second.txt", "2\n")
        main = [
            ours(player, "own", "read", file_path=str(first)),
            player.sub_agent("<<sub>> look"),
            # Codex does not wait for its sub-agents by itself.
            {"cue": "wait"} | ours(player, "other", "status"),
            ours(player, "edited", "edit", file_path=str(second), old_string="2", new_string="two"),
            {"say": "done"},
        ]
        sub = [
            ours(player, "sub", "edit", file_path=str(first), old_string="1", new_string="one"),
            ours(player, "subread", "read", file_path=str(second)),
            {"cue": "over", "say": "seen"},
        ]
        over = asyncio.Event()
        play.cues |= {"wait": over.wait, "over": over.set}
        await play.run({"main": main, "sub": sub})
        marks = [one["step"].get("mark") for one in play.requests]
        assert {"sub", "subread"} <= set(marks), (marks, play.said[-3000:])
        assert "not read" in _result_of(play, "sub")
        assert "not read" in play.sent_after("edited")


def _result_of(play: Play, mark: str) -> str:
    """What the sub-agent's model was sent after its step, whatever its parent did in between."""
    numbers = [number for number, one in enumerate(play.requests) if one["step"].get("mark") == mark]
    later = [one for one in play.requests[numbers[0] + 1 :] if one["step"].get("mark") == "subread"]
    return json.dumps(later[0]["body"])


COMPACTIONS: Mapping[str, Mapping[str, Any]] = {
    "claude": {"prompts": ["<<main>> go", "/compact", "<<main>> go on"]},
    "codex": {"window": 8_000},
    "opencode": {"window": 30_000},
}
"""By agent: what makes it compact, by its person's word or as its window is full."""


@pytest.mark.parametrize("player", [CLAUDE, CODEX, OPENCODE], ids=lambda one: one.name)
async def test_a_compaction_is_heard(player: Player, tmp_path: Path) -> None:
    options = COMPACTIONS[player.name]
    async with stage(player, tmp_path) as play:
        path = play.place.write("a.txt", "one\ntwo\n")
        read = ours(player, "read", "read", file_path=str(path))
        edit = ours(player, "edited", "edit", file_path=str(path), old_string="two", new_string="2")
        window = options.get("window")
        first = [{**read, "tokens": window * 9 // 10}] if window else [read, {"say": "first"}]
        await play.run({"main": [*first, edit, {"say": "done"}]}, **options)
        assert "not read" in play.sent_after("edited")
        assert path.read_text() == "one\ntwo\n"
