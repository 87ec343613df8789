"""The tools that change files.

Never: imports that cost time.
"""

from __future__ import annotations

from lsp_server.wire import results
from lsp_server.wire.look_tools import FILE_PATH
from lsp_server.wire.params import Param, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_REFUSALS = """A refusal changes nothing and carries what the next try needs: the code, what moved and who \
moved it (a diff), and the current lines. What it shows counts as read, so correct the call and send it \
again without another read."""

EDIT: Final = Tool(
    "edit",
    "Edit a file",
    f"""Replaces old_string by new_string in a file that you have read, in the editor where it is open \
there, else on disk. The edit is refused if the text moved since you saw it (FS_STALE_VERSION), if the \
person has unsaved typing that you have not seen (FS_UNSAVED_CHANGES), or if you have not read the file \
(FS_NOT_OBSERVED).

- old_string is copied exactly from the file, without the line numbers of read, with enough lines around it \
to fit exactly once; more than one fit is refused (FS_AMBIGUOUS_MATCH) unless replace_all is true. \
Everything outside it stays byte for byte as it was.
- In place of old_string, start_line and end_line name whole lines as you were shown them (both inclusive).
- An empty old_string creates a missing file or fills an empty one.
- new_string is literal: no escapes, no group references.

{_REFUSALS} A miss (FS_NO_MATCH) shows the nearest real lines and why they differ.

The answer has the diff as applied, the new and resolved problems of the language servers, warnings, and an \
edit id for diff and rewind. "saved: false" means that the text is in the editor and not on disk yet.""",
    (
        FILE_PATH,
        Param("old_string", "string", "Text to replace, exactly as in the file."),
        Param("new_string", "string", "Text to put in its place.", required=True),
        Param("replace_all", "boolean", "Replace every occurrence.", default=False),
        Param("start_line", "integer", "First line to replace, in place of old_string.", minimum=1),
        Param("end_line", "integer", "Last line to replace, inclusive.", minimum=1),
    ),
    results.OUTCOME,
    read_only=False,
    always_load=True,
)

WRITE: Final = Tool(
    "write",
    "Write a whole file",
    f"""Creates a file, or replaces the whole text of one that you have read in full; folders are made as \
needed. For part of a file use edit: it is cheaper and spares what you have not seen.

A file that exists and that you have not read is refused (FS_NOT_OBSERVED), so is one of which you saw only \
a part (FS_PARTIALLY_OBSERVED, with the missing lines), one that moved since (FS_STALE_VERSION), and one \
with the person's unsaved typing (FS_UNSAVED_CHANGES). After such a refusal read the file again before \
writing. An empty content makes an empty file. An existing file keeps its encoding, its byte order mark \
and, when it was CRLF throughout, its line ends.

{_REFUSALS.split(" What it shows")[0]}""",
    (FILE_PATH, Param("content", "string", "The whole text of the file.", required=True)),
    results.OUTCOME,
    read_only=False,
    always_load=True,
)

APPLY_PATCH: Final = Tool(
    "apply_patch",
    "Apply a patch to several files",
    f"""Applies a patch in the V4A format over any number of files: all of it or nothing.

*** Begin Patch
*** Update File: path/a.py
@@ def name_of_a_line_before():
 context line (starts with one blank)
-old line
+new line
*** Add File: path/new.py
+every line starts with a plus
*** Delete File: path/old.py
*** Move File: path/b.py -> path/c.py
*** End Patch

"*** Move to: path" after an Update header also moves the file. Files that are updated, deleted or moved \
must have been read; what moved since is refused. Context and "-" lines must fit exactly one place; "@@ \
line" narrows it. validate_only goes through everything, answers plan and diff, and touches nothing.

{_REFUSALS} FS_INVALID_PATCH names the line of the patch and what was expected there.""",
    (
        Param("patch", "string", "The patch, from *** Begin Patch to *** End Patch.", required=True),
        Param("validate_only", "boolean", "Plan and check, but change nothing.", default=False),
    ),
    results.OUTCOME,
    read_only=False,
    always_load=True,
)

EDIT_NOTEBOOK: Final = Tool(
    "edit_notebook",
    "Edit a notebook cell",
    f"""Replaces, inserts or deletes one cell of a Jupyter notebook that you have read. cell_id is the \
cell's id, or #1, #2, ... by position where cells have none; an insert goes after that cell, or to the top \
without one. cell_type alone changes the type of a cell and keeps its text. The outputs of an edited code cell are \
cleared, and the answer says so.

{_REFUSALS}""",
    (
        FILE_PATH,
        Param("cell_id", "string", "The cell meant; #1, #2, ... where cells have no ids."),
        Param("new_source", "string", "The cell's new text; not for delete."),
        Param("cell_type", "string", "Type of the cell.", choices=("code", "markdown", "raw")),
        Param("mode", "string", "What to do.", default="replace", choices=("replace", "insert", "delete")),
    ),
    results.OUTCOME,
    read_only=False,
)

REWIND: Final = Tool(
    "rewind",
    "Take edits back",
    """Takes back an edit (or all edits of a turn) and every later one of this session, in one step, \
sparing what others changed in between. Where somebody's later change touches the same lines it is refused \
(FS_REWIND_CONFLICT) and nothing is changed. dry_run shows the diff without touching anything. A rewind is \
itself an edit and can be taken back.""",
    (
        Param(
            "to",
            "string",
            "Edit id, turn or session: the first thing to take back. EDIT#2: only the second hunk of that edit.",
            required=True,
        ),
        Param("file_path", "path", "Only in this file; in all files when left out."),
        Param("dry_run", "boolean", "Plan and check, but change nothing.", default=False),
    ),
    results.OUTCOME,
    read_only=False,
)
