"""The ``glob`` and ``grep`` tools: the workspace as the person sees it, without what git ignores.

Files are listed, filtered and decoded here; a search engine only says which lines fit. So the answer is the
same whichever engine there is, and holds what an editor has not saved yet.

Never: a partial answer of a call that was cancelled or ran out of time, or a trace of one in the ledger.
"""

from __future__ import annotations

import asyncio
import heapq
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from editor_clients.lines import folded
from editor_clients.port import CurrentText
from editor_clients.search_engine import Query, SearchEngine, find_engine
from editor_clients.search_globs import path_filter
from editor_clients.search_walk import Walk, is_binary
from ledger.errors import Code, CoeditorError
from ledger.ranges import LineRanges
from ledger.types import TargetKey
from lsp_server.service import CallContext
from lsp_server.targets import is_within
from lsp_server.tools.search_rows import Rows
from lsp_server.workspace import Workspace

_FIRST_BATCH, _LAST_BATCH = 500, 16_000
"""Files that are looked through before anything else is listed."""
_TOGETHER, _TOGETHER_JOINED = 48, 8
_TOGETHER_CHARS = 8 << 20
"""Texts (fewer where hits in adjoining lines are one), and their characters, that an engine is handed at a time."""
_NAMED = 5
"""Files and folders left out that a warning names."""


async def glob(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """Paths that fit ``pattern``, newest first; ``total`` is null where there are more than ``limit``.

    Errors: FS_NOT_FOUND, FS_DENIED, FS_TIMEOUT; INVALID_ARGUMENT for a pattern without sense or a ``path``
    that is a file.
    """
    places = _places(workspace, arguments, context)
    if not places[0].is_folder:
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            f"{places[0].shown} is a file; path is the folder to look in.",
            file_path=places[0].shown,
            data={"argument": "path"},
        )
    fits = path_filter(_inside(arguments["pattern"], places))
    walks = [place.walk(workspace) for place in places]
    limit: int = arguments["limit"]

    def newest() -> tuple[list[str], int]:
        stats = _Counted(_with_times(places, walks, fits))
        found = heapq.nsmallest(limit, stats)
        return [path for _, path in found], stats.count

    async with _bounded(workspace, walks):
        paths, count = await asyncio.to_thread(newest)
    truncated = count > limit
    answer: dict[str, Any] = {"ok": True, "paths": paths, "truncated": truncated}
    return answer | {"total": None if truncated else count} | _warnings(walks, [])


async def grep(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """Lines that fit ``pattern``, in the order of paths; those shown whole count as shown.

    Errors: INVALID_ARGUMENT for a pattern that is none, or one that the engine at hand cannot do
    (``data.construct``); FS_NOT_FOUND, FS_DENIED, FS_TIMEOUT; for a ``path`` that is a file also what a read
    of it can meet.
    """
    if "\0" in arguments["pattern"]:
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            "The pattern of grep holds a NUL character, which no text has; leave it out.",
            data={"argument": "pattern"},
        )
    search = _Search(
        workspace,
        context,
        find_engine(),
        Query(arguments["pattern"], arguments["multiline"]),
        Rows(
            arguments["limit"],
            workspace.settings.read_chars,
            arguments["context"],
            joined=arguments["multiline"],
        ),
        path_filter(arguments["glob"]) if arguments.get("glob") else None,
    )
    places = _places(workspace, arguments, context)
    walks = [place.walk(workspace) for place in places]
    async with _bounded(workspace, walks):
        await search.engine.check(search.query)
        for place, walk in zip(places, walks, strict=True):
            if place.is_folder:
                await search.folder(place, walk)
            else:
                await search.file(place)
        if "path" not in arguments:
            await search.untitled()
    search.record()
    answer = {"ok": True, "matches": search.rows.found, "truncated": search.rows.truncated}
    return answer | _warnings(walks, search.skipped)


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder or file to look in."""

    key: TargetKey
    shown: str
    """As the caller spelled it, made absolute."""
    is_folder: bool

    def shown_path(self, key: str) -> str:
        """How a file below is spelled."""
        return self.shown if key == self.key else os.path.join(self.shown, self.inside(key))

    def inside(self, key: str) -> str:
        """A file's path relative to this folder; of this file, its name."""
        return key[len(self.key.rstrip(os.sep)) + 1 :] if self.is_folder else os.path.basename(key)

    def walk(self, workspace: Workspace) -> Walk:
        return Walk(self.key, workspace.roots, workspace.walls.may_list)


