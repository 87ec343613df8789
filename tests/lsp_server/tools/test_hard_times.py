"""Watches that cannot be had or end, a flood of files, and very many writes: what is said stays true."""

from __future__ import annotations

import asyncio
import errno
import random
import threading
from collections.abc import Callable

import pytest
import watchfiles

from tests.lsp_server.tools.conftest import MakeWalk, Walk


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE])
async def test_without_watches_everything_works_and_moved_files_are_found(
    walk: Walk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(number, "no more watches")

    monkeypatch.setattr(watchfiles, "watch", refused)
    for name in ("a/f", "b/f", "c/f"):
        walk.put(name, "1\n")
        await walk.read(name)
    assert (await walk.edit("a/f", "1", "2"))["ok"]
    walk.put("b/f", "1\nmore\n")
    refusal = await walk.edit("b/f", "1", "2")
    assert refusal["code"] == "FS_STALE_VERSION"
    assert "+more" in refusal["data"]["diff"]
    assert (await walk.edit("c/f", "1", "2"))["ok"]
    assert any("fs.inotify.max_user_watches" in record.message for record in caplog.records)


async def test_a_watch_that_ends_begins_anew_and_nothing_is_missed(
    walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    again = threading.Event()
    real: Callable[..., object] = watchfiles.watch

    def ending(*folders: str, **options: object) -> object:
        begun.append(len(folders))
        if len(begun) > 1:
            again.set()
            return real(*folders, **options)
        options["stop_event"].is_set()  # type: ignore[attr-defined]
        return _ended()

    monkeypatch.setattr(watchfiles, "watch", ending)
    walk.put("f", "1\n")
    await walk.read("f")
    for number in range(500):
        walk.put(f"node_modules/{number % 50}/{number}", "x")
    for path in sorted((walk.root / "node_modules").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    walk.put("f", "1\nmore\n")
    refusal = await walk.edit("f", "1", "2")
    assert refusal["code"] == "FS_STALE_VERSION"
    assert (await walk.edit("f", "1", "2"))["ok"]
    assert walk.text("f") == "2\nmore\n"
    assert await asyncio.to_thread(again.wait, 30)


def _ended() -> object:
    raise OSError(errno.EIO, "the watch is gone")
    yield  # a watch that ends as soon as it is followed


async def test_very_many_writes_in_a_row_are_all_there(make_walk: MakeWalk) -> None:
    walk = make_walk({"durability": "fast"})
    chance = random.Random(9)
    wanted: dict[str, bytes] = {}
    for number in range(80):
        name = f"d{number % 7}/{number if number % 5 else number // 2}.txt"
        text = chance.choice(["é", "x", "line\n"]) * chance.randrange(200, 40_000)
        done = await walk.write(name, text)
        assert done["ok"], done
        wanted[name] = text.encode()
    assert walk.there() == wanted


@pytest.mark.parametrize("staleness", ["check-first", "on-miss"])
async def test_what_a_formatter_made_of_a_new_file_afterwards_costs_one_refusal_at_most(
    make_walk: MakeWalk, staleness: str
) -> None:
    """The agent's program runs it once the answer is out, so that no answer could have told."""
    walk = make_walk({"staleness": staleness})
    assert (await walk.write("new.py", "def f():\n\treturn 1\n"))["ok"]
    walk.put("new.py", walk.text("new.py").replace("\t", "    "))
    found = await walk.edit("new.py", "    return 1", "    return 2")
    if staleness == "check-first":
        assert found["code"] == "FS_STALE_VERSION"
        assert "+    return 1" in found["data"]["diff"]
        found = await walk.edit("new.py", "    return 1", "    return 2")
    assert found["ok"], found
    assert walk.text("new.py") == "def f():\n    return 2\n"
