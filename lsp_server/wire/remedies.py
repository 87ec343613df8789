"""What to do next, for each error code: one sentence for a person or a model.

Messages say what is the case, and often what to do about it; where one does not, the sentence here follows.

Never: what is the case; that is the message's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ledger.errors import Code

REMEDIES: Final[Mapping[Code, str]] = {
    Code.FS_NOT_OBSERVED: "Read the file first; an edit that fits the lines shown can be sent again at once.",
    Code.FS_PARTIALLY_OBSERVED: "Read the rest of the file, or change a part of it with edit.",
    Code.FS_NOT_FOUND: "Check the path, or create the file with write.",
    Code.FS_ALREADY_EXISTS: "Choose another path, or read the file and change it with edit.",
    Code.FS_STALE_VERSION: "Adapt the edit to what moved and send it again; a write needs a read first.",
    Code.FS_UNSAVED_CHANGES: "Take the person's changes into account and send the edit again.",
    Code.FS_NO_MATCH: "Copy old_string from the lines shown, without line numbers, and send the edit again.",
    Code.FS_AMBIGUOUS_MATCH: "Add lines around the text until it fits once, or set replace_all.",
    Code.FS_NO_CHANGE: "Check whether the change is there already.",
    Code.FS_INVALID_PATCH: "Correct the patch at the line named and send all of it again.",
    Code.FS_NOT_TEXT: "Use a tool for this kind of file; only text can be read and edited here.",
    Code.FS_ENCODING: "Use only characters that the file's encoding has, or convert the file first.",
    Code.FS_NOT_REGULAR_FILE: "Name a file; folders and special files cannot be read or edited here.",
    Code.FS_TOO_LARGE: "Read or change a smaller part, or raise the limit named in the settings.",
    Code.FS_DENIED: "Leave this path alone, or ask the person to change the rule named.",
    Code.FS_IO: "Ask the person to look at the disk or its permissions; nothing half written was left.",
    Code.FS_EDITOR_REFUSED: "Read the file again and send the edit once more.",
    Code.FS_UNCONFIRMED: "Read the file again before anything else: the change may or may not be there.",
    Code.FS_TRANSACTION_FAILED: "Look at the cause, correct that one file, and send the whole change again.",
    Code.FS_REWIND_CONFLICT: "Take back the files that are not in conflict by file_path, or edit by hand.",
    Code.FS_TIMEOUT: "Nothing was changed; send the call again.",
    Code.FS_CANCELLED: "Nothing was changed; send the call again if it is still wanted.",
    Code.INVALID_ARGUMENT: "Correct the argument named and send the call again.",
    Code.UNAUTHORIZED: "Start the client again, so that it finds the server's new token.",
    Code.NO_SERVER: "Run coeditor doctor to see why no server can be reached.",
    Code.INTERNAL: "Nothing more was changed; look into the server's log and report it.",
}

_REASONS: Final[Mapping[str, str]] = {
    "already_applied": "The new text is there already, so go on; read the lines shown if in doubt.",
    "own_output": "Send the text of the file alone, without line numbers and notices.",
    "not_read": "Read that part of the file, or copy old_string from the lines shown here.",
    "stale": "The text moved since you saw it; copy old_string from the lines shown here.",
}

_SECOND_SENTENCE: Final = re.compile(r"[.!?;] \S")


def remedy_of(error: Mapping[str, Any]) -> str:
    """The remedy for an error object: by its reason, else by its code; empty for a foreign code."""
    data = error.get("data")
    reason = data.get("reason") if isinstance(data, Mapping) else None
    if isinstance(reason, str) and reason in _REASONS:
        return _REASONS[reason]
    try:
        return REMEDIES[Code(str(error.get("code")))]
    except ValueError:
        return ""


def sentence_of(error: Mapping[str, Any]) -> str:
    """The message, and the remedy unless the message goes on after its first sentence and so has one."""
    message = str(error.get("message", "")).strip()
    if _SECOND_SENTENCE.search(message):
        return message
    end = "" if message.endswith((".", "!", "?")) else "."
    return f"{message}{end} {remedy_of(error)}".strip()
