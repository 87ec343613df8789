"""`coeditor acp` between a host and an agent of the protocol's own SDK."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.acp.host import Bench, Pair, pair
from tests.e2e.agents import PATIENCE, Place, ended, killed

QUIET = {"side_effects": {"diagnostics": False}}
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    found = Place(tmp_path_factory.mktemp("acp"), QUIET)
    yield found
    for pid in found.server_pids():
        os.kill(pid, signal.SIGTERM)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(place: Place) -> AsyncIterator[Pair]:
    """A host that holds the files, and its agent; each test has a session and a folder of its own."""
    async with pair(place) as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path.resolve() / "ws"
    found.mkdir()
    return found


@pytest_asyncio.fixture(loop_scope="module")
async def bench(shared: Pair, folder: Path) -> Bench:
    shared.host.reset()
    return await shared.begin(folder)


def put(folder: Path, name: str, text: str = "x = 1\n") -> str:
    (folder / name).write_bytes(text.encode())
    return str(folder / name)


def text(path: str) -> str:
    return Path(path).read_bytes().decode()


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": name, "arguments": arguments}


def patch(*lines: str) -> dict[str, Any]:
    return tool("apply_patch", patch="\n".join(("*** Begin Patch", *lines, "*** End Patch")))


async def one_ledger(bench: Bench, folder: Path) -> None:
    path = put(folder, "a.py", "x = 1\ny = 2\n")
    offered, second, refused, whole, written, outcome, again, history = await bench.does(
        {"servers": True},
        {"read": path, "line": 2, "limit": 1},
        {"write": path, "content": "x = 3\n"},
        {"read": path},
        {"write": path, "content": "x = 3\ny = 2\n"},
        tool("edit", file_path=path, old_string="y = 2", new_string="y = 4"),
        {"read": path},
        tool("history"),
    )
    assert (offered["fs"]["readTextFile"], offered["fs"]["writeTextFile"]) == (True, True)
    assert [one["name"] for one in offered["servers"]] == ["coeditor"]
    assert second == "y = 2\n"
    assert refused["data"]["code"] == "FS_PARTIALLY_OBSERVED"
    assert "FS_PARTIALLY_OBSERVED" in refused["message"]
    assert (whole, written) == ("x = 1\ny = 2\n", "written")
    assert outcome["changed_files"][0]["saved"] is True
    assert again == text(path) == "x = 3\ny = 4\n"
    assert [entry["tool"] for entry in history["edits"]] == ["edit", "write"]


async def test_agents_files_and_our_tools_are_one_ledger(bench: Bench, folder: Path) -> None:
    await one_ledger(bench, folder)
    assert [kind for kind, _ in bench.host.asked].count("write") == 2


async def test_the_same_for_a_host_that_has_no_files(place: Place, folder: Path) -> None:
    async with pair(place, files=False) as found:
        await one_ledger(await found.begin(folder), folder)
        assert found.host.asked == []


async def test_the_agents_exit_status_is_its_own(place: Place) -> None:
    command = [sys.executable, "-m", "lsp_server", "acp", "--", sys.executable, "-c", "raise SystemExit(7)"]
    process = await asyncio.create_subprocess_exec(*command, env=place.environment)
    assert await process.wait() == 7


async def test_typing_that_the_agent_did_not_see_is_refused(bench: Bench, folder: Path) -> None:
    path = put(folder, "a.py")
    await bench.does({"read": path})
    bench.host.buffers[path] = "x = 1\n# typed\n"
    over, edit = await bench.does(
        {"write": path, "content": "x = 2\n"},
        tool("edit", file_path=path, old_string="x = 1", new_string="x = 5"),
    )
    assert over["data"]["code"] == "FS_UNSAVED_CHANGES"
    assert "# typed" in over["message"]
    assert edit["ok"] is True  # the refusal showed the typing
    assert bench.host.buffers == {}
    assert text(path) == "x = 5\n# typed\n"


async def test_typing_that_the_agent_read_is_part_of_what_it_changes(bench: Bench, folder: Path) -> None:
    path = put(folder, "a.py")
    bench.host.buffers[path] = "x = 1\n# typed\n"
    found = await bench.does({"read": path}, {"write": path, "content": "x = 2\n# typed\n"})
    assert found == ["x = 1\n# typed\n", "written"]
    assert text(path) == "x = 2\n# typed\n"


async def test_what_would_take_typing_back_is_refused_though_the_host_was_asked_first(
    bench: Bench, folder: Path
) -> None:
    path = put(folder, "a.py", "x = 1\ny = 2\nz = 3\n")
    bench.host.buffers[path] = "# typed\nx = 1\ny = 2\nz = 3\n"
    _, refused, _, written = await bench.does(
        {"read": path},
        {"write": path, "content": "x = 1\ny = 2\nz = 4\n"},
        {"read": path},
        {"write": path, "content": "# typed by hand\nx = 1\ny = 2\nz = 4\n"},
    )
    assert refused["data"]["code"] == "FS_UNSAVED_CHANGES"
    assert "+# typed" in refused["message"]
    assert written == "written"
    assert text(path) == "# typed by hand\nx = 1\ny = 2\nz = 4\n"


async def test_an_agents_hook_sees_the_hosts_texts(bench: Bench, folder: Path, place: Place) -> None:
    path = put(folder, "a.py")
    bench.host.buffers[path] = "# typed\nx = 1\n"
    await bench.does({"read": path})

    async def asked(session: str) -> str:
        payload: dict[str, Any] = {"hook_event_name": "PreToolUse", "session_id": session, "cwd": str(folder)}
        payload |= {"tool_name": "Edit", "tool_use_id": "t1", "permission_mode": "default"}
        payload |= {"tool_input": {"file_path": path, "old_string": "x = 1", "new_string": "x = 2"}}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "lsp_server", "hook"),
            env=place.environment,
            cwd=folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate(json.dumps(payload).encode())
        return out.decode()

    assert "unsaved changes" in await asked(bench.session)
    assert "unsaved changes" not in await asked("another")


async def test_an_agent_that_does_not_end_when_its_host_leaves_is_ended(place: Place) -> None:
    deaf = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "below = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(below.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    command = [sys.executable, "-m", "lsp_server", "acp", "--", sys.executable, "-c", deaf]
    process = await asyncio.create_subprocess_exec(
        *command, env=place.environment, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    below = os.pidfd_open(int(await process.stdout.readline()))
    process.stdin.close()
    process.terminate()  # as a host does that waits no longer
    try:
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 128 + signal.SIGKILL
        await ended(below)
    finally:
        os.close(below)


async def test_line_ends_that_the_host_does_not_show_stay(bench: Bench, folder: Path) -> None:
    path = put(folder, "a.py", "x = 1\r\ny = 2\r\n")
    shown, outcome = await bench.does(
        tool("read", file_path=path),
        tool("edit", file_path=path, old_string="x = 1", new_string="x = 3"),
    )
    assert shown["eol"] == "crlf"
    assert outcome["changed_files"][0]["saved"] is True
    assert text(path) == "x = 3\r\ny = 2\r\n"


@pytest.mark.parametrize(
    "section",
    [("*** Add File: new.py", "+x"), ("*** Delete File: a.py",), ("*** Move File: a.py -> c.py",)],
    ids=["add", "delete", "move"],
)
async def test_a_patch_is_of_updates_only(bench: Bench, folder: Path, section: tuple[str, ...]) -> None:
    one, two = put(folder, "a.py"), put(folder, "b.py")
    update = ("*** Update File: b.py", "@@", "-x = 1", "+x = 2")
    *_, refused, good = await bench.does(
        tool("read", file_path=one), tool("read", file_path=two), patch(*update, *section), patch(*update)
    )
    assert (refused["code"], refused["data"]["reason"]) == ("INVALID_ARGUMENT", "updates_only")
    assert good["ok"] is True
    assert sorted(os.listdir(folder)) == ["a.py", "b.py"]
    assert (text(one), text(two)) == ("x = 1\n", "x = 2\n")


@pytest.mark.parametrize("made", [None, "other"], ids=["refused", "another text"])
async def test_what_was_written_is_put_back_when_a_later_file_fails(
    bench: Bench, folder: Path, made: str | None
) -> None:
    paths = [put(folder, name) for name in ("a.py", "b.py", "c.py")]
    await bench.does(*(tool("read", file_path=path) for path in paths))
    bench.host.saves = lambda path, text: made if path == paths[2] and "x = 2" in text else text
    bench.host.asked.clear()
    lines = [line for path in paths for line in (f"*** Update File: {path}", "@@", "-x = 1", "+x = 2")]
    refused, history = await bench.does(patch(*lines), tool("history"))
    assert refused["code"] == "FS_TRANSACTION_FAILED"
    assert refused["data"]["rolled_back"] is True
    written = [path for kind, path in bench.host.asked if kind == "write"]
    assert written == [*paths, *reversed(paths if made else paths[:2])]
    assert history["edits"] == []
    assert [text(path) for path in paths] == ["x = 1\n"] * 3


async def test_a_formatter_at_the_host_is_told(bench: Bench, folder: Path) -> None:
    path = put(folder, "a.py")
    bench.host.saves = lambda _, text: text.replace("=", " = ")
    _, outcome = await bench.does(
        tool("read", file_path=path), tool("edit", file_path=path, old_string="x = 1", new_string="x=2")
    )
    assert "+x = 2" in outcome["formatted"]
    assert text(path) == "x = 2\n"


async def test_new_files_and_those_that_are_missing(bench: Bench, folder: Path) -> None:
    path = str(folder / "new.py")
    missing, made, outcome = await bench.does(
        {"read": path}, {"write": path, "content": "x\n"}, tool("read", file_path=path)
    )
    assert (missing["code"], missing["data"]["code"]) == (-32002, "FS_NOT_FOUND")
    assert made == "written"
    assert outcome["unchanged"] is True  # its own text
    assert text(path) == "x\n"


async def test_a_folder_by_a_link_is_asked_for_as_the_host_knows_it(
    bench: Bench, shared: Pair, folder: Path
) -> None:
    put(folder, "a.py")
    link = folder.parent / "link"
    link.symlink_to(folder)
    path = str(link / "a.py")
    by_link = await shared.begin(link)
    await by_link.does({"read": path}, {"write": path, "content": "x = 2\n"})
    assert {asked for _, asked in bench.host.asked} == {path}
    assert text(path) == "x = 2\n"


async def test_sessions_are_apart_and_one_that_is_loaded_goes_on(
    bench: Bench, shared: Pair, folder: Path
) -> None:
    path = put(folder, "a.py")
    await bench.does({"read": path})
    other = await shared.begin(folder)
    (refused,) = await other.does({"write": path, "content": "y\n"})
    assert refused["data"]["code"] == "FS_NOT_OBSERVED"
    await bench.agent.load_session(cwd=str(folder), session_id=bench.session, mcp_servers=[])
    assert await bench.does({"write": path, "content": "x = 2\n"}) == ["written"]


async def test_a_server_that_is_killed_costs_nothing(bench: Bench, folder: Path, place: Place) -> None:
    path = put(folder, "a.py")
    *_, status = await bench.does({"read": path}, tool("read", file_path=path), tool("status"))
    await killed(status["server"]["pid"])
    written, outcome = await bench.does(
        {"write": path, "content": "x = 2\n"},
        tool("edit", file_path=path, old_string="x = 2", new_string="x = 3"),
    )
    assert (written, outcome["ok"]) == ("written", True)
    assert ("write", path) in bench.host.asked
    assert text(path) == "x = 3\n"
