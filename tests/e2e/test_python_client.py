"""The Python clients against real headless servers, and the page's examples of them."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsp_server.client import AsyncCoeditor, Code, Coeditor, CoeditorError, requests
from tests.e2e.agents import Place, killed
from tests.house.readme import section

QUIET = {"side_effects": {"diagnostics": False}}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path, QUIET)
    yield found
    for pid in found.server_pids():
        os.kill(pid, signal.SIGTERM)


def test_it_starts_a_server_reads_edits_and_takes_back(place: Place) -> None:
    path = place.write("a.py", "x = 1\n")
    with Coeditor(place.folder, agent="Ada", environment=place.environment) as ada:
        ada.turn = "t1"
        assert ada.read("a.py")["text"] == "1\tx = 1"
        outcome = ada.edit(path, "x = 1", "x = 2")
        assert outcome["changed_files"][0]["operation"] == "update"
        assert "+x = 2" in ada.diff()["diff"]
        (entry,) = ada.history()["edits"]
        assert (entry.get("agent"), entry.get("turn"), entry["session"]) == ("Ada", "t1", ada.session)
        assert ada.grep("x =", glob="*.py")["matches"][0]["line"] == 1
        assert ada.glob("*.py")["paths"] == [str(path)]
        ada.rewind("t1")
        assert ada.diagnostics()["items"] == []
        assert ada.status()["workspace_folders"] == [str(place.folder)]
    assert place.text("a.py") == "x = 1\n"


def test_errors_have_code_and_data(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    with (
        Coeditor(place.folder, environment=place.environment) as one,
        pytest.raises(CoeditorError, match=r"a\.py") as caught,
    ):
        one.edit("a.py", "x", "y")
    assert caught.value.code is Code.FS_NOT_OBSERVED
    assert caught.value.data


def test_scopes_and_context_events(place: Place) -> None:
    path = place.write("a.py", "x = 1\n")
    with (
        Coeditor(place.folder, session="s", environment=place.environment) as main,
        Coeditor(place.folder, session="s", scope="sub", environment=place.environment) as sub,
    ):
        main.run(requests.read(path), call_id="c1")
        with pytest.raises(CoeditorError, match="read"):
            sub.write(path, "x = 2\n")
        assert main.context_event("contextEvicted", call_ids=["c1"])["forgotten"] == [str(path)]


def test_one_client_serves_several_threads(place: Place) -> None:
    for number in range(8):
        place.write(f"{number}.txt", f"{number}\n")
    found: dict[int, str] = {}
    with Coeditor(place.folder, environment=place.environment) as one:

        def read(number: int) -> None:
            found[number] = one.read(f"{number}.txt")["text"]

        threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {number: f"1\t{number}" for number in range(8)}


def test_a_missing_folder_is_refused(place: Place) -> None:
    with pytest.raises(FileNotFoundError):
        Coeditor(place.folder / "none", environment=place.environment)


async def test_awaited_calls_run_side_by_side(place: Place) -> None:
    for number in range(20):
        place.write(f"{number}.txt", f"{number}\n")
    async with AsyncCoeditor(place.folder, environment=place.environment) as one:
        found = await asyncio.gather(*(one.read(f"{number}.txt") for number in range(20)))
        assert [each["text"] for each in found] == [f"1\t{number}" for number in range(20)]
        edits = [one.edit(f"{number}.txt", f"{number}", "new") for number in range(20)]
        assert all(each["ok"] for each in await asyncio.gather(*edits))
        assert len((await one.history())["edits"]) == 20
        with pytest.raises(CoeditorError) as caught:
            await one.edit("0.txt", "gone", "x")
        assert caught.value.code is Code.FS_NO_MATCH


async def test_it_outlives_its_server(place: Place) -> None:
    place.write("a.txt", "one\n")
    async with AsyncCoeditor(place.folder, environment=place.environment) as one:
        await one.read("a.txt")
        (pid,) = place.server_pids()
        os.kill(pid, signal.SIGKILL)
        await killed(pid)
        assert (await one.history())["edits"] == []
        assert (await one.edit("a.txt", "one", "two"))["ok"]
    assert place.text("a.txt") == "two\n"


def test_the_blocking_one_outlives_its_server(place: Place) -> None:
    place.write("a.txt", "one\n")
    with Coeditor(place.folder, environment=place.environment) as one:
        one.read("a.txt")
        (pid,) = place.server_pids()
        os.kill(pid, signal.SIGKILL)
        asyncio.run(killed(pid))
        assert one.read("a.txt")["unchanged"]


async def test_cancelling_cancels_the_call(place: Place) -> None:
    place.write("a.txt", "one\n")
    async with AsyncCoeditor(place.folder, environment=place.environment) as one:
        call = asyncio.create_task(one.grep("o(n)e"))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await one.read("a.txt"))["text"] == "1\tone"


@pytest.mark.parametrize("number", [0, 1])
def test_the_pages_examples_run(place: Place, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("stock.py", "result = 0\nresult += price\n")
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(place.folder)
    example = re.findall(r"```python\n(.*?)```", section("Python"), re.DOTALL)[number]
    exec(compile(example, "README", "exec"), {})
    assert place.text("stock.py") == "result = 0\nresult += round(price, 2)\n"
