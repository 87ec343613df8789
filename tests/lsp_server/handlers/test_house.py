"""The service of an editor's folders leaves nothing behind where it cannot be opened: it is tried again and again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editor_clients.editor_link import Abilities
from editor_clients.overlay import Overlay
from lsp_server import paths
from lsp_server.agents.owner import Owner
from lsp_server.handlers.documents import Documents, Early
from lsp_server.handlers.house import Awaited, House
from lsp_server.handlers.options import EditorOptions
from tests.fakes.editor import DirectLink, ScriptedEditor


async def test_a_service_that_cannot_be_told_of_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STATE_HOME", "RUNTIME_DIR"):
        (tmp_path / name).mkdir(mode=0o700)
        monkeypatch.setenv(f"XDG_{name}", str(tmp_path / name))
    root = tmp_path / "folder"
    root.mkdir()
    folder = paths.folder_of(str(root))
    folder.make()
    owner = Owner.claim(folder, "editor")
    assert owner is not None
    os.mkdir(folder.run("token"))  # in the way of what clients must show
    overlay = Overlay()
    documents, link = Documents(Early(overlay)), DirectLink(ScriptedEditor())
    options = EditorOptions((str(root),), Abilities())
    held = []
    for _ in range(3):
        with pytest.raises(IsADirectoryError):
            await House.opened([owner], options, overlay, link, documents, Awaited())
        held.append(len(os.listdir("/dev/fd")))
    owner.release()
    assert held[0] == held[2]
