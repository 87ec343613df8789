"""A change over a buffer and files, stopped at each step where somebody may stop it: the answer is what is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from editor_clients.editor_edits import Patience
from editor_clients.overlay import Overlay
from ledger.types import TargetKey
from lsp_server.app import build
from lsp_server.authorities import Authority, Ground
from lsp_server.handlers.attaching import Attachment
from lsp_server.handlers.documents import Documents, Early
from lsp_server.settings import Settings, merge
from tests.fakes.editor import DirectLink, ScriptedEditor
from tests.lsp_server.tools.conftest import MakeWalk, Walk

PATCH = (
    *("*** Update File: open.txt", "@@", "-a", "+A"),
    *("*** Update File: closed.txt", "@@", "-a", "+A"),
    *("*** Add File: new/b.txt", "+b"),
)
BEFORE = {"open.txt": "a\n", "closed.txt": "a\n"}
AFTER = {"open.txt": "A\n", "closed.txt": "A\n", "new/b.txt": "b\n"}
HASTY = Patience(answer=0.5, confirm=0.3, refusal=0.05, reload=0.1, late=0.5)
"""So that a silent editor is given up soon; an editor that answers does so at once."""


@dataclass
class Scene:
    """A walk with an editor that has one of the files open, and the call as soon as it is under way."""

    walk: Walk
    editor: ScriptedEditor = field(default_factory=ScriptedEditor)
    task: asyncio.Task[dict[str, Any]] | None = None

    def cancel(self) -> None:
        assert self.task is not None
        self.task.cancel()

    def texts(self) -> dict[str, str]:
        """As the person sees them: buffers before the disk."""
        found = {name: data.decode() for name, data in self.walk.there().items()}
        return found | {one.path.name: one.text for one in self.editor.documents.values() if one.path}


async def attached(make_walk: MakeWalk) -> Scene:
    walk = make_walk()
    await walk.app.close()
    scene = Scene(walk)
    overlay = Overlay(scene.editor.encoding)
    documents = Documents(Early(overlay))
    scene.editor.send = documents.take

    def connect(ground: Ground) -> Authority:
        return Attachment(ground, overlay, DirectLink(scene.editor), documents).authority()

    wanted = {"side_effects": {"diagnostics": False}, "limits": {"lock_seconds": 1}}
    walk.app = build(str(walk.root), settings=merge(Settings(), wanted, "user"), connect=connect)
    for name, text in BEFORE.items():
        walk.put(name, text)
    scene.editor.open(walk.root / "open.txt")
    for name in BEFORE:
        await walk.read(name)
    return scene


def nothing_happens(scene: Scene) -> None:
    return


def cancelled_as_the_editor_gets_it(scene: Scene) -> None:
    scene.editor.manners.before_apply = scene.cancel


def cancelled_once_the_editor_has_it(scene: Scene) -> None:
    scene.editor.manners.after_apply = scene.cancel


def cancelled_as_it_is_saved(scene: Scene) -> None:
    scene.editor.manners.before_save = scene.cancel


def the_editor_refuses(scene: Scene) -> None:
    scene.editor.manners.refuse = "busy"


def the_editor_fails(scene: Scene) -> None:
    scene.editor.manners.fails = {"workspace/applyEdit"}


def the_editor_is_silent(scene: Scene) -> None:
    scene.editor.manners.silent = {"workspace/applyEdit"}


def the_editor_lies(scene: Scene) -> None:
    scene.editor.manners.lies = True


def the_editor_acts_and_does_not_answer(scene: Scene) -> None:
    scene.editor.manners.mute = {"workspace/applyEdit"}


def the_save_is_not_answered(scene: Scene) -> None:
    scene.editor.manners.silent = {"coeditor/save"}


def the_save_fails(scene: Scene) -> None:
    scene.editor.manners.save_fails = "the disk is full"


def writes(scene: Scene, name: str, text: str) -> None:
    scene.walk.put(name, text)


def a_new_file_is_there_already(scene: Scene) -> None:
    scene.editor.manners.after_apply = partial(writes, scene, "new/b.txt", "mine\n")


def a_closed_file_moves(scene: Scene) -> None:
    scene.editor.manners.after_apply = partial(writes, scene, "closed.txt", "theirs\n")


@pytest.mark.parametrize(
    ("how", "code"),
    [
        (nothing_happens, None),
        (cancelled_as_the_editor_gets_it, None),
        (cancelled_once_the_editor_has_it, None),
        (cancelled_as_it_is_saved, None),
        (the_editor_refuses, "FS_EDITOR_REFUSED"),
        (the_editor_fails, "FS_EDITOR_REFUSED"),
        (the_editor_is_silent, "FS_UNCONFIRMED"),
        (the_editor_lies, "FS_UNCONFIRMED"),
        (the_editor_acts_and_does_not_answer, None),
        (the_save_is_not_answered, None),
        (the_save_fails, None),
        (a_new_file_is_there_already, "FS_TRANSACTION_FAILED"),
        (a_closed_file_moves, "FS_TRANSACTION_FAILED"),
    ],
)
async def test_the_answer_is_what_is_there(
    make_walk: MakeWalk, monkeypatch: pytest.MonkeyPatch, how: Callable[[Scene], None], code: str | None
) -> None:
    monkeypatch.setattr("editor_clients.attached.Patience", lambda: HASTY)
    scene = await attached(make_walk)
    how(scene)
    scene.task = asyncio.ensure_future(scene.walk.patch(*PATCH))
    found = await scene.task
    assert found.get("code") == code, found
    states = [row["state"] for row in (await scene.walk.call("history"))["edits"]]
    if code is None:
        assert (scene.texts(), states) == (AFTER, ["applied"])
        on_disk = {name: data.decode() for name, data in scene.walk.there().items()}
        for row in found["changed_files"]:
            name = row["file_path"].removeprefix(f"{scene.walk.root}/")
            assert row["saved"] is (on_disk[name] == AFTER[name])
    else:
        others = {"new/b.txt": "mine\n"} if how is a_new_file_is_there_already else {}
        others |= {"closed.txt": "theirs\n"} if how is a_closed_file_moves else {}
        assert scene.texts() == BEFORE | others
        assert states == (["unknown"] if code == "FS_UNCONFIRMED" else [])
        if code == "FS_TRANSACTION_FAILED":
            assert found["data"]["rolled_back"] is True


@pytest.mark.parametrize("cancelled", [True, False])
async def test_a_lock_that_does_not_become_free(make_walk: MakeWalk, *, cancelled: bool) -> None:
    scene = await attached(make_walk)
    async with scene.walk.app.workspace.hold([TargetKey(str(scene.walk.root / "closed.txt"))]):
        scene.task = asyncio.ensure_future(scene.walk.patch(*PATCH))
        if cancelled:
            asyncio.get_running_loop().call_soon(scene.cancel)
            with pytest.raises(asyncio.CancelledError):
                await scene.task
        else:
            assert (await scene.task)["code"] == "FS_TIMEOUT"
    assert scene.texts() == BEFORE
    assert (await scene.walk.call("history"))["edits"] == []
    assert (await scene.walk.patch(*PATCH))["ok"]