class _Search:
    """One call of ``grep``."""

    def __init__(
        self,
        workspace: Workspace,
        context: CallContext,
        engine: SearchEngine,
        query: Query,
        rows: Rows,
        fits: Callable[[str], bool] | None,
    ) -> None:
        self._workspace = workspace
        self._context = context
        self.engine = engine
        self.query = query
        self.rows = rows
        self._fits = fits
        self._open = workspace.client.open_targets()
        self._shown: list[tuple[TargetKey, CurrentText, LineRanges, int]] = []
        self.skipped: list[str] = []

    async def folder(self, place: _Place, walk: Walk) -> None:
        """Look through the files below ``place``, until there are enough hits."""
        files = walk.files()
        unsaved = sorted(key for key in self._open if walk.lists(key) and not _is_on_disk(key))
        size, seen = _FIRST_BATCH, 0
        while not self.rows.truncated:
            batch = await asyncio.to_thread(lambda: list(islice(files, size)))  # noqa: B023 (awaited here)
            is_last = len(batch) < size
            new = [key for key in unsaved if is_last or key < batch[-1]]
            unsaved = unsaved[len(new) :]
            keys = [key for key in sorted([*batch, *new]) if self._wanted(place, key)]
            await self._files(place, keys)
            if is_last:
                return
            seen += len(batch)
            size = min(size * 2, _LAST_BATCH)
            if self._context.progress is not None:
                await self._context.progress(f"{seen} files searched")

    async def file(self, place: _Place) -> None:
        """Look into one file. Errors: as a read of it."""
        current = await self._workspace.current_text(place.key, place.shown)
        if current is None:
            raise _missing(place.shown)
        if self._wanted(place, place.key):
            await self._texts(place, [(place.key, current)])

    async def untitled(self) -> None:
        """Look into what the editor has open and never saved."""
        for key in sorted(key for key in self._open if key.startswith("untitled:")):
            place = _Place(key, str(key), False)
            found = await self._current(place, key)
            if found is not None and self._wanted(place, key) and not self.rows.truncated:
                await self._texts(place, [(key, found)])

    def record(self) -> None:
        """The scope has seen what the answer shows."""
        for key, current, shown, total in self._shown:
            self._workspace.ledger.record_shown(
                self._context.caller, key, current.token, total, shown, text=current.text
            )
            if not key.startswith("untitled:"):
                self._workspace.notices.watch(key)

    def _wanted(self, place: _Place, key: str) -> bool:
        return self._fits is None or self._fits(place.inside(key))

    async def _files(self, place: _Place, keys: Sequence[str]) -> None:
        closed = [key for key in keys if key not in self._open]
        hit = await self.engine.candidates(self.query, closed) if closed else set()
        # Most of what is not plain is binary; that shows in its first bytes, without reading all of it.
        hit = await asyncio.to_thread(lambda: {path for path in hit if not is_binary(path)})
        group: list[tuple[TargetKey, CurrentText]] = []
        size = 0
        for key in keys:
            if self.rows.truncated:
                return
            if key not in hit and key not in self._open:
                continue
            current = await self._current(place, TargetKey(key))
            if current is None:
                continue
            group.append((TargetKey(key), current))
            size += len(current.text)
            if (
                len(group) == (_TOGETHER_JOINED if self.query.multiline else _TOGETHER)
                or size > _TOGETHER_CHARS
            ):
                await self._texts(place, group)
                group, size = [], 0
        if group and not self.rows.truncated:
            await self._texts(place, group)

    async def _current(self, place: _Place, key: TargetKey) -> CurrentText | None:
        """The current text; None for a file that is gone, no text, or closed to us."""
        await asyncio.sleep(0)  # many files are read without a wait; others have their turn too
        try:
            return await self._workspace.client.current(key)
        except CoeditorError as error:
            if error.code in (Code.FS_TOO_LARGE, Code.FS_IO, Code.FS_EDITOR_REFUSED):
                self.skipped.append(place.shown_path(key))
            return None

    async def _texts(self, place: _Place, group: Sequence[tuple[TargetKey, CurrentText]]) -> None:
        views = [folded(current.text) for _, current in group]
        found = await self.engine.lines(self.query, views, self.rows.most)
        for (key, current), view, hits in zip(group, views, found, strict=True):
            if not hits:
                continue
            if self.rows.truncated:
                return
            shown = self.rows.add(place.shown_path(key), view, hits)
            if shown:
                total = view.count("\n") + (not view.endswith("\n"))
                self._shown.append((key, current, shown, total))


