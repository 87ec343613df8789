"""A server and a relay with a small service of their own, as real processes.

The service keeps its journal in a file, so that it outlives the process. ``write`` notes what it intends and what
it applied, every other tool that it was asked. Names of files say what else happens: ``x.gate`` is waited for,
``x.before`` and ``x.after`` too, before anything is noted and once it is applied; ``refused`` and ``broken`` fail.

    python -m tests.lsp_server.agents.serving serve --headless --root R
    python -m tests.lsp_server.agents.serving mcp
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ledger.errors import Code, CoeditorError
from lsp_server.news import Bulletin
from lsp_server.service import CallContext


class FileService:
    """Everything it does is a line in ``<root>/journal``."""

    def __init__(self, root: str) -> None:
        from lsp_server.hosted import Hosts  # a relay, which imports this module too, does without it

        self._root = Path(root)
        self.hear = Bulletin().hear
        self.hold = Hosts().add

    async def call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        call_id = context.caller.call_id
        name = str(arguments.get("file_path", ""))
        note = {"tool": tool, "file": name, "call_id": call_id, "pid": os.getpid()}
        note["session"] = context.caller.scope.session
        if tool == "write":
            await self._wait(name, ".before")
            self._note({**note, "state": "intended"})
            await self._wait(name, ".gate")
            self._note({**note, "state": "applied"})
            await self._wait(name, ".after")
        else:
            self._note({**note, "state": "asked"})
            await self._wait(name, ".gate")
        if name == "refused":
            raise CoeditorError(Code.FS_NOT_FOUND, "There is no such file.", file_path=name)
        if name == "broken":
            raise RuntimeError("a bug")
        text = "x" * int(arguments["limit"]) if "limit" in arguments else "1\tone\n"
        return {"ok": True, "text": text, "call_id": call_id, "cwd": context.cwd, "pid": os.getpid()}

    async def outcome_of(self, session: str, call_id: str) -> dict[str, Any] | None:
        states = [each["state"] for each in self.notes() if each["call_id"] == call_id]
        if "applied" in states:
            return {"state": "applied", "result": {"ok": True, "text": "recorded", "call_id": call_id}}
        return {"state": "unknown"} if "intended" in states else None

    async def close(self) -> None:
        """Nothing is open."""

    def notes(self) -> list[dict[str, Any]]:
        path = self._root / "journal"
        return [json.loads(line) for line in path.read_text().split("\n")[:-1]] if path.exists() else []

    def _note(self, note: Mapping[str, Any]) -> None:
        with open(self._root / "journal", "a") as file:
            file.write(json.dumps(note) + "\n")

    async def _wait(self, name: str, ending: str) -> None:
        if name.endswith(ending):
            while not (self._root / name).exists():  # noqa: ASYNC110 - another process makes it
                await asyncio.sleep(0.01)


SERVER = (sys.executable, "-m", "tests.lsp_server.agents.serving", "serve", "--headless")


def main(argv: list[str]) -> int:
    if argv[0] == "mcp":
        from lsp_server.relay import main as relay

        return relay(argv[1:], server=SERVER)
    from lsp_server.serve import Linger
    from lsp_server.serve import main as serve

    quick = float(os.environ.get("LINGER", "0.5"))
    return serve(argv[1:], build=FileService, linger=Linger(relay=quick, call=quick))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
