"""The whole walk without an editor, through real processes: crashes, other agents, and many at once."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from editor_clients.locks import TargetLocks
from ledger.types import TargetKey
from tests.e2e.agents import PATIENCE, Agent, Place, agent, killed
from tests.e2e.doors import command_line, editor
from tests.editor_clients.pictures import png

QUIET = {"side_effects": {"diagnostics": False}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, QUIET)


async def edited(one: Agent, path: str, old: str, new: str) -> dict[str, Any]:
    return await one.call("edit", file_path=path, old_string=old, new_string=new)


async def test_whoever_waits_for_an_agent_that_died_is_told_at_once(place: Place) -> None:
    async with agent(place) as one, asyncio.timeout(PATIENCE / 2):  # less than a step may take
        waiting = asyncio.create_task(one.heard("nothing"))
        one.process.kill()
        with pytest.raises(ConnectionError, match="closed its output"):
            await waiting
        with pytest.raises(ConnectionError, match="closed its output"):
            await one.call("status")


async def test_typed_and_untyped_elsewhere_is_no_change(place: Place) -> None:
    path = place.write("a.py", "x = 1\n")
    async with agent(place) as one:
        await one.call("read", file_path="a.py")
        path.write_text("x = 12\n")
        path.write_text("x = 1\n")
        assert (await edited(one, "a.py", "x = 1", "x = 2"))["ok"] is True


async def test_other_text_at_equal_size_and_time_is_a_change(place: Place) -> None:
    path = place.write("a.py", "form\n")
    stamp = path.stat()
    async with agent(place) as one:
        await one.call("read", file_path="a.py")
        path.write_text("from\n")
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        refused = await edited(one, "a.py", "form", "farm")
        assert refused["code"] == "FS_STALE_VERSION"
        assert "+from" in refused["data"]["diff"]


async def test_killed_server_two_agents_go_on(place: Place) -> None:
    place.write("kept.py", "a = 1\n")
    moved = place.write("moved.py", "b = 1\n")
    async with agent(place) as one, agent(place) as two:
        for each in (one, two):
            assert (await each.call("read", file_path="kept.py"))["ok"]
            assert (await each.call("read", file_path="moved.py"))["ok"]
        (pid,) = place.server_pids()
        await killed(pid)
        moved.write_text("b = 1\nlate = 1\n")
        assert (await edited(one, "kept.py", "a = 1", "a = 2"))["ok"] is True
        stale = await edited(two, "moved.py", "b = 1", "b = 2")
        assert stale["code"] == "FS_STALE_VERSION"
        assert stale["data"]["moved_by"] == "external"
        # What one changed after the crash, two has not seen.
        stale = await edited(two, "kept.py", "a = 1", "a = 3")
        assert stale["data"]["moved_by"].startswith("session:")
        assert place.server_pids() != [pid]


async def test_calls_in_flight_when_the_server_dies_match_the_bytes(place: Place) -> None:
    """Whatever a lost call is answered, it is what the file says."""
    names = [f"f{number}.txt" for number in range(12)]
    for name in names:
        place.write(name, "old\n" * 20_000)
    async with agent(place) as one:
        for name in names:
            await one.call("read", file_path=name, limit=1)
        (pid,) = place.server_pids()
        calls = [
            asyncio.create_task(
                one.call("edit", file_path=name, old_string="old", new_string="new", replace_all=True)
            )
            for name in names
        ]
        # Somewhere in the middle: some are done, one is at work, others wait.
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        os.kill(pid, signal.SIGKILL)
        answers = await asyncio.gather(*calls)
        for name, answer in zip(names, answers, strict=True):
            text = place.text(name)
            assert text in ("old\n" * 20_000, "new\n" * 20_000)
            if answer["ok"]:
                assert text.startswith("new")
            else:
                assert answer["code"] in ("FS_CANCELLED", "FS_UNCONFIRMED")
                assert answer["code"] != "FS_CANCELLED" or text.startswith("old")
        listed = await one.call("history", limit=100)
        applied = {row["files"][0]["file_path"] for row in listed["edits"] if row["state"] == "applied"}
        changed = {str(place.folder / name) for name in names if place.text(name).startswith("new")}
        assert applied == changed


async def test_the_refusal_names_the_other_session(place: Place) -> None:
    place.write("a.py", "x = 1\ny = 1\n")
    async with agent(place) as one, agent(place) as two:
        await one.call("read", file_path="a.py")
        await two.call("read", file_path="a.py")
        done = await edited(one, "a.py", "x = 1", "x = 2")
        refused = await edited(two, "a.py", "y = 1", "y = 2")
        listed = await one.call("history")
        assert listed["edits"][0]["edit_id"] == done["edit_id"]
        assert refused["data"]["moved_by"] == f"session:{listed['edits'][0]['session']}"
        assert (await edited(two, "a.py", "y = 1", "y = 2"))["ok"] is True


async def test_a_scope_never_profits_from_another_ones_read(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    async with agent(place) as one:
        wish = {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
        await one.call("read", {"session": "s", "scope": "sub"}, file_path="a.py")
        assert (await one.call("edit", {"session": "s"}, **wish))["code"] == "FS_NOT_OBSERVED"
        assert (await one.call("edit", {"session": "s", "scope": "other"}, **wish))[
            "code"
        ] == "FS_NOT_OBSERVED"
        assert (await one.call("edit", {"session": "s", "scope": "sub"}, **wish))["ok"] is True


async def test_a_seen_file_that_moved_is_told_once(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    seen = place.write("b.py", "y = 1\n")
    async with agent(place) as one:
        await one.call("read", file_path="a.py")
        await one.call("read", file_path="b.py")
        told: list[dict[str, Any]] = []
        for attempt in range(200):
            if attempt == 0 or not told:
                seen.write_text(f"y = {attempt + 2}\n")
            answer = await one.call("history")
            told += answer.get("notices", [])
            if told:
                break
        assert told[0]["file_path"] == str(seen)
        assert told[0]["moved_by"] == "external"
        again = [await one.call("history") for _ in range(5)]
        versions = [notice["version"] for answer in again for notice in answer.get("notices", [])]
        assert told[0]["version"] not in versions


async def _counting(one: Agent, name: str, tag: str, times: int) -> int:
    """Add ``times`` lines to a file, each by an edit that may lose races; how many tries it took."""
    tries = 0
    for number in range(times):
        while True:
            tries += 1
            answer = await one.call(
                "edit", file_path=name, old_string="end\n", new_string=f"{tag}.{number}\nend\n"
            )
            if answer["ok"]:
                break
            assert answer["code"] in ("FS_STALE_VERSION", "FS_NOT_OBSERVED"), answer
    return tries


async def test_two_hundred_edits_of_twenty_files_by_ten_agents_on_two_servers(place: Place) -> None:
    """Ten agents, five of them served by the folder above: no lost update, no deadlock."""
    inner = place.folder / "inner"
    (inner / ".git").mkdir(parents=True)
    names = [f"inner/f{number:02}.txt" for number in range(20)]
    for name in names:
        place.write(name, "end\n")
    async with AsyncExitStack() as stack:
        above = [await stack.enter_async_context(agent(place)) for _ in range(5)]
        below = [await stack.enter_async_context(agent(place, cwd=inner)) for _ in range(5)]
        work = []
        for number, one in enumerate(above + below):
            for step in range(10):
                # Every file is edited by agents of both servers.
                name = names[(number * 2 + step * 3) % 20]
                path = str(place.folder / name)
                work.append(_counting(one, path, f"a{number}s{step}", 2))
        await asyncio.gather(*work)
        assert len(set(place.server_pids())) == 2
    lines = [line for name in names for line in place.text(name).splitlines() if line != "end"]
    assert len(lines) == 200
    assert len(set(lines)) == 200


async def test_who_waits_for_one_file_holds_up_no_other(place: Place) -> None:
    """Another process has one file's lock: its edit waits, edits of other files do not."""
    for name in ("held.txt", "free.txt"):
        place.write(name, "x\n")
    async with agent(place) as one, agent(place) as two:
        for name in ("held.txt", "free.txt"):
            await one.call("read", file_path=name)
            await two.call("read", file_path=name)
        locks = TargetLocks(str(place.base / "run" / "coeditor" / "locks"))
        async with locks.hold([TargetKey(str(place.folder / "held.txt"))]):
            waiting = asyncio.create_task(edited(one, "held.txt", "x", "y"))
            assert (await edited(two, "free.txt", "x", "y"))["ok"] is True
            assert (await edited(one, "free.txt", "y", "z"))["code"] == "FS_STALE_VERSION"
            assert place.text("held.txt") == "x\n"
            assert not waiting.done()
        assert (await waiting)["ok"] is True
        assert place.text("held.txt") == "y\n"


