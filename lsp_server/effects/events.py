"""The event stream for whoever monitors: one JSON object a line, appended to a file in the state folder.

Never: file contents, or a stream that grows without bound.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lsp_server.moments import rfc3339

if TYPE_CHECKING:
    from lsp_server.committing import Committed
    from lsp_server.service import CallContext

_LARGEST = 4 << 20
"""Bytes at which the file becomes the previous one."""


class EventStream:
    """Appends to ``path``; the one before is kept as ``path.1``."""

    def __init__(self, path: str) -> None:
        self.path = path

    def edit(self, committed: Committed, context: CallContext) -> None:
        """An edit happened. Errors: OSError."""
        rows = committed.result["changed_files"]
        self._append(
            "edit",
            context.caller.scope.session,
            {
                "edit_id": committed.edit_id,
                "scope": context.caller.scope.scope,
                "turn": context.caller.turn,
                "agent": context.caller.agent,
                "files": [
                    {name: row[name] for name in ("file_path", "operation", "added", "removed")}
                    for row in rows
                ],
            },
        )

    def session_ended(self, session: str, *, had_edits: bool) -> None:
        """A session is over. Errors: OSError."""
        self._append("sessionEnded", session, {"had_edits": had_edits})

    def _append(self, event: str, session: str, fields: dict[str, Any]) -> None:
        line = (
            json.dumps(
                {"event": event, "time": rfc3339(time.time()), "session": session, **fields},
                ensure_ascii=False,
            )
            + "\n"
        )
        with suppress(FileNotFoundError):
            if os.stat(self.path).st_size > _LARGEST:
                os.replace(self.path, self.path + ".1")
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8"))
        finally:
            os.close(descriptor)
