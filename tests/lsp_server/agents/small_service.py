"""A small service that is real as far as it goes: it reads and edits files, read-first, one ledger a scope."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ledger.errors import Code, CoeditorError
from ledger.types import ScopeKey, token_of
from lsp_server.hosted import Hosts
from lsp_server.news import Bulletin
from lsp_server.service import CallContext
from lsp_server.wire.arguments import decode_arguments


class SmallService:
    """Tools read, edit, write, history, status and context_event over one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.contexts: list[tuple[str, CallContext]] = []
        """Every call, as it came."""
        self.gate = asyncio.Event()
        """``status`` waits for it."""
        self.entered = asyncio.Event()
        """Set once ``status`` waits."""
        self.cancelled = asyncio.Event()
        self.journal: dict[tuple[str, str], dict[str, Any]] = {}
        self.bulletin = Bulletin()
        self.hear = self.bulletin.hear
        self.hold = Hosts().add
        self._seen: dict[tuple[ScopeKey, Path], str] = {}

    async def call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        self.contexts.append((tool, context))
        sent = decode_arguments(tool, arguments)
        match tool:
            case "read":
                return self._read(self.root / sent["file_path"], context.caller.scope)
            case "edit":
                found = self._edit(self.root / sent["file_path"], sent, context.caller.scope)
            case "write":
                found = self._write(self.root / sent["file_path"], sent["content"])
            case "context_event":
                self._seen.clear()
                return {"ok": True, "forgotten": []}
            case "status":
                return await self._status()
            case "history":
                raise RuntimeError("a bug with /a/path in it")
            case _:
                return {"ok": True, "diff": ""}
        if context.caller.call_id is not None:
            known = {"state": "applied", "result": found}
            self.journal[context.caller.scope.session, context.caller.call_id] = known
        return found

    async def outcome_of(self, session: str, call_id: str) -> dict[str, Any] | None:
        return self.journal.get((session, call_id))

    async def close(self) -> None:
        """Nothing is open."""

    async def _status(self) -> dict[str, Any]:
        self.entered.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return {
            "ok": True,
            "server": {"version": "0"},
            "editor": None,
            "workspace_folders": [str(self.root)],
            "sessions": [],
            "open_documents": [],
            "unsaved_documents": [],
            "policy": {},
        }

    def _read(self, path: Path, scope: ScopeKey) -> dict[str, Any]:
        if not path.exists():
            raise CoeditorError(Code.FS_NOT_FOUND, f"There is no file {path}.", file_path=str(path))
        text = path.read_text(encoding="utf-8")
        self._seen[scope, path] = token_of(text)
        lines = text.removesuffix("\n").split("\n")
        return {
            "ok": True,
            "text": "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1)),
            "start_line": 1,
            "end_line": len(lines),
            "total_lines": len(lines),
            "version": token_of(text),
            "authority": "disk",
            "unsaved": False,
            "unchanged": False,
            "encoding": "utf-8",
            "eol": "lf",
            "truncated": False,
        }

    def _edit(self, path: Path, sent: Mapping[str, Any], scope: ScopeKey) -> dict[str, Any]:
        text = path.read_text(encoding="utf-8")
        if self._seen.get((scope, path)) != token_of(text):
            raise CoeditorError(
                Code.FS_STALE_VERSION,
                f"{path} changed since you read it",
                file_path=str(path),
                data={"moved_by": "external", "lines": f"1\t{text.strip()}", "version": token_of(text)},
            )
        self._seen[scope, path] = token_of(text.replace(sent["old_string"], sent["new_string"]))
        return self._write(path, text.replace(sent["old_string"], sent["new_string"]))

    def _write(self, path: Path, content: str) -> dict[str, Any]:
        path.write_text(content, encoding="utf-8")
        return {
            "ok": True,
            "edit_id": "e1",
            "changed_files": [
                {
                    "file_path": str(path),
                    "operation": "update",
                    "version": token_of(content),
                    "authority": "disk",
                    "saved": True,
                    "added": 1,
                    "removed": 1,
                }
            ],
            "diff": f"+{content}",
            "bytes_changed": 1,
            "version_check": "passed",
            "match": None,
            "side_effects": [],
            "rewindable": True,
            "warnings": [],
            "applied": "applied",
        }
