"""An editor for end-to-end tests: a scripted one that starts ``coeditor serve`` as editors do.

Never: a shortcut into the server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.e2e.agents import Place
from tests.fakes.editor import ScriptedEditor
from tests.fakes.editor_process import EditorProcess


@asynccontextmanager
async def serving(place: Place, editor: ScriptedEditor, **options: Any) -> AsyncIterator[EditorProcess]:
    """The server that the editor started, in service; a test may end it itself."""
    process = EditorProcess(editor, place.folder, place.environment)
    await process.start(**options)
    try:
        await process.told("coeditor/agents")
        yield process
    finally:
        if process.process is not None and process.process.returncode is None:
            await process.stop()
