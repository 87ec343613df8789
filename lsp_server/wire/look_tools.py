"""The tools that look: read, search, diagnostics, history, status; and what tells the ledger of contexts.

Never: imports that cost time.
"""

from __future__ import annotations

from lsp_server.wire import results
from lsp_server.wire.params import Param, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FILE_PATH: Final = Param(
    "file_path",
    "path",
    "Absolute, or relative to the workspace folder; a file: URI works too.",
    required=True,
)
ONE_FILE: Final = Param("file_path", "path", "Only this file; all files when left out.")
SEVERITIES: Final = ("error", "warning", "information", "hint")
EVENTS: Final = ("contextEvicted", "sessionResumed", "scopeStarted", "scopeEnded", "sessionEnded")

READ: Final = Tool(
    "read",
    "Read a file",
    """Reads a text file as the person sees it: unsaved typing in the editor included. Each line comes as \
its number, a tab, and the text; number and tab are not part of the file, so leave them out of old_string.

Read a file here before you edit or overwrite it: the other tools check every edit against what you were \
shown. Lines cut out of a long file are named at the end; go on with offset. Asking again for lines that \
you were shown and that have not changed answers "unchanged" without the text (refresh: true shows it \
again). The answer says when the text is not saved yet, and which files that you read have been changed by \
somebody else since.""",
    (
        FILE_PATH,
        Param("offset", "integer", "First line wanted, 1-based.", default=1, minimum=1),
        Param("limit", "integer", "Most lines wanted.", default=2000, minimum=1),
        Param("refresh", "boolean", "Show the text again although it is unchanged.", default=False),
        Param(
            "changed_only", "boolean", "Show only the lines that changed since you saw them.", default=False
        ),
    ),
    results.READ,
    read_only=True,
    always_load=True,
)

GLOB: Final = Tool(
    "glob",
    "Find files by name",
    """Finds files whose path fits a pattern such as "src/**/*.py"; one without a slash, such as "*.py", is \
held against the name at any depth. Newest first; ignored files (.gitignore) are left out, hidden ones are \
not. "truncated" says that there are more than limit.""",
    (
        Param("pattern", "string", "Glob pattern; ** crosses folders, {a,b} is either.", required=True),
        Param("path", "path", "Folder to look in; the workspace folder when left out."),
        Param("limit", "integer", "Most paths wanted.", default=200, minimum=1),
    ),
    results.GLOB,
    read_only=True,
)

GREP: Final = Tool(
    "grep",
    "Search in files",
    """Searches file contents with a regular expression (Rust syntax), unsaved typing in the editor \
included. Answers file, line number and line, in path order. The lines shown count as read for edit and for \
a patch's Update, so a hit can be edited at once; write still needs a read of the whole file.""",
    (
        Param("pattern", "string", "Regular expression, Rust syntax.", required=True),
        Param("path", "path", "File or folder to search; the workspace folder when left out."),
        Param("glob", "string", 'Only files that fit this pattern, for example "*.py".'),
        Param("context", "integer", "Lines shown before and after each hit.", default=0, minimum=0),
        Param("limit", "integer", "Most hits wanted.", default=200, minimum=1),
        Param("multiline", "boolean", "Let the pattern run over line ends.", default=False),
    ),
    results.GREP,
    read_only=True,
)

DIAGNOSTICS: Final = Tool(
    "diagnostics",
    "Problems in files",
    """Errors and warnings of the language servers, for one file or for all that are known. "state" says \
whether they belong to the current text: fresh, partial (not every server has answered), or none (no server \
for it). Every edit reports its own new and resolved problems, so this is for looking around, not for after \
each edit.""",
    (
        ONE_FILE,
        Param("severity", "string", "Leave out what is less severe than this.", choices=SEVERITIES),
    ),
    results.DIAGNOSTICS,
    read_only=True,
)

HISTORY: Final = Tool(
    "history",
    "Edits made so far",
    """The edits of this session, newest first: edit id, time, files, lines added and removed, state \
(applied, rewound, unknown). The edit ids are what diff and rewind take.""",
    (ONE_FILE, Param("limit", "integer", "Most edits wanted.", default=50, minimum=1)),
    results.HISTORY,
    read_only=True,
)

DIFF: Final = Tool(
    "diff",
    "What changed since",
    """A unified diff from just before an edit (its id from an edit's answer or from history) or a turn, \
that one included, to the current text. Left out: from the start of this session. X..Y: only what the edits \
from X to Y changed, X..X one edit alone. HEAD: from git's last commit.""",
    (
        Param("since", "string", "Edit id or turn; X..Y; HEAD. The session's start when left out."),
        ONE_FILE,
    ),
    results.DIFF,
    read_only=True,
)

STATUS: Final = Tool(
    "status",
    "State of the server",
    """Which server and editor are at work, the workspace folders, the sessions, the documents that are \
open or unsaved, and the policy in force.""",
    (Param("timings", "boolean", "Also how long each step of edits took.", default=False),),
    results.STATUS,
    read_only=True,
)

CONTEXT_EVENT: Final = Tool(
    "context_event",
    "Tell what left the context",
    """For whoever runs the model, seldom for the model itself: tells what a context can no longer see, so \
that an edit from memory of it is refused. contextEvicted drops what call_ids or file_paths showed, or all; \
sessionResumed continues a session; scopeStarted and scopeEnded bracket a sub-agent; sessionEnded closes a \
session. Answers the files forgotten.""",
    (
        Param("event", "string", "What happened.", required=True, choices=EVENTS),
        Param("session", "string", "The session meant; the caller's own when left out."),
        Param("scope", "string", "The context window meant; the caller's own when left out."),
        Param("parent", "string", "For scopeStarted: the scope that started it."),
        Param("call_ids", "strings", "For contextEvicted: the calls whose answers are gone."),
        Param("file_paths", "strings", "For contextEvicted: the files whose text is gone."),
        Param("all", "boolean", "For contextEvicted: everything is gone.", default=False),
    ),
    results.FORGOTTEN,
    read_only=False,
    idempotent=True,
)

LEDGER: Final = Tool(
    "ledger",
    "What sessions saw",
    "What each session's scopes have in front of them: files, versions, lines, and the calls that showed them.",
    (
        ONE_FILE,
        Param("sessions", "strings", "Only these; all that a person may see when left out."),
    ),
    results.LEDGER,
    read_only=True,
)
