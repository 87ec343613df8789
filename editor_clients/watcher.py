"""Tell which watched files moved on disk.

Never: watching files (they are replaced by rename); folders only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


class FolderWatcher:
    """Watches folders, not recursively, and calls back with the paths that changed."""

    def __init__(self, on_change: Callable[[frozenset[str]], None]) -> None:
        self._on_change = on_change
        self._folders: frozenset[str] = frozenset()
        self.warning: str | None = None
        """Why some folders are not watched, in a sentence; None when all are."""

    def watch(self, folders: Iterable[str]) -> None:
        """From now on these folders are watched, and only these. Call inside the running event loop."""
        self._folders = frozenset(folders)

    async def close(self) -> None:
        """Stop; no callback comes afterwards."""
