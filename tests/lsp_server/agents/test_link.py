from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ledger.errors import Code, CoeditorError
from lsp_server import paths
from lsp_server.agents import link
from lsp_server.agents.link import Caller, Seeker, find, settle
from lsp_server.agents.owner import Lock, Owner, Record, read_record
from lsp_server.agents.takeover import ask_to_give_way, call_in, take_over
from tests.lsp_server.agents.harness import SOURCES, Place, agents, end_servers, is_running, until
from tests.lsp_server.agents.serving import SERVER


@pytest.fixture
def seeker(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Seeker]:
    """The way to a server of the workspace; this process' own environment leads there too."""
    for name, value in place.env.items():
        monkeypatch.setenv(name, value)
    yield Seeker(str(place.root), env=place.env, command=SERVER)
    end_servers(place)


def publish(place: Place, root: Path, kind: str, pid: int = 1) -> None:
    folder = paths.folder_of(str(root), place.env)
    folder.make()
    record = {"pid": pid, "kind": kind, "address": folder.run("socket"), "roots": [str(root)], "version": "1"}
    Path(folder.run("server.json")).write_text(json.dumps({**record, "protocol": 1}))


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        ({}, []),
        ({"ws": "headless"}, ["ws"]),
        ({"": "headless"}, []),  # further up: its relative paths would mean something else
        ({"": "editor"}, [""]),
        ({"": "editor", "ws": "editor"}, ["ws", ""]),
        ({"": "editor", "ws": "headless"}, ["", "ws"]),
        ({"ws/inner": "editor"}, []),
    ],
)
def test_an_editors_server_goes_before_a_headless_one_and_deep_before_shallow(
    place: Place, published: dict[str, str], expected: list[str]
) -> None:
    base = place.root.parent
    (place.root / "inner").mkdir()
    for name, kind in published.items():
        publish(place, base / name, kind)
    found = [record.roots[0] for _, record in find(str(place.root), place.env)]
    assert found == [str(base / name) for name in expected]


def test_below_a_git_top_level_its_server_is_the_one(place: Place) -> None:
    (place.root / ".git").mkdir()
    inner = place.root / "a" / "b"
    inner.mkdir(parents=True)
    publish(place, place.root, "headless")
    assert [record.roots[0] for _, record in find(str(inner), place.env)] == [str(place.root)]


def test_the_command_line_starts_a_server_and_calls_it(place: Place, seeker: Seeker) -> None:
    caller = Caller(seeker, "shell")
    found = caller.call("read", {"file_path": "a"}, call_id="c", person=True)
    assert (found["call_id"], found["cwd"]) == ("c", str(place.root))
    assert caller.welcome["pid"] == found["pid"] == place.server_pid()
    assert place.noted("asked")["session"] == "shell"
    with pytest.raises(CoeditorError) as caught:
        caller.call("read", {"file_path": "refused"})
    assert (caught.value.code, caught.value.file_path) == (Code.FS_NOT_FOUND, "refused")
    caller.close()
    until(lambda: not is_running(found["pid"]), "the idle server's end")


def test_a_call_whose_server_dies_is_settled_by_the_next(place: Place, seeker: Seeker) -> None:
    caller = Caller(seeker, "shell")
    for tool in ("read", "write"):
        before = place.kill_server()
        assert caller.call(tool, {"file_path": "a"})["pid"] != before
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(caller.call, "write", {"file_path": "x.gate"})
        place.noted("intended", "x.gate")
        place.kill_server()
        with pytest.raises(CoeditorError) as caught:
            written.result()
    assert caught.value.code is Code.FS_UNCONFIRMED
    caller.close()


def test_a_server_of_another_protocol_is_an_error_not_a_second_server(
    place: Place, seeker: Seeker, monkeypatch: pytest.MonkeyPatch
) -> None:
    Caller(seeker, "shell").close()
    monkeypatch.setattr(link, "PROTOCOL", 99)
    with pytest.raises(CoeditorError) as caught:
        Caller(seeker, "shell")
    assert caught.value.code is Code.NO_SERVER


def test_a_refusal_by_a_code_that_is_not_known_here_is_an_error_of_ours(place: Place) -> None:
    place.folder.make()
    Path(place.folder.run("token")).write_text("t")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as file:
                file.readline()
                connection.sendall(b'{"refused": {"code": "OF_TOMORROW", "message": "No."}}\n')

        address = f"127.0.0.1:{listener.getsockname()[1]}"
        record = Record(1, "headless", address, [str(place.root)], "1")
        with ThreadPoolExecutor() as pool:
            refusing = pool.submit(refuse)
            with pytest.raises(CoeditorError, match="No") as caught:
                link.connect(place.folder, record, link.hello("cli", "/", None))
            refusing.result()
    assert caught.value.code is Code.INTERNAL


