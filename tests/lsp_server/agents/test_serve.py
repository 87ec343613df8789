from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from lsp_server import relay
from lsp_server.agents.gate import Gate
from lsp_server.agents.link import NOT_OWNER
from lsp_server.agents.owner import Owner
from lsp_server.serve import Linger, main
from tests.lsp_server.agents.harness import SOURCES, Place, is_running, until
from tests.lsp_server.agents.serving import SERVER, FileService


@dataclass
class Hours:
    """When the last clients of a gate left."""

    started: float = 100.0
    relay_left: float | None = None
    call_left: float | None = None


@pytest.mark.parametrize(
    ("hours", "ends"),
    [
        (Hours(), 120.0),
        (Hours(relay_left=200.0), 203.0),
        (Hours(call_left=200.0), 260.0),
        (Hours(relay_left=200.0, call_left=150.0), 210.0),
        (Hours(relay_left=200.0, call_left=100.0), 203.0),
    ],
)
def test_how_long_a_server_waits_for_the_next_client(hours: Hours, ends: float) -> None:
    assert Linger(unused=20, relay=3, call=60).deadline(cast(Gate, hours)) == ends


def start(place: Place, **env: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*SERVER, "--root", str(place.root)],
        env={**place.env, **env},
        cwd=SOURCES,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_server_told_to_end_leaves_nothing_to_find(place: Place, number: int) -> None:
    with start(place) as server:
        found = until(place.record, "a server")
        assert found.pid == server.pid
        for name in (place.folder.run("server.json"), place.folder.run("token"), found.address):
            assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
        server.send_signal(number)
        assert server.wait(timeout=30) == 0
        assert b"Traceback" not in (server.stderr.read() if server.stderr else b"")
    assert not Path(found.address).exists()
    left = {each.name for each in Path(place.folder.runtime).iterdir()}
    assert left <= {"owner.lock", "heir.lock", "start.lock"}


def test_a_second_server_of_a_folder_ends_at_once(place: Place) -> None:
    with start(place) as server:
        assert place.server_pid() == server.pid
        with start(place) as second:
            assert second.wait(timeout=30) == NOT_OWNER
        assert is_running(server.pid)
        server.terminate()


def test_a_server_whose_service_cannot_be_made_lets_the_folder_go(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in place.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(place.root)

    def build(root: str) -> FileService:
        raise ValueError(root)

    with pytest.raises(ValueError):
        main(["--headless", "--root", str(place.root)], build=build)
    owner = Owner.claim(place.folder, "headless")
    assert owner is not None
    owner.release()


@pytest.mark.parametrize("arguments", [["--nonsense"], ["--root"], ["folder"]])
def test_an_unknown_argument_is_a_usage_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--headless", *arguments]) == 2
    assert arguments[0] in capsys.readouterr().err


def test_a_server_whose_run_time_folder_was_replaced_ends(place: Place) -> None:
    """Else two would own one folder: the watch looks every few seconds."""
    with start(place, LINGER="600") as server:
        place.server_pid()
        began = time.monotonic()
        os.rename(place.folder.runtime, place.folder.runtime + ".away")
        place.folder.make()
        assert server.wait(timeout=30) == 0
        assert time.monotonic() - began < 30
        assert list(Path(place.folder.runtime).iterdir()) == []


def test_starting_a_server_loads_nothing_that_it_may_not_need(place: Place) -> None:
    code = "import sys, lsp_server.serve, lsp_server.app; print(*sorted(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code], env=place.env, cwd=SOURCES, capture_output=True, text=True, check=True
    )
    tops = {name.split(".")[0] for name in ran.stdout.split()}
    assert not tops & {"pygls", "lsprotocol", "mcp", "watchfiles", "rich", "attrs", "cattrs", "pydantic"}


def test_what_a_server_prints_is_kept_and_bounded(place: Place) -> None:
    place.folder.make()
    Path(place.folder.log).write_bytes(b"x" * (2 << 20))
    code = (
        "from lsp_server.agents.link import Caller, Seeker\n"
        "from tests.lsp_server.agents.serving import SERVER\n"
        f"Caller(Seeker({str(place.root)!r}, command=SERVER), 's').close()\n"
    )
    subprocess.run([sys.executable, "-c", code], env=place.env, cwd=SOURCES, check=True)
    assert Path(place.folder.log).stat().st_size < 10_000
    assert Path(place.folder.log + ".1").stat().st_size == 2 << 20
    pid = place.server_pid()
    until(lambda: not is_running(pid), "the idle server's end")


@pytest.mark.parametrize("words", [["--root"], ["--headless", "--root"]])
def test_a_folder_that_is_not_there_is_not_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main([*words, str(tmp_path / "gone")]) == 2
    assert relay.main(["--root", str(tmp_path / "gone")]) == 2
    assert capsys.readouterr().err.count("there is no folder") == 2