def _places(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> list[_Place]:
    """Where to look: ``path``, else the client's workspace folder, else all of them; in order.

    Errors: FS_NOT_FOUND, FS_DENIED, and what else a path can meet.
    """
    spelled = arguments.get("path")
    if spelled is not None:
        target = workspace.resolve(spelled, context, write=False)
        is_folder = os.path.isdir(target.key)
        if (
            not is_folder
            and not os.path.lexists(target.key)
            and target.key not in workspace.client.open_targets()
        ):
            raise _missing(target.path)
        return [_Place(target.key, target.path, is_folder)]
    cwd = os.path.realpath(context.cwd) if context.cwd else None
    roots = sorted(workspace.roots)
    if cwd is not None and any(is_within(cwd, root) for root in roots):
        roots = [workspace.targets.folder_of(cwd)]
    outer = [root for root in roots if not any(root != one and is_within(root, one) for one in roots)]
    return [_Place(TargetKey(root), root, True) for root in outer]


def _missing(path: str) -> CoeditorError:
    return CoeditorError(
        Code.FS_NOT_FOUND, f"There is no {path}. Check the path, or leave it out.", file_path=path
    )


def _inside(pattern: str, places: Sequence[_Place]) -> str:
    """An absolute pattern made relative to the folder that it starts with."""
    for place in places:
        for folder in (place.shown, str(place.key)):
            start = folder.rstrip(os.sep) + os.sep
            if pattern.startswith(start):
                return os.sep + pattern[len(start) :]
    return pattern


def _is_on_disk(key: str) -> bool:
    return os.path.lexists(key)


class _Counted:
    """Counts what passes through."""

    def __init__(self, inner: Iterable[tuple[int, str]]) -> None:
        self._inner = inner
        self.count = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for each in self._inner:
            self.count += 1
            yield each


def _with_times(
    places: Sequence[_Place], walks: Sequence[Walk], fits: Callable[[str], bool]
) -> Iterator[tuple[int, str]]:
    """Fitting files as (time, newest first; path as it is shown)."""
    for place, walk in zip(places, walks, strict=True):
        for key in walk.files():
            if not fits(place.inside(key)):
                continue
            try:
                changed = os.lstat(key).st_mtime_ns
            except OSError:
                continue  # gone since it was listed
            yield -changed, place.shown_path(key)


@asynccontextmanager
async def _bounded(workspace: Workspace, walks: Sequence[Walk]) -> AsyncIterator[None]:
    """Stops the walks however the block ends. Errors: FS_TIMEOUT."""
    seconds = workspace.settings.limit("search_seconds")
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise CoeditorError(
            Code.FS_TIMEOUT,
            f"The search was not done after {seconds} seconds. Look in a folder, or for a simpler pattern.",
            data={"limit": seconds, "limit_name": "search_seconds"},
        ) from None
    finally:
        for walk in walks:
            walk.stop.set()


def _warnings(walks: Sequence[Walk], skipped: Sequence[str]) -> dict[str, list[str]]:
    left_out = [*(folder for walk in walks for folder in walk.unread), *skipped]
    if not left_out:
        return {}
    named = ", ".join(left_out[:_NAMED])
    more = f" and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else ""
    return {"warnings": [f"Left out, since it cannot be read or is too large: {named}{more}."]}