def test_an_owner_that_does_not_answer_is_waited_for_only_so_long(place: Place, seeker: Seeker) -> None:
    place.folder.make()
    owner = Owner.claim(place.folder, "headless")
    assert owner is not None
    with pytest.raises(CoeditorError) as caught:
        seeker.reach(link.hello("cli", "/", None), patience=0.2)
    assert caught.value.code is Code.NO_SERVER
    owner.release()
    assert place.log() == ""  # none was started beside it


def test_a_server_shares_nothing_with_its_starter(place: Place, seeker: Seeker) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    caller = Caller(seeker, "shell")
    pid = caller.welcome["pid"]
    os.close(writing)
    assert os.read(reading, 1) == b""  # the server does not hold the other end
    os.close(reading)
    assert os.getsid(pid) == pid
    assert Path(f"/proc/{pid}/cwd").readlink() == Path("/")
    assert stat.S_IMODE(Path(place.folder.log).stat().st_mode) == 0o600
    caller.close()


def test_a_workspace_cannot_slip_a_module_under_the_server(place: Place) -> None:
    """The installed command, from a folder with a json.py: it fails on what is missing there, not on that file."""
    (place.root / "json.py").write_text("raise SystemExit('slipped in')\n")
    (place.root / "orjson.py").write_text("raise SystemExit('slipped in')\n")
    code = (
        "from lsp_server.agents.link import Seeker, hello\n"
        f"link = Seeker({str(place.root)!r}).reach(hello('cli', '/', None))\n"
        "print(link.welcome['roots'])\n"
    )
    subprocess.run([sys.executable, "-c", code], env=place.env, cwd=SOURCES, check=False, capture_output=True)
    assert "slipped in" not in place.log()
    end_servers(place)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, Code.FS_CANCELLED),
        ({"state": "refused"}, Code.FS_CANCELLED),
        ({"state": "unknown"}, Code.FS_UNCONFIRMED),
        ({"state": "applied"}, Code.FS_UNCONFIRMED),
        ({"state": "applied", "result": {"ok": True}}, {"ok": True}),
        ({"state": "what is that"}, Code.FS_UNCONFIRMED),
    ],
)
def test_what_the_journal_knows_settles_a_lost_call(
    found: dict[str, object] | None, expected: object
) -> None:
    if isinstance(expected, Code):
        with pytest.raises(CoeditorError) as caught:
            settle(found)
        assert caught.value.code is expected
    else:
        assert settle(found) == expected


async def test_an_editors_server_takes_over_from_a_headless_one(place: Place, seeker: Seeker) -> None:
    """The agent notices nothing: what runs is answered first, what comes later goes to the new owner."""
    with agents(place) as [agent]:
        running = agent.start_call("write", file_path="x.gate")
        first = await asyncio.to_thread(lambda: place.noted("intended")["pid"])
        taking = asyncio.create_task(take_over(place.folder))
        await asyncio.to_thread(
            until, lambda: (place.record() or Record(0, "headless", "", [], "")).pid != first
        )
        later = agent.start_call("write", file_path="later")
        place.open("x.gate")
        assert (await asyncio.to_thread(agent.result, running))["pid"] == first
        owner = await taking
        assert owner is not None
        await asyncio.to_thread(until, lambda: not is_running(first))
        assert all(note["file"] != "later" for note in place.service.notes())
        owner.release()  # no editor in this test: the relay starts a headless one again
        assert (await asyncio.to_thread(agent.result, later))["pid"] != first


async def test_an_editors_server_is_not_driven_out(place: Place, seeker: Seeker) -> None:
    place.folder.make()
    owner = Owner.claim(place.folder, "editor")
    assert owner is not None
    owner.publish(Record(1, "editor", place.folder.run("socket"), [place.folder.root], "1"))
    assert await take_over(place.folder) is None
    heir = Lock.take(place.folder.run("heir.lock"))
    assert heir is not None
    assert await take_over(place.folder, patience=0.1) is None
    heir.release()
    owner.release()


async def test_headless_servers_inside_an_editors_folder_are_called_in(place: Place, seeker: Seeker) -> None:
    Caller(seeker, "shell").close()
    pid = place.server_pid()
    assert await call_in([str(place.root / "elsewhere")]) == 0
    assert is_running(pid)
    assert await call_in([str(place.root.parent)]) == 1
    await asyncio.to_thread(until, lambda: not is_running(pid))


def test_nobody_gives_way_who_is_not_there(place: Place, seeker: Seeker) -> None:
    caller = Caller(seeker, "shell")
    record = read_record(place.folder)
    assert record is not None
    caller.close()
    place.kill_server(signal.SIGKILL)
    assert ask_to_give_way(place.folder, record) is False
