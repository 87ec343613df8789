"""A play: one real agent, its scripted model, a person at a scripted editor, and Coeditor between them.

Never: a part of the product replaced; the agent is configured by ``coeditor setup``.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.agents.installed import adapter, program
from tests.agents.troupe import Player
from tests.e2e.agents import Place
from tests.e2e.editors import serving
from tests.fakes.editor import ScriptedEditor

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
"""For one play on a machine that is busy with others."""


@dataclass
class Play:
    """What was played, and what came of it."""

    player: Player
    place: Place
    editor: ScriptedEditor
    cues: dict[str, Callable[[], Awaitable[object] | None]] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    """What the model was sent: ``wire``, ``body``, ``step``."""
    said: str = ""
    """What the agent printed."""

    def sent_after(self, cue: str) -> str:
        """The request that followed the step with this ``mark``: what the model was shown of it."""
        for number, one in enumerate(self.requests):
            if one["step"].get("mark") == cue:
                same = [each for each in self.requests[number + 1 :] if each["wire"] == one["wire"]]
                # A title, which has no tools, is asked for beside the conversation.
                later = [each for each in same if each["body"].get("tools")]
                assert later, f"nothing was sent after {cue}; {self.said[-2000:]}"
                return _newest(later[0]["body"])
        marks = [one["step"].get("mark") for one in self.requests]
        raise AssertionError(f"{cue} was never played, only {marks}; {self.said[-4000:]}")

    async def run(self, steps: Mapping[str, list[dict[str, Any]]], **options: Any) -> None:
        """Let the agent play ``steps`` to their end."""
        async with self.staged(steps, **options) as words:
            self.said = await _done(words, {**os.environ}, ROOT, check=False)

    @asynccontextmanager
    async def staged(
        self,
        steps: Mapping[str, list[dict[str, Any]]],
        *,
        speaks_acp: bool = False,
        is_set_up: bool = True,
        **options: Any,
    ) -> AsyncIterator[list[str]]:
        """The command that plays ``steps``, and cues heard; ``speaks_acp`` lets it talk to whoever starts it.

        ``is_set_up``: its configuration is what ``coeditor setup`` makes of it.
        """
        port = 8181 if is_alone() else _free_port()
        base = self.place.base
        home = base / "home"
        home.mkdir(exist_ok=True)
        environment = self._environment(home)
        if is_set_up:
            await _done(
                [sys.executable, "-m", "lsp_server", "setup", self.player.setup],
                environment,
                self.place.folder,
            )
        staged = self.player.stage(home, self.place, port, **options)
        own = str(program(self.player.name))
        argv = [own, *staged.argv]
        if speaks_acp:
            spoken = adapter(self.player.name)
            argv = [sys.executable, "-m", "lsp_server", "acp", "--"]
            argv += [str(spoken)] if spoken is not None else [own, *self.player.acp]
        play = {
            "alone": is_alone(),
            "script": {"steps": steps, "rules": self.player.rules, "cues": str(base / "cues")},
            "record": str(base / "record.jsonl"),
            "port": port,
            "argv": argv,
            "env": {**environment, **staged.environment},
            "cwd": str(self.place.folder),
            "first": [own, *staged.first] if staged.first else [],
            "turns": staged.turns,
            "talks": speaks_acp,
            "seconds": SECONDS,
        }
        (base / "play.json").write_text(json.dumps(play))
        server = await asyncio.start_unix_server(self._take_cue, base / "cues")
        words = [sys.executable, "-m", "tests.agents.stage", str(base / "play.json")]
        if is_alone():
            # With a process table of its own, nothing that it starts can outlive the play.
            table = ["--pid", "--fork", "--kill-child", "--mount-proc"] if self.player.leaves_daemon else []
            words = ["unshare", "--net", *table, *words]
        try:
            yield words
        finally:
            server.close()
        record = base / "record.jsonl"
        lines = record.read_text().splitlines() if record.exists() else []
        self.requests = [json.loads(line) for line in lines]
        assert self.requests, self.said[-4000:]

    def _environment(self, home: Path) -> dict[str, str]:
        here = Path(sys.executable).parent
        folders = [
            str(here),
            str(program(self.player.name).parent),
            str(Path(shutil.which("node") or "/usr/bin/node").parent),
            "/usr/bin",
            "/bin",
        ]
        told = {name: self.place.environment[name] for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME")}
        found = {"HOME": str(home), "PATH": os.pathsep.join(folders), "LANG": "C.UTF-8", "TERM": "xterm"}
        found |= {"XDG_CONFIG_HOME": str(home / ".config"), "TMPDIR": str(self.place.base)}
        return found | told

    async def _take_cue(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        cue = (await reader.readline()).decode().strip()
        found = self.cues[cue]()
        if found is not None:
            await asyncio.wait_for(found, SECONDS)
        await asyncio.sleep(0)  # what the editor tells goes out before the agent goes on
        writer.write(b"ok")
        await writer.drain()
        writer.close()


@asynccontextmanager
async def stage(player: Player, base: Path) -> AsyncIterator[Play]:
    """A project with one file, open in an editor that serves."""
    place = Place(base)
    (place.folder / ".git").mkdir()
    editor = ScriptedEditor()
    play = Play(player, place, editor)
    # Nothing published: so that Coeditor asks real language servers.
    async with serving(place, editor, publishDiagnostics=False):
        yield play


async def history(play: Play) -> list[dict[str, Any]]:
    """The edits in the folder, newest first, as a person is told of them."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lsp_server", "history", "--json"),
        cwd=play.place.folder,
        env={**play.place.environment, "COEDITOR_SESSION": ""},
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    found: list[dict[str, Any]] = json.loads(out)["edits"]
    return found


@cache
def is_alone() -> bool:
    """Whether a network namespace with nothing but loopback can be made here."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    return os.spawnvp(os.P_WAIT, "unshare", ["unshare", "--net", "true"]) == 0


def _free_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _newest(body: Mapping[str, Any]) -> str:
    """The end of what is sent: the answers since the model spoke last, as its model sees them."""
    rows = body.get("input") or body.get("messages") or body.get("contents") or []
    last = 0
    for number, row in enumerate(rows):
        if row.get("role") in ("assistant", "model") or row.get("type") in (
            "function_call",
            "custom_tool_call",
        ):
            last = number
    return json.dumps(rows[last + 1 :], ensure_ascii=False)


async def _done(words: list[str], environment: Mapping[str, str], cwd: Path, *, check: bool = True) -> str:
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=cwd,
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert not check or process.returncode == 0, out.decode(errors="replace")
    return out.decode(errors="replace")
