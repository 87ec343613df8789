"""Names of every message that LSP does not have and that editors of ours and this server say to each other.

The plugins for editors hold the same names; a test compares them. Never: behaviour.
"""

from __future__ import annotations

from editor_clients.editor_link import (
    APPLY_EDIT,
    APPLY_NOTEBOOK_EDIT,
    ASK,
    DOCUMENT_TEXT,
    FILE_OPERATIONS,
    QUICK_FIXES,
    RELOAD,
    SAVE,
    WITHDRAW,
)
from lsp_server.wire.look_tools import EVENTS
from lsp_server.wire.tools import STEPS, TOOLS

PREFIX = "coeditor/"

SHOW_MESSAGE_REQUEST = "window/showMessageRequest"
"""LSP's own: a question to the person, with buttons."""

DOCUMENT_STATE = PREFIX + "documentState"
"""From the editor: what is dirty, and how a document is encoded."""
PUBLISH_DIAGNOSTICS = PREFIX + "publishDiagnostics"
"""From the editor: what its language servers say of one document."""
FILE_VERSIONS = PREFIX + "fileVersions"
"""Asked by the editor: both texts of each file of an edit."""
REVIEW = tuple(PREFIX + name for name in ("review", "review/base", "review/keep", "review/undo"))
"""Asked by the editor: what agents changed and nobody has looked at, kept or undone by hunks."""
CALL_TOOL = PREFIX + "callTool"
"""Asked by the editor for a model: one tool, answered with the text that a model reads."""
CONFLICTS = tuple(PREFIX + name for name in ("conflicts", "conflicts/texts", "conflicts/dismiss"))
"""Asked by the editor: where agents were stopped, with the texts; and that the person has decided."""
LEDGER = PREFIX + "ledger"
"""Asked by the editor: what each agent has seen."""
DID_APPLY_EDIT = PREFIX + "didApplyEdit"
"""To the editor: an agent's edit has happened."""
AGENTS = PREFIX + "agents"
"""To the editor: which agents are connected."""

DID_CHANGE_REVIEW = PREFIX + "didChangeReview"
"""To the editor: something was kept or undone in the review."""


def method_of(tool: str) -> str:
    """``apply_patch`` is ``coeditor/applyPatch``."""
    first, *rest = tool.split("_")
    return PREFIX + first + "".join(word.capitalize() for word in rest)


ASKED_OF_EDITOR = (
    APPLY_EDIT,
    APPLY_NOTEBOOK_EDIT,
    FILE_OPERATIONS,
    ASK,
    SAVE,
    RELOAD,
    DOCUMENT_TEXT,
    QUICK_FIXES,
)
TOLD_TO_EDITOR = (DID_APPLY_EDIT, AGENTS, WITHDRAW, DID_CHANGE_REVIEW)
TOLD_BY_EDITOR = (DOCUMENT_STATE, PUBLISH_DIAGNOSTICS)
ASKED_BY_EDITOR = (
    *(method_of(name) for name in (*(tool.name for tool in TOOLS), *STEPS)),
    *(PREFIX + event for event in EVENTS),
    FILE_VERSIONS,
    CALL_TOOL,
)
