"""Texts and bytes of recorded files.

Never: a promise; what is not kept any more is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from editor_clients.encoding import decode
from ledger.types import FileState

if TYPE_CHECKING:
    from lsp_server.workspace import Workspace


def text_of(workspace: Workspace, state: FileState | None) -> str | None:
    """The text of a snapshot, None when there is none."""
    if state is None or state.token is None:
        return None
    text = workspace.ledger.text_of(state.token)
    if text is not None:
        return text
    data = bytes_of(workspace, state)
    return decode(data, declared=state.encoding).text if data is not None else None


def bytes_of(workspace: Workspace, state: FileState | None) -> bytes | None:
    """The bytes of a snapshot."""
    return workspace.ledger.get_blob(state.blob) if state is not None and state.blob is not None else None
