"""The review of what agents changed; for people's programs and terminals, not for models.

Never: imports that cost time, or an offer of these to an agent's model.
"""

from __future__ import annotations

from lsp_server.wire import results
from lsp_server.wire.params import Param, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_CHOSEN = (
    Param("file_paths", "strings", "Only these files; all when left out."),
    Param("sessions", "strings", "Only what these sessions changed."),
    Param("turns", "strings", "Only what was changed in these turns."),
    Param("edits", "strings", "Only what these edits changed."),
)
_HUNKS = Param("hunks", "strings", "Only these hunks, as review names them.")

LINES: Final = Tool(
    "lines",
    "Whose the lines of a file are",
    "The lines of a file in runs: an agent's, and of which edit, or the person's.",
    (Param("file_path", "path", "The file.", required=True),),
    results.LINES,
    read_only=True,
)

RECORDED: Final = Tool(
    "recorded",
    "Edits as they were asked for",
    "The edits that a name or a range names, oldest first, with what is needed to do them again elsewhere.",
    (
        Param("since", "string", "Edit, turn or session; X..Y for a range.", required=True),
        Param("texts", "boolean", "With requests and texts.", default=False),
    ),
    results.RECORDED,
    read_only=True,
)

REVIEW: Final = Tool(
    "review",
    "What agents changed and nobody has looked at",
    "The hunks that are pending, file by file, with the edits that made them.",
    _CHOSEN,
    results.REVIEW,
    read_only=True,
)

BASE: Final = Tool(
    "review/base",
    "A file without what is pending",
    "The text of a file as it would be if what is pending in it were undone.",
    (
        Param("file_path", "path", "The file.", required=True),
        Param("hunks", "strings", "Only these hunks, as review names them; all when left out."),
    ),
    results.REVIEW_BASE,
    read_only=True,
)

KEEP: Final = Tool(
    "review/keep",
    "Keep hunks",
    "What is named is looked at and good; no file is changed.",
    (_HUNKS, *_CHOSEN),
    results.KEPT,
    read_only=False,
)

UNDO: Final = Tool(
    "review/undo",
    "Undo hunks",
    "Puts back what stood where the named hunks are, in one step; an edit like others.",
    (_HUNKS, *_CHOSEN, Param("dry_run", "boolean", "Plan and check, but change nothing.", default=False)),
    results.OUTCOME,
    read_only=False,
)
