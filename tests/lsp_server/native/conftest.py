"""A whole service over a scripted editor, in this process: what hooks tell it, and what it answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from editor_clients.attached import Attached
from editor_clients.overlay import Overlay
from ledger.errors import CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.app import App, build
from lsp_server.authorities import Authority, Ground
from lsp_server.edits.notebook_view import JupyterForm
from lsp_server.handlers.documents import Documents
from lsp_server.hooks.dialects import dialect
from lsp_server.hooks.events import HookAnswer
from lsp_server.service import CallContext
from lsp_server.settings import Settings, merge
from tests.contract.benches import IMPATIENT
from tests.fakes.editor import DirectLink, Document, ScriptedEditor


class Desk:
    """A workspace folder that is open in an editor, with its service."""

    def __init__(self, root: Path, app: App, editor: ScriptedEditor) -> None:
        self.root = root
        self.app = app
        self.editor = editor

    def file(self, name: str, text: str) -> Path:
        path = self.root / name
        path.write_text(text)
        return path

    def opened(self, path: Path, *, typed: bool = True) -> Document:
        """A document of ``path``, where the person has typed."""
        document = self.editor.open(path)
        if typed:
            self.editor.type(document, 0, "typed ")
        return document

    async def told(self, name: str, payload: Mapping[str, Any]) -> HookAnswer:
        """The answer to an agent's payload, which is made to come from here."""
        event = dialect(name).decode({**payload, "cwd": str(self.root)})
        assert event is not None
        caller = Caller(ScopeKey(event.session, event.scope), event.call_id, event.turn, event.agent)
        found = await self.app.call(
            "hook", {"event": event.to_dict()}, CallContext(caller, "hook", str(self.root))
        )
        return HookAnswer.from_dict(found["answer"])

    async def call(
        self, tool: str, *, agent: str = "test", session: str = "S", scope: str = "main", **arguments: Any
    ) -> dict[str, Any]:
        """One of our tools, as an agent calls it by MCP."""
        caller = Caller(ScopeKey(session, scope), None, None, agent)
        try:
            return await self.app.call(tool, arguments, CallContext(caller, "mcp", str(self.root)))
        except CoeditorError as error:
            return error.to_object()


MakeDesk = Callable[..., Desk]


@pytest.fixture
async def make_desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MakeDesk]:
    """Makes desks with given settings; all are closed at the end."""
    for name in ("run", "state", "config"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    made: list[Desk] = []

    def make(settings: Mapping[str, Any] | None = None) -> Desk:
        root = (tmp_path / "ws").resolve()
        root.mkdir(exist_ok=True)
        chosen = merge(
            merge(Settings(), {"side_effects": {"diagnostics": False}}, "user"), settings or {}, "user"
        )
        assert chosen.problems == ()
        editor = ScriptedEditor()
        desk = Desk(root, build(str(root), settings=chosen, connect=_connect(editor)), editor)
        made.append(desk)
        return desk

    yield make
    for desk in made:
        await desk.app.close()


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    return make_desk()


def _connect(editor: ScriptedEditor) -> Callable[[Ground], Authority]:
    def connect(ground: Ground) -> Authority:
        client = Attached(
            ground.disk,
            Overlay(editor.encoding),
            DirectLink(editor),
            resolve=lambda uri: ground.targets.resolve(uri).key,
            form=JupyterForm(),
            patience=IMPATIENT,
        )
        documents = Documents(client.buffers)
        handlers = {
            "textDocument/didOpen": documents.did_open,
            "textDocument/didChange": documents.did_change,
            "textDocument/willSave": documents.will_save,
            "textDocument/didSave": documents.did_save,
            "textDocument/didClose": documents.did_close,
            "coeditor/documentState": documents.document_state,
        }
        editor.send = lambda method, params: handlers[method](params)
        return Authority(client, client.look, ground.servers, kind="editor")

    return connect
