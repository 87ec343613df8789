"""How long an edit waits for what language servers say of it, beside the time that they take themselves.

Never: a machine's noise taken for ours; what we add is the difference of two medians taken in turns.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from editor_clients.diagnostic import Diagnostic
from editor_clients.language_servers import LanguageServers
from editor_clients.language_specs import DEFAULT_SPECS, find_program
from editor_clients.loose_json import Json, as_int
from editor_clients.lsp_diagnostics import path_to_uri
from editor_clients.lsp_handshake import initialize_params
from editor_clients.lsp_stdio import StdioConnection
from editor_clients.port import Replacement
from editor_clients.replacements import replacements_between
from lsp_server.effects.diagnostic_delta import TextMap, delta
from lsp_server.effects.diagnostics import FileEdit, edit_diagnostics
from tests.benchmarks.figures import Figure, median
from tests.editor_clients.language_server_scripts import scripted, servers_of, within
from tests.editor_clients.test_editor_diagnostics import Scene, problem

_PATIENCE = 60.0
_EDITOR_TAKES = 0.15
"""Seconds from a change to an editor's word about it."""


def run(quick: bool) -> list[Figure]:
    """See the registry."""
    rounds = 5 if quick else 60
    return [
        *asyncio.run(_ruff(rounds)),
        *asyncio.run(_scripted(rounds)),
        *asyncio.run(_editor(rounds)),
        _delta(200 if quick else 10_000),
    ]


async def _ruff(rounds: int) -> list[Figure]:
    program = find_program("ruff", "/")
    if program is None:
        return []
    (spec,) = (one for one in DEFAULT_SPECS if one.name == "ruff")
    with tempfile.TemporaryDirectory() as folder:
        raw = await _Raw.started((program, "server"), initialize_params(spec, folder))
        servers = LanguageServers(folder, [spec])
        path = Path(folder, "a.py")
        texts = _Texts()
        try:
            await raw.change(path_to_uri(str(path)), texts.now)
            await servers.diagnostics(str(path), texts.now, deadline=within(_PATIENCE))
            own, through = [], []
            for _ in range(rounds):
                before, after = texts.next()
                edit = FileEdit(str(path), before, after, replacements_between(before, after))
                own.append(await _timed(lambda text=after: raw.change(path_to_uri(str(path)), text)))  # type: ignore[misc]
                through.append(
                    await _timed(
                        lambda edit=edit: edit_diagnostics(servers, [edit], deadline=within(_PATIENCE))  # type: ignore[misc]
                    )
                )
        finally:
            await servers.close()
            await raw.connection.kill()
    return _over("ruff", own, through, goal=20.0)


async def _scripted(rounds: int) -> list[Figure]:
    """A server that names versions and answers in 5 ms."""
    with tempfile.TemporaryDirectory() as folder:
        servers = servers_of(scripted(delay=0.005), root=Path(folder))
        through = []
        try:
            for number in range(rounds + 1):
                before, after = f"ok {number}\n", f"ok {number + 1}\n"
                edit = FileEdit("/w/a.txt", before, after, replacements_between(before, after))
                through.append(
                    await _timed(
                        lambda edit=edit: edit_diagnostics(servers, [edit], deadline=within(_PATIENCE))  # type: ignore[misc]
                    )
                )
        finally:
            await servers.close()
    found = statistics.median(through[1:]) * 1000
    return [Figure("wait for a server that answers in 5 ms", found, "ms", note="its 5 ms included")]


async def _editor(rounds: int) -> list[Figure]:
    """An editor's language servers, which speak once, and which leave what stands as it is."""
    scene = Scene()
    document = scene.open("{}\n")
    news: list[float] = []
    calm: list[float] = []
    for number in range(min(rounds, 20) + 4):
        # Silence is judged once enough is known of the editor.
        for found, standing in ((news, False), (calm, True))[: 1 if number < 4 else 2]:
            text = f"{{ {number} {standing}\n"
            delay = 0.1 if standing else _EDITOR_TAKES

            def say(standing: bool = standing) -> None:
                scene.editor.diagnose(document, problem(0, "no end"), standing=standing)

            found.append(await _timed(partial(_edited, scene, text, say, delay)))
    own = [_EDITOR_TAKES] * len(news)
    return [
        *_over("an editor that speaks", own[1:], news[1:], goal=120.0),
        *_over("an editor that has no news", own[1:], calm[1:]),
    ]


async def _edited(scene: Scene, after: str, say: Callable[[], None], delay: float) -> None:
    document = next(iter(scene.editor.documents.values()))
    before = document.text
    scene.editor.type(document, 0, after, delete=len(before))
    asyncio.get_running_loop().call_later(delay, say)
    edit = FileEdit("/ws/a.json", before, after, replacements_between(before, after))
    await edit_diagnostics(scene.source, [edit], deadline=within(_PATIENCE))


def _delta(count: int) -> Figure:
    """Every line has a problem, and one line is new."""
    text = "bad\n" * count
    before = [Diagnostic("/w/a", line, 1, line, 3, "error", "E", "x", "bad") for line in range(1, count + 1)]
    after = [Diagnostic("/w/a", line, 1, line, 3, "error", "E", "x", "bad") for line in range(1, count + 2)]
    edit = [Replacement(0, 0, "bad\n")]
    seconds = median(lambda: delta(before, after, TextMap(text, "bad\n" + text, edit)), rounds=3)
    return Figure("what is new among 10,000 problems", seconds * 1000, "ms")


def _over(name: str, own: list[float], through: list[float], *, goal: float | None = None) -> list[Figure]:
    took, waited = statistics.median(own) * 1000, statistics.median(through) * 1000
    return [
        Figure(f"{name}: its own time", took, "ms"),
        Figure(f"{name}: wait after an edit over its own time", waited - took, "ms", goal=goal),
    ]


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


class _Texts:
    """A Python file to which one wrong line is added, and from which it is taken again."""

    def __init__(self) -> None:
        self._good = "def size(of: str) -> int:\n    return len(of)\n\n\n" * 50
        self._count = 0
        self.now = self._good

    def next(self) -> tuple[str, str]:
        before = self.now
        self._count += 1
        self.now = f"{self._good}print(wrong_{self._count})\n" if self._count % 2 else self._good
        return before, self.now


class _Raw:
    """A language server without anything of ours but the pipe."""

    def __init__(self) -> None:
        self.connection: StdioConnection
        self._version = 0
        self._said = asyncio.Event()

    @classmethod
    async def started(cls, command: tuple[str, ...], params: Json) -> _Raw:
        raw = cls()
        raw.connection = await StdioConnection.start(
            command, cwd=tempfile.gettempdir(), notified=raw._notified, asked=raw._asked
        )
        await raw.connection.request("initialize", params)
        raw.connection.notify("initialized", {})
        return raw

    async def change(self, uri: str, text: str) -> None:
        self._version += 1
        self._said.clear()
        name: dict[str, Any] = {"uri": uri, "version": self._version}
        if self._version == 1:
            self.connection.notify(
                "textDocument/didOpen", {"textDocument": {**name, "languageId": "python", "text": text}}
            )
        else:
            changes = [{"text": text}]
            self.connection.notify(
                "textDocument/didChange", {"textDocument": name, "contentChanges": changes}
            )
        await asyncio.wait_for(self._said.wait(), _PATIENCE)

    def _notified(self, method: str, params: Json) -> None:
        if method == "textDocument/publishDiagnostics" and as_int(params.get("version")) == self._version:
            self._said.set()

    def _asked(self, method: str, params: Json) -> object:
        items = params.get("items")
        return [None] * len(items) if isinstance(items, list) else None
