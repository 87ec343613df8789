from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.agents.owner import (
    Lock,
    Owner,
    Record,
    announce_start,
    discard_stale,
    editor_returns,
    read_record,
    read_token,
)
from lsp_server.paths import Folder
from tests.lsp_server.agents.harness import SOURCES, Place


@pytest.fixture
def folder(place: Place) -> Folder:
    place.folder.make()
    return place.folder


def record(folder: Folder) -> Record:
    return Record(os.getpid(), "headless", folder.run("socket"), [folder.root], "1.0")


def test_one_owner_at_a_time(folder: Folder) -> None:
    first = Owner.claim(folder, "headless")
    assert first is not None
    assert Owner.claim(folder, "headless") is None
    assert Owner.claim(folder, "editor") is None
    first.release()
    second = Owner.claim(folder, "editor")
    assert second is not None
    assert second.token != first.token
    second.release()


def test_what_an_owner_publishes_is_private_and_gone_with_it(folder: Folder) -> None:
    owner = Owner.claim(folder, "headless")
    assert owner is not None
    owner.publish(record(folder))
    found = read_record(folder)
    assert found is not None
    assert found.to_json() == record(folder).to_json()
    assert read_token(folder) == owner.token
    for name in ("server.json", "token", "owner.lock"):
        assert stat.S_IMODE(Path(folder.run(name)).stat().st_mode) == 0o600
    owner.release()
    owner.release()
    assert read_record(folder) is None
    assert read_token(folder) is None


def test_an_owner_dies_with_its_process(folder: Folder, place: Place) -> None:
    code = (
        "import sys; from lsp_server import paths; from lsp_server.agents.owner import *\n"
        f"folder = paths.folder_of({folder.root!r}); owner = Owner.claim(folder, 'headless')\n"
        "owner.publish(Record(1, 'headless', folder.run('socket'), [folder.root], '1'))\n"
        "print('owned', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=place.env,
        cwd=SOURCES,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"owned\n"
        assert Owner.claim(folder, "headless") is None
        assert not discard_stale(folder)
        assert read_record(folder) is not None
        other.kill()
        other.wait()
    assert discard_stale(folder)
    assert read_record(folder) is None
    mine = Owner.claim(folder, "headless")
    assert mine is not None
    mine.release()


def test_a_waiting_heir_holds_back_headless_servers_only(folder: Folder) -> None:
    heir = Lock.take(folder.run("heir.lock"))
    assert heir is not None
    assert Owner.claim(folder, "headless") is None
    editor = Owner.claim(folder, "editor")
    assert editor is not None
    editor.release()
    heir.release()


@pytest.mark.parametrize("replaced", [False, True])
def test_an_owner_notices_that_its_folder_was_removed(folder: Folder, replaced: bool) -> None:
    owner = Owner.claim(folder, "headless")
    assert owner is not None
    assert owner.holds()
    for each in Path(folder.runtime).iterdir():
        each.unlink()
    Path(folder.runtime).rmdir()
    second = None
    if replaced:
        folder.make()
        second = Owner.claim(folder, "headless")
        assert second is not None
        second.publish(record(folder))
    assert not owner.holds()
    owner.release()  # which leaves the next owner's files alone
    assert (read_record(folder) is not None) is replaced
    if second is not None:
        second.release()


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", '{"pid": 1}', "\udcff", '{"pid": "x", "roots": 1}'],
)
def test_a_discovery_file_that_makes_no_sense_is_none(folder: Folder, text: str) -> None:
    Path(folder.run("server.json")).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert read_record(folder) is None


def test_a_folder_in_the_place_of_the_discovery_file_is_none_and_holds_nothing_open(folder: Folder) -> None:
    Path(folder.run("server.json")).mkdir()
    before = os.open("/", os.O_RDONLY)
    os.close(before)
    assert read_record(folder) is None
    after = os.open("/", os.O_RDONLY)
    os.close(after)
    assert after == before


@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_none(data: bytes) -> None:
    found = Record.from_json(data.decode("latin-1"))
    assert found is None or found.roots


def test_a_link_in_the_place_of_the_discovery_file_is_not_followed(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(record(folder).to_json())
    Path(folder.run("server.json")).symlink_to(tmp_path / "elsewhere")
    assert read_record(folder) is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_discovery_file_of_somebody_else_is_ignored(folder: Folder) -> None:
    path = Path(folder.run("server.json"))
    path.write_text(record(folder).to_json())
    os.chown(path, 65534, 65534)
    assert read_record(folder) is None


@pytest.mark.parametrize(
    ("seconds", "starts", "returns"),
    [(0, False, True), (10, False, False), (10, True, True), (60, True, False)],
    ids=["just lost", "given up", "is starting", "takes too long"],
)
def test_how_long_a_killed_editors_server_is_waited_for(
    folder: Folder, *, seconds: int, starts: bool, returns: bool
) -> None:
    lost = Path(folder.run("editor.lost"))
    lost.write_text("1\n")
    then = time.time() - seconds
    os.utime(lost, (then, then))
    runtime = os.path.dirname(folder.runtime)
    announced = announce_start(runtime) if starts else None
    dead = Path(runtime, "starting-99999999")
    dead.write_text("")
    assert editor_returns(folder) is returns
    if announced is not None:
        os.unlink(announced)
        assert editor_returns(folder) is (seconds < 3)
    assert dead.exists() is (seconds < 3 or seconds > 30)
