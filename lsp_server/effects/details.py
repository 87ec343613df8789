"""What helps to act on a problem: what it stands in, and what its language server offers to do about it.

Never: more than a little time, or a failure; a detail that is not there is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from editor_clients.diagnostic import Diagnostic
from editor_clients.lines import LineIndex
from lsp_server.edits.enclosing import enclosing_names
from lsp_server.effects.sources import DiagnosticSource

FIXES_SHOWN = 10
"""Problems of one answer for which a fix is asked for."""
_FIXES_WAIT = 0.25
"""Seconds for all of them together."""
_NAMES = 2
_MOST_NAME = 60


async def with_details(
    servers: DiagnosticSource, items: Sequence[Diagnostic], texts: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """``items``, in order, with what is known of them; ``texts`` are those that they are about, by path."""
    fixes = await _fixes(servers, items[:FIXES_SHOWN], texts)
    indexes = {path: LineIndex(texts[path]) for path in {item.file_path for item in items} if path in texts}
    return tuple(
        replace(item, symbol=_symbol(indexes.get(item.file_path), item), fix=fixes.get(item))
        for item in items
    )


async def _fixes(
    servers: DiagnosticSource, items: Sequence[Diagnostic], texts: Mapping[str, str]
) -> dict[Diagnostic, str]:
    by_path: dict[str, list[Diagnostic]] = {}
    for item in items:
        if item.file_path in texts:
            by_path.setdefault(item.file_path, []).append(item)
    if not by_path:
        return {}
    deadline = asyncio.get_running_loop().time() + _FIXES_WAIT
    asked = (servers.fixes(path, texts[path], some, deadline=deadline) for path, some in by_path.items())
    found: dict[Diagnostic, str] = {}
    for titles in await asyncio.gather(*asked):
        found |= titles
    return found


def _symbol(index: LineIndex | None, item: Diagnostic) -> str | None:
    if index is None or item.line > index.line_count:
        return None
    names = [name[:_MOST_NAME] for name in enclosing_names(index, item.line)[-_NAMES:]]
    return " > ".join(names) or None