async def test_the_same_call_answers_the_same_through_every_door(place: Place) -> None:
    answers: dict[str, list[dict[str, Any]]] = {}
    for door in ("mcp", "command-line", "lsp"):
        (place.base / door).mkdir()
        folder = Place(place.base / door, QUIET)
        folder.write("a.py", "x = 1\ny = 1\n")
        calls: list[tuple[str, dict[str, Any]]] = [
            ("edit", {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}),
            ("read", {"file_path": "a.py"}),
            ("read", {"file_path": "a.py"}),
            ("edit", {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}),
            ("edit", {"file_path": "a.py", "old_string": "nothing like it", "new_string": "z"}),
            ("write", {"file_path": "new/b.py", "content": "b = 1\n"}),
            ("read", {"file_path": "gone.py"}),
            ("read", {"file_path": "a.py", "offset": 0}),
            ("diff", {}),
            ("history", {}),
            ("context_event", {"event": "contextEvicted", "all": True}),
        ]
        if door == "mcp":
            async with agent(folder) as one:
                found = [await one.call(tool, **arguments) for tool, arguments in calls]
        elif door == "lsp":
            async with editor(folder) as connection:
                found = [await connection.call(tool, arguments) for tool, arguments in calls]
        else:
            found = [await command_line(folder, tool, arguments) for tool, arguments in calls]
        answers[door] = [_without_accidents(answer, folder) for answer in found]
    assert answers["command-line"] == answers["mcp"]
    assert answers["lsp"] == answers["mcp"]


