"""What an attached client needs of the connection to its editor.

Never: the protocol below it, or a wait without an end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

APPLY_EDIT = "workspace/applyEdit"
APPLY_NOTEBOOK_EDIT = "coeditor/applyNotebookEdit"
SAVE = "coeditor/save"
RELOAD = "coeditor/reload"
DOCUMENT_TEXT = "coeditor/documentText"
QUICK_FIXES = "coeditor/quickFixes"
FILE_OPERATIONS = "coeditor/fileOperations"
ASK = "coeditor/ask"
WITHDRAW = "coeditor/withdraw"


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an editor said that it can do beyond LSP; all false for one that knows nothing of us."""

    name: str = "unknown editor"
    version: str = ""
    checked_apply: bool = False
    """Compares texts, applies, compares again and saves in one step, and tells what came of it."""
    document_state: bool = False
    """Tells what is dirty; a document without news is clean."""
    document_text: bool = False
    """Tells its whole text when asked."""
    save: bool = False
    reload: bool = False
    publish_diagnostics: bool = False
    document_changes: bool = True
    """Takes workspace edits that name document versions; others get plain ones, and texts alone are compared."""
    quick_fixes: bool = False
    """Says what its language servers offer to do about problems."""
    notebooks: bool = False
    """Edits, makes and removes cells of open notebooks, clears their results and saves them."""
    file_operations: bool = False
    """Deletes and renames files itself, checked, with all that its extensions do about it."""
    questions: bool = False
    """Shows a question to the person without stopping them, and takes it away when it is withdrawn."""
    rename_files: bool = False
    """Takes workspace edits that rename files."""
    delete_files: bool = False
    """Takes workspace edits that delete files."""

    def names(self) -> list[str]:
        """What it can, by the names of the fields above."""
        return [one.name for one in fields(self) if getattr(self, one.name) is True]


class SilentEditorError(Exception):
    """No answer came in time, or the editor is gone."""


class AnswerError(Exception):
    """The editor answered with an error."""


class EditorLink(Protocol):
    """One connected editor."""

    @property
    def abilities(self) -> Abilities:
        """What it said it can do, beyond LSP."""
        ...

    @property
    def is_gone(self) -> bool:
        """It hung up: what it held and had not saved is gone with it."""
        ...

    async def ask(self, method: str, params: Mapping[str, Any], *, patience: float) -> object:
        """The answer to a request.

        Errors: SilentEditorError after ``patience`` seconds (the request is cancelled), or when the editor is gone;
        AnswerError. Cancelling cancels the request. ``patience`` may be infinite.
        """
        ...

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification; to an editor that is gone, nothing."""
        ...
