"""What the watcher tells, and what it survives."""

from __future__ import annotations

import asyncio
import os
import resource
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import watchfiles  # loaded before a test takes the descriptors away

from editor_clients.watcher import FolderWatcher

LONG = 30.0


class Listener:
    """Collects what is told, and waits for it."""

    def __init__(self) -> None:
        self.told: set[str] = set()
        self._news = asyncio.Event()

    def __call__(self, paths: frozenset[str]) -> None:
        self.told |= paths
        self._news.set()

    async def hears(self, path: Path) -> None:
        async with asyncio.timeout(LONG):
            while str(path) not in self.told:
                self._news.clear()
                await self._news.wait()
        self.told.clear()


@asynccontextmanager
async def watching(*folders: Path) -> AsyncIterator[tuple[FolderWatcher, Listener]]:
    listener = Listener()
    watcher = FolderWatcher(listener)
    watcher.watch(map(str, folders))
    await watcher.settled()
    listener.told -= {str(folder) for folder in folders if folder.exists()}  # told as their watch began
    try:
        yield watcher, listener
    finally:
        await watcher.close()


def replaced(path: Path) -> None:
    path.with_name("stage").write_text("new")
    path.with_name("stage").rename(path)


@pytest.mark.parametrize(
    "act",
    [lambda path: path.write_text("x"), lambda path: path.unlink(), replaced, lambda path: path.chmod(0o600)],
    ids=["written", "removed", "replaced", "chmod"],
)
async def test_a_change_is_told(tmp_path: Path, act: Callable[[Path], object]) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    async with watching(tmp_path) as (watcher, listener):
        act(path)
        await listener.hears(path)
        assert watcher.warning is None


async def test_a_file_is_still_watched_after_it_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    async with watching(tmp_path) as (_, listener):
        for _turn in range(3):
            replaced(path)
            await listener.hears(path)


async def test_a_folder_is_told_as_its_watch_begins(tmp_path: Path) -> None:
    """Whatever changed before, between somebody's look and the watch, would not be told otherwise."""
    (tmp_path / "two").mkdir()
    listener = Listener()
    watcher = FolderWatcher(listener)
    try:
        watcher.watch([str(tmp_path)])
        await listener.hears(tmp_path)
        watcher.watch([str(tmp_path), str(tmp_path / "two")])
        await listener.hears(tmp_path / "two")
        assert listener.told == set()
    finally:
        await watcher.close()


async def test_folders_come_and_go(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    async with watching(one) as (watcher, listener):
        watcher.watch([str(one), str(two)])
        await watcher.settled()
        (two / "x").touch()
        await listener.hears(two / "x")
        (one / "x").touch()
        await listener.hears(one / "x")
        watcher.watch([str(two)])
        await watcher.settled()
        (one / "y").touch()
        (two / "y").touch()
        await listener.hears(two / "y")
        assert str(one / "y") not in listener.told


async def test_what_is_below_a_folder_is_not_watched(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    async with watching(tmp_path) as (_, listener):
        (tmp_path / "below/x").touch()
        (tmp_path / "y").touch()
        await listener.hears(tmp_path / "y")
        assert str(tmp_path / "below/x") not in listener.told


async def test_a_folder_that_is_made_again_is_told_and_watched(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    async with watching(folder) as (watcher, listener):
        folder.rename(tmp_path / "away")
        folder.mkdir()
        await listener.hears(folder)
        await watcher.settled()
        (folder / "x").touch()
        await listener.hears(folder / "x")


async def test_a_folder_that_is_missing_at_first(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    async with watching(folder) as (watcher, listener):
        folder.mkdir()
        await listener.hears(folder)
        await watcher.settled()
        (folder / "x").touch()
        await listener.hears(folder / "x")


async def test_a_folder_is_watched_by_one_that_had_none(tmp_path: Path) -> None:
    async with watching() as (watcher, listener):
        watcher.watch([str(tmp_path)])
        await watcher.settled()
        (tmp_path / "x").touch()
        await listener.hears(tmp_path / "x")


async def test_running_out_of_descriptors_is_a_warning_and_the_old_watch_goes_on(tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    async with watching(tmp_path) as (watcher, listener):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        free = os.open("/", os.O_RDONLY)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
        try:
            watcher.watch([str(tmp_path), str(tmp_path / "two")])
            await watcher.settled()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert watcher.warning is not None
        (tmp_path / "x").touch()
        await listener.hears(tmp_path / "x")
        watcher.watch([str(tmp_path / "two")])
        await watcher.settled()
        assert watcher.warning is None
        (tmp_path / "two/x").touch()
        await listener.hears(tmp_path / "two/x")


@pytest.mark.parametrize("fails", [1, 100])
async def test_a_watch_that_ends_is_begun_anew_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: int
) -> None:
    """Whatever it missed meanwhile, its folder is to be looked at again."""
    begun: list[tuple[str, ...]] = []
    real = watchfiles.watch

    def ending(*folders: str, **options: Any) -> Iterator[set[tuple[watchfiles.Change, str]]]:
        begun.append(folders)
        if len(begun) > fails:
            return real(*folders, **options)
        options["stop_event"].is_set()
        return _failing()

    monkeypatch.setattr(watchfiles, "watch", ending)
    async with watching(tmp_path) as (watcher, listener):
        async with asyncio.timeout(LONG):
            while len(begun) < 2:  # noqa: ASYNC110 - the watcher begins it by itself
                await asyncio.sleep(0.005)
        if fails == 1:
            await watcher.settled()
            (tmp_path / "x").touch()
            await listener.hears(tmp_path / "x")
            assert watcher.warning is None
            return
        async with asyncio.timeout(LONG):
            while watcher.warning is None:  # noqa: ASYNC110 - the watcher gives up by itself
                await asyncio.sleep(0.005)
        assert str(tmp_path) in listener.told
        assert "still found" in watcher.warning
        assert len(begun) == 6


def _failing() -> Iterator[set[tuple[watchfiles.Change, str]]]:
    raise OSError(5, "the watch is gone")
    yield set()


async def test_nothing_is_told_after_close(tmp_path: Path) -> None:
    async with watching(tmp_path) as (watcher, listener):
        await watcher.close()
        (tmp_path / "x").touch()
        watcher.watch([str(tmp_path)])
        await watcher.settled()
    assert listener.told == set()