def _without_accidents(answer: dict[str, Any], place: Place) -> Any:
    """The answer without what differs from run to run: ids, times, sessions, the folder's name."""
    text = json.dumps(answer).replace(str(place.folder), "WS")
    found = json.loads(text)
    return _scrub(found)


def _scrub(value: Any) -> Any:
    accidents = {"edit_id", "time", "session", "call_id", "agent", "ms", "scope", "authority", "since"}
    if isinstance(value, dict):
        return {name: _scrub(item) for name, item in value.items() if name not in accidents}
    return [_scrub(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("client", "shown"), [("claude-code", True), ("someone-new", True), ("opencode", False)]
)
async def test_an_image_comes_before_models_that_see_images(place: Place, client: str, shown: bool) -> None:
    picture = png(6, 4)
    (place.folder / "a.png").write_bytes(picture)
    async with agent(place, name=client) as one:
        answer = await one.request("tools/call", {"name": "read", "arguments": {"file_path": "a.png"}})
        result = answer["result"]
        assert result["isError"] is not shown
        blocks = [block for block in result["content"] if block["type"] == "image"]
        assert [(block["mimeType"], base64.b64decode(block["data"])) for block in blocks] == (
            [("image/png", picture)] if shown else []
        )
        if not shown:
            assert result["structuredContent"]["code"] == "FS_NOT_TEXT"
