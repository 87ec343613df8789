"""A whole service in this process, on real files: everything but the doors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.app import App, build
from lsp_server.service import CallContext, Door
from lsp_server.settings import Settings, merge
from tests.shapes import check_shape


class Walk:
    """One workspace folder with its service."""

    def __init__(self, root: Path, app: App) -> None:
        self.root = root
        self.app = app

    def put(self, name: str, content: str | bytes, mode: int | None = None) -> Path:
        """Make a file, as somebody else would."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        if mode is not None:
            path.chmod(mode)
        return path

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode("utf-8")

    def there(self) -> dict[str, bytes]:
        """Every file in the workspace."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file()
        }

    def there_outside_git(self) -> dict[str, bytes]:
        """Every file but git's own."""
        return {name: data for name, data in self.there().items() if not name.startswith(".git/")}

    async def call(
        self,
        tool: str,
        *,
        session: str = "s",
        scope: str = "main",
        turn: str | None = None,
        call_id: str | None = None,
        door: Door = "mcp",
        **arguments: Any,
    ) -> dict[str, Any]:
        """The result object or the error object, whose shape was checked."""
        caller = self.caller(session, scope, turn, call_id)
        try:
            found = await self.app.call(tool, arguments, CallContext(caller, door, str(self.root)))
        except CoeditorError as error:
            found = error.to_object()
        return check_shape(tool, found)

    def caller(
        self, session: str, scope: str = "main", turn: str | None = None, call_id: str | None = None
    ) -> Caller:
        return Caller(ScopeKey(session, scope), call_id, turn, "test")

    async def call_event(self, event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """A context event; its ``session`` and ``scope`` are fields, not the caller's."""
        context = CallContext(self.caller("s"), "mcp", str(self.root))
        try:
            found = await self.app.call("context_event", {"event": event, **fields}, context)
        except CoeditorError as error:
            found = error.to_object()
        return check_shape("context_event", found)

    async def read(self, name: str, **more: Any) -> dict[str, Any]:
        return await self.call("read", file_path=name, **more)

    async def edit(self, name: str, old: str, new: str, **more: Any) -> dict[str, Any]:
        return await self.call("edit", file_path=name, old_string=old, new_string=new, **more)

    async def write(self, name: str, content: str, **more: Any) -> dict[str, Any]:
        return await self.call("write", file_path=name, content=content, **more)

    async def patch(self, *lines: str, **more: Any) -> dict[str, Any]:
        text = "\n".join(("*** Begin Patch", *lines, "*** End Patch")) + "\n"
        return await self.call("apply_patch", patch=text, **more)


async def person(walk: Walk, tool: str, **arguments: Any) -> dict[str, Any]:
    """A call by the person."""
    context = CallContext(walk.caller("person"), "lsp", str(walk.root), person=True)
    try:
        return check_shape(tool, await walk.app.call(tool, arguments, context))
    except CoeditorError as error:
        return error.to_object()


MakeWalk = Callable[..., Walk]


@pytest.fixture
async def make_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MakeWalk]:
    """Makes services with given settings; all are closed at the end."""
    for name in ("run", "state", "config"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    made: list[Walk] = []

    def make(settings: Mapping[str, Any] | None = None, name: str = "ws") -> Walk:
        root = (tmp_path / name).resolve()
        root.mkdir(exist_ok=True)
        quiet = merge(Settings(), {"side_effects": {"diagnostics": False}}, "user")
        chosen = merge(quiet, settings or {}, "user")
        assert chosen.problems == ()
        walk = Walk(root, build(str(root), settings=chosen))
        made.append(walk)
        return walk

    yield make
    for walk in made:
        await walk.app.close()


@pytest.fixture
def walk(make_walk: MakeWalk) -> Walk:
    return make_walk()
