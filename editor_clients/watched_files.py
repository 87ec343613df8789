"""Which changes on disk a language server asked to hear of.

Never: I/O, or trust in a pattern; one that makes no sense is as if it were not there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Literal

from editor_clients.loose_json import Json, as_list, as_object, as_text
from editor_clients.lsp_diagnostics import uri_to_path
from editor_clients.search_globs import path_filter
from ledger.errors import CoeditorError

FileEvent = Literal["created", "changed", "deleted"]

METHOD = "workspace/didChangeWatchedFiles"
_MOST_PATTERNS = 500

Fits = Callable[[str], bool]


class WatchedFiles:
    """The patterns that one server registered; one that registered none hears of everything."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._registered: dict[str, list[tuple[str, Fits]]] = {}

    def register(self, params: Json) -> None:
        """The server asked to be told (``client/registerCapability``)."""
        for one in map(as_object, as_list(params.get("registrations"))):
            if one.get("method") == METHOD:
                watchers = as_list(as_object(one.get("registerOptions")).get("watchers"))
                patterns = [as_object(watcher).get("globPattern") for watcher in watchers[:_MOST_PATTERNS]]
                self._registered[as_text(one.get("id"))] = list(self._filters(patterns))

    def unregister(self, params: Json) -> None:
        """The server asked not to be told any more; LSP spells the list of these in two ways."""
        for name in ("unregisterations", "unregistrations"):
            for one in map(as_object, as_list(params.get(name))):
                self._registered.pop(as_text(one.get("id")), None)

    def forget(self) -> None:
        """The server is gone, and its wishes with it."""
        self._registered.clear()

    def __bool__(self) -> bool:
        """Whether it registered any."""
        return bool(self._registered)

    def wants(self, path: str) -> bool:
        """Whether the server is to hear of what happens to a file."""
        if not self._registered:
            return True
        patterns = (pair for pairs in self._registered.values() for pair in pairs)
        return any(_below(path, base, fits) for base, fits in patterns)

    def _filters(self, patterns: Iterable[object]) -> Iterable[tuple[str, Fits]]:
        for pattern in patterns:
            base, text = self._root, as_text(pattern)
            if isinstance(pattern, dict):
                named = pattern.get("baseUri")
                uri = as_text(named) or as_text(as_object(named).get("uri"))
                base, text = uri_to_path(uri) or self._root, as_text(pattern.get("pattern"))
            if text.startswith("/"):
                base = "/"
            try:
                yield base, path_filter(text)
            except CoeditorError:
                continue


def _below(path: str, base: str, fits: Fits) -> bool:
    prefix = base.rstrip(os.sep) + os.sep
    return path.startswith(prefix) and fits(path[len(prefix) :])
