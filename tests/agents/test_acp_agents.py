"""Real agents behind ``coeditor acp``, with a host of the protocol's own SDK that holds unsaved text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import acp
import pytest
from acp import schema

from tests.agents.play import ROOT, SECONDS, Play, history
from tests.agents.troupe import CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE, Player
from tests.e2e.acp.host import Host
from tests.e2e.agents import Place
from tests.e2e.vscode.install import missing_npm
from tests.fakes.editor import ScriptedEditor

MISSING = missing_npm()
pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(600),
    pytest.mark.skipif(MISSING is not None, reason=MISSING or ""),
]
BEFORE = "def total(prices):\n    return sum(prices)\n"
TYPED = "# Ask the cook.\n"


class Agreeing(Host):
    """A host whose person agrees to everything."""

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **_: Any
    ) -> acp.RequestPermissionResponse:
        chosen = next(one for one in options if one.kind.startswith("allow"))
        return acp.RequestPermissionResponse(
            outcome=schema.AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        )


async def perform(play: Play, host: Host, steps: list[dict[str, Any]], *, is_set_up: bool = False) -> None:
    """One session, one prompt."""
    offered = schema.FileSystemCapabilities(read_text_file=True, write_text_file=True)
    client: Any = host
    async with (
        play.staged({"main": steps}, speaks_acp=True, is_set_up=is_set_up) as words,
        acp.spawn_agent_process(
            client,
            *words,
            env=play.place.environment,
            cwd=ROOT,
            transport_kwargs={"shutdown_timeout": SECONDS, "stderr": None},
        ) as (agent, _),
    ):
        await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(fs=offered),
            client_info=schema.Implementation(name="bench", title="Bench", version="1"),
        )
        begun = await agent.new_session(cwd=str(play.place.folder), mcp_servers=[])
        if play.player is CLAUDE:  # its own choice is a mode that asks a model of its maker's whether it may
            await agent.set_session_mode(session_id=begun.session_id, mode_id="default")
        await agent.prompt(session_id=begun.session_id, prompt=[acp.text_block("<<main>> go")])


@pytest.mark.parametrize("player", [CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE], ids=lambda one: one.name)
async def test_our_tools_work_on_the_hosts_unsaved_text(player: Player, tmp_path: Path) -> None:
    place = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    play = Play(player, place, ScriptedEditor())
    place.write("stock.py", BEFORE)
    path = str(place.folder / "stock.py")
    host = Agreeing(buffers={path: TYPED + BEFORE})
    edit = {"file_path": path, "old_string": "sum(prices)", "new_string": "0"}
    await perform(
        play,
        host,
        [
            {"mark": "read", "tool": player.ours("read"), "args": {"file_path": path}},
            {"mark": "edited", "tool": player.ours("edit"), "args": edit},
            {"say": "done"},
        ],
        is_set_up=player is COPILOT,  # takes no server of ours from its host, and starts its own
    )
    assert "Ask the cook" in play.sent_after("read")
    assert place.text("stock.py") == TYPED + BEFORE.replace("sum(prices)", "0")
    assert ("write", path) in host.asked
    (row,) = await history(play)
    assert row["session"].startswith("acp")


async def test_an_agents_own_file_tools_are_checked_and_recorded(tmp_path: Path) -> None:
    """Gemini CLI reads from the disk, whatever its host has, and changes files by its host.

    Why its host refused it does not tell its model.
    """
    place = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    play = Play(GEMINI, place, ScriptedEditor())
    place.write("stock.py", BEFORE)
    path = str(place.folder / "stock.py")
    host = Agreeing(buffers={path: TYPED + BEFORE})
    assert GEMINI.read is not None
    after = BEFORE.replace("sum(prices)", "0")
    await perform(
        play,
        host,
        [
            {"mark": "read"} | GEMINI.read(path),
            {"mark": "written"} | GEMINI.write(path, after),
            {"mark": "edited"} | GEMINI.edit(path, "sum(prices)", "0"),
            {"say": "done"},
        ],
    )
    assert "def total(prices)" in play.sent_after("read")
    assert "Error writing to file" in play.sent_after("written")
    assert "Ask the cook" in play.sent_after("edited")
    assert place.text("stock.py") == TYPED + after
    (row,) = await history(play)
    assert row["tool"] == "write"
    assert row["session"].startswith("acp")


@pytest.mark.parametrize("player", [CLAUDE, COPILOT, OPENCODE], ids=lambda one: one.name)
async def test_own_edits_that_pass_the_host_by_are_refused_over_its_unsaved_text(
    player: Player, tmp_path: Path
) -> None:
    place = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    play = Play(player, place, ScriptedEditor())
    place.write("stock.py", BEFORE)
    path = str(place.folder / "stock.py")
    host = Agreeing(buffers={path: TYPED + BEFORE})
    assert player.read is not None
    steps = [
        {"mark": "read"} | player.read(path),
        {"mark": "edited"} | player.edit(path, "sum(prices)", "0"),
        {"say": "done"},
    ]
    await perform(play, host, steps, is_set_up=True)
    assert "Ask the cook" in play.sent_after("read")
    assert "unsaved changes" in play.sent_after("edited")
    assert (place.text("stock.py"), host.buffers) == (BEFORE, {path: TYPED + BEFORE})
