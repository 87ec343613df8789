"""What processes that died left half done on disk, for one workspace folder and for those inside or around it.

Never: the journal of edits; `reconcile` settles that by what holds afterwards.
"""

from __future__ import annotations

import asyncio
import glob
import logging
import os
from collections.abc import Sequence
from contextlib import suppress

from editor_clients.walls import Walls
from ledger.types import TargetKey
from lsp_server import paths

log = logging.getLogger(__name__)


class Leftovers:
    """The unfinished transactions."""

    def __init__(self, journal_dir: str, walls: Walls) -> None:
        self._journal_dir = journal_dir
        self._walls = walls

    def clear(self) -> dict[str, str]:
        """Finish or undo it all; what can be neither, by path, with the reason."""
        if not _has_anything(self._journal_dir):
            return {}
        from editor_clients.recovery import recover  # seldom needed when a server starts

        found = recover(self._journal_dir, self._walls)
        for item in found:
            log.warning("an unfinished change was %s: %s", item.outcome, item.problem or item.name)
        blocked = [item for item in found if item.outcome == "blocked"]
        return {path: item.problem or item.name for item in blocked for path in item.paths}

    async def look_after(self, key: TargetKey) -> None:
        """Whoever held this lock is dead: what it left is taken back before anybody goes on.

        It may have served another folder, inside this one or around it; its own journals are looked at as well.
        """
        await asyncio.to_thread(self._look_after, key)

    def _look_after(self, key: TargetKey) -> None:
        from editor_clients.recovery import recover, recover_elsewhere

        recover(self._journal_dir, self._walls, awaited=[key])
        everywhere = os.path.join(glob.escape(paths.state_home()), "folders", "*", "transactions")
        for journal_dir in sorted(glob.glob(everywhere)):
            if journal_dir != self._journal_dir:
                for item in recover_elsewhere(journal_dir, key, _walls_of):
                    log.warning("another folder's unfinished change was %s: %s", item.outcome, item.name)


def _has_anything(folder: str) -> bool:
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        return next(entries, None) is not None
    return False


def _walls_of(roots: Sequence[str]) -> Walls:
    return Walls(roots, state_folders=[paths.state_home(), paths.runtime_home()])
