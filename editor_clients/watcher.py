"""Tell which files moved on disk, in the folders that matter.

Folders are watched, never files: a file that is replaced by a rename takes its watch with it. What is told are
hints; correctness rests on comparing bytes when something is written.

Never: a call back after `close`, or an exception to whoever asked for a watch.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchfiles import Change

_log = logging.getLogger(__name__)

_STEP_MS = 20
_DEBOUNCE_MS = 60
_ENDS = 5
"""How often in a row a watch that ends with an error, without having told anything, is begun anew."""
_LOOK_MS = 1_000
"""How often folders that came back, or could not be watched, are looked for."""


class FolderWatcher:
    """Watches a set of folders, not what is below them, and calls back with the paths that changed."""

    def __init__(self, on_change: Callable[[frozenset[str]], None]) -> None:
        """``on_change`` runs in the event loop; a folder's own path in it means: look at all of it again.

        A folder is told when its watch begins, too.
        """
        self._on_change = on_change
        self._wanted: frozenset[str] = frozenset()
        self._running: _Watch | None = None
        self._changing: asyncio.Task[None] | None = None
        self._closed = False
        self._anew = False
        self._ends = 0
        self.warning: str | None = None
        """Why some folders are not watched, in a sentence; None when all are."""

    def watch(self, folders: Iterable[str]) -> None:
        """From now on these folders are watched, and only these. Call inside the running event loop."""
        wanted = frozenset(folders)
        if wanted == self._wanted or self._closed:
            return
        self._wanted = wanted
        if self._changing is None or self._changing.done():
            self._changing = asyncio.get_running_loop().create_task(self._change())

    async def settled(self) -> None:
        """Return when what was asked for so far is being watched, as far as it can be."""
        if self._changing is not None:
            await asyncio.wait([self._changing])

    async def close(self) -> None:
        """Stop; no callback comes afterwards."""
        self._closed = True
        await self.settled()
        if self._running is not None:
            await self._running.stop()
            self._running = None

    async def _change(self) -> None:
        """Bring what is watched in line with what is wanted; the new watch stands before the old one goes."""
        while True:
            wanted = self._wanted
            watch = await self._begin(wanted)
            if watch is not None:
                old, self._running = self._running, watch
                # What changed between somebody's look at a file and the start of its watch was not seen.
                self._tell(watch.folders - (old.folders if old is not None else frozenset()))
                if old is not None:
                    await old.stop()
            if wanted == self._wanted and not self._anew:
                return
            self._anew = False

    async def _begin(self, wanted: frozenset[str]) -> _Watch | None:
        """None when it cannot be watched; what was watched before goes on then."""
        there = {folder: mark for folder in wanted if (mark := _mark(folder)) is not None}
        watch = _Watch(there, wanted, self._heard, self._again, self._ended)
        problem = await watch.start()
        if problem is None:
            self.warning = None
            return watch
        self.warning = _explain(problem)
        _log.warning("%s", self.warning)
        return None

    def _heard(self, paths: frozenset[str]) -> None:
        self._ends = 0
        self._tell(paths)

    def _tell(self, paths: frozenset[str]) -> None:
        if not self._closed and paths:
            self._on_change(paths)

    def _again(self, folders: frozenset[str]) -> None:
        """Folders came, went, or were replaced: watch anew, and have them looked at."""
        if self._closed:
            return
        self._tell(folders)
        if self._changing is None or self._changing.done():
            self._changing = asyncio.get_running_loop().create_task(self._change())
        else:
            self._anew = True

    def _ended(self, folders: frozenset[str], error: Exception) -> None:
        """A watch that stood is gone: what it would have told is unknown."""
        self._ends += 1
        if self._ends <= _ENDS:
            self._again(folders)
        else:
            self.warning = _explain(error)
            self._tell(folders)


class _Watch:
    """One running watch over a fixed set of folders."""

    def __init__(
        self,
        there: dict[str, tuple[int, int]],
        wanted: frozenset[str],
        tell: Callable[[frozenset[str]], None],
        again: Callable[[frozenset[str]], None],
        ended: Callable[[frozenset[str], Exception], None],
    ) -> None:
        self._there = there
        self._wanted = wanted
        self._tell = tell
        self._again = again
        self._ended = ended
        self._is_unwanted = False
        loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[Exception | None] = loop.create_future()
        self._stop = _Stop(lambda: loop.call_soon_threadsafe(self._stands))
        self._task: asyncio.Task[None] | None = None

    @property
    def folders(self) -> frozenset[str]:
        """Those that are watched."""
        return frozenset(self._there)

    async def start(self) -> Exception | None:
        """Watch; answers why it cannot."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        return await self._ready

    async def stop(self) -> None:
        self._is_unwanted = True
        self._stop.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    def _stands(self) -> None:
        if not self._ready.done():
            self._ready.set_result(None)

    async def _run(self) -> None:
        try:
            await self._follow()
        except Exception as error:
            if not self._ready.done():
                self._ready.set_result(error)
            elif not self._is_unwanted:
                _log.warning("watching ended: %s", error)
                self._ended(frozenset(self._there), error)

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        thread = ThreadPoolExecutor(1, "watch")  # one of its own: it waits for as long as the watch lives
        try:
            stream = await loop.run_in_executor(thread, self._open)
            while (changes := await loop.run_in_executor(thread, next, stream, None)) is not None:
                self._tell(frozenset(path for _, path in changes))
                self._look()
        finally:
            self._stop.set()
            thread.shutdown(wait=False)

    def _open(self) -> Iterator[set[tuple[Change, str]]]:
        # Importing takes longer than most calls; nobody should wait for it. ``awatch`` takes ten times as long.
        from watchfiles import watch

        logging.getLogger("watchfiles.main").setLevel(logging.WARNING)  # else a line for every write
        return watch(
            *self._there,
            watch_filter=None,
            recursive=False,
            step=_STEP_MS,
            debounce=_DEBOUNCE_MS,
            stop_event=self._stop,
            rust_timeout=_LOOK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
        )

    def _look(self) -> None:
        moved = frozenset(folder for folder in self._wanted if _mark(folder) != self._there.get(folder))
        if moved:
            self._there = {folder: mark for folder in self._wanted if (mark := _mark(folder)) is not None}
            self._again(moved)


class _Stop:
    """Tells the watch to end. That it is asked for the first time tells that the folders are watched."""

    def __init__(self, asked: Callable[[], object]) -> None:
        self._asked: Callable[[], object] | None = asked
        self._set = False

    def set(self) -> None:
        self._set = True

    def is_set(self) -> bool:
        asked, self._asked = self._asked, None
        if asked is not None:
            asked()
        return self._set


def _mark(folder: str) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


def _explain(problem: Exception) -> str:
    text = str(problem)
    if "limit" in text.lower() or (isinstance(problem, OSError) and problem.errno in (24, 28)):
        return (
            "Not all folders are watched, since the system's limit for watches is reached"
            " (fs.inotify.max_user_watches, fs.inotify.max_user_instances). Changes from outside are still found"
            " when a file is edited."
        )
    return (
        f"Not all folders are watched ({text}). Changes from outside are still found when a file is edited."
    )
