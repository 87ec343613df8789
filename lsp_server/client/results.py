"""What the Python client's methods give: the objects of ``wire.results``, as types.

A field that an answer may lack is ``NotRequired``; a field that may be null says so. Never: a shape of its own.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Severity = Literal["error", "warning", "information", "hint"]
State = Literal["fresh", "partial", "none"]
Authority = Literal["editor", "disk"]
Operation = Literal["create", "update", "delete", "move"]
Spans = list[list[int]]
"""Lines, [first, last], both inclusive."""


class Diagnostic(TypedDict):
    """One problem; lines and columns from 1, columns in code points."""

    file_path: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity
    code: str | None
    source: str | None
    message: str
    symbol: NotRequired[str]
    fix: NotRequired[str]


class Remaining(TypedDict):
    """How many problems of each severity there are besides."""

    error: int
    warning: int
    information: int
    hint: int


class Delta(TypedDict):
    """The problems that an edit brought and solved."""

    new: list[Diagnostic]
    resolved: list[Diagnostic]
    remaining: Remaining
    state: State
    source: list[str]
    notes: NotRequired[list[str]]


class Notice(TypedDict):
    """News of a file that the scope has seen."""

    file_path: str
    moved_by: NotRequired[str]
    mover: NotRequired[str]
    version: NotRequired[str | None]
    lines: NotRequired[Spans]
    diff: NotRequired[str]
    message: NotRequired[str]
    edit_id: NotRequired[str]
    diagnostics: NotRequired[Delta]


class Success(TypedDict):
    """What every result has."""

    ok: Literal[True]
    notices: NotRequired[list[Notice]]


class Result(Success):
    """A result that may come with warnings."""

    warnings: NotRequired[list[str]]


class Image(TypedDict):
    """Of an image that was read; its bytes come by no other door than MCP."""

    mime_type: str
    width: int
    height: int
    bytes: int
    data: NotRequired[str]


class Read(Result):
    """``read``."""

    start_line: int
    end_line: int
    total_lines: int
    version: str | None
    authority: Authority
    unsaved: bool
    unchanged: bool
    text: NotRequired[str]
    encoding: NotRequired[str]
    eol: NotRequired[Literal["lf", "crlf", "cr", "mixed", "none"]]
    truncated: NotRequired[bool]
    diverged: NotRequired[bool]
    changed_lines: NotRequired[Spans]
    image: NotRequired[Image]


class Match(TypedDict):
    """Where the old text was found."""

    level: str
    count: int
    lines: Spans


_From = TypedDict("_From", {"from": NotRequired[str]})


class ChangedFile(_From):
    """One file of an edit; ``from`` is where a moved one was."""

    file_path: str
    operation: Operation
    version: str | None
    authority: Authority
    saved: bool
    added: int
    removed: int
    matches: NotRequired[list[Match | None]]
    encoding: NotRequired[str]
    eol: NotRequired[str]


class Merged(TypedDict):
    """Somebody's change that the edit was fitted around."""

    file_path: str
    moved_by: str
    lines: Spans


class SideEffect(TypedDict):
    """What ran after the edit."""

    name: Literal["diagnostics", "history", "refresh", "events"]
    ok: bool
    ms: float
    error: NotRequired[str]


class Outcome(Success):
    """``edit``, ``write``, ``apply_patch``, ``edit_notebook``, ``rewind``."""

    changed_files: list[ChangedFile]
    diff: str
    bytes_changed: int
    version_check: Literal["passed", "skipped"]
    match: Match | None
    side_effects: list[SideEffect]
    rewindable: bool
    warnings: list[str]
    applied: Literal["applied", "planned"]
    edit_id: NotRequired[str]
    diff_truncated: NotRequired[bool]
    merged: NotRequired[list[Merged]]
    amended: NotRequired[str]
    formatted: NotRequired[str]
    diagnostics: NotRequired[Delta]


class Glob(Result):
    """``glob``."""

    paths: list[str]
    truncated: bool
    total: int | None


class Hit(TypedDict):
    """One hit of a search."""

    file_path: str
    line: int
    text: str
    before: NotRequired[list[str]]
    after: NotRequired[list[str]]
    end_line: NotRequired[int]
    cut_lines: NotRequired[list[int]]


class Grep(Result):
    """``grep``."""

    matches: list[Hit]
    truncated: bool


class Diagnostics(Result):
    """``diagnostics``."""

    items: list[Diagnostic]
    state: State
    source: list[str]
    truncated: NotRequired[bool]


class Edit(TypedDict):
    """One edit of the history."""

    edit_id: str
    time: str
    session: str
    scope: str
    files: list[ChangedFile]
    added: int
    removed: int
    state: Literal["applied", "rewound", "unknown"]
    turn: NotRequired[str | None]
    call_id: NotRequired[str | None]
    tool: NotRequired[str]
    agent: NotRequired[str | None]
    review: NotRequired[Literal["pending", "kept", "undone"]]
    rewinds: NotRequired[str]
    origin: NotRequired[Literal["person", "native", "shell"]]


class History(Result):
    """``history``."""

    edits: list[Edit]


class Diff(Result):
    """``diff``."""

    diff: str
    diff_truncated: NotRequired[bool]


class Status(Result):
    """``status``."""

    server: dict[str, object]
    editor: dict[str, object] | None
    workspace_folders: list[str]
    sessions: list[dict[str, object]]
    open_documents: list[str]
    unsaved_documents: list[str]
    language_servers: list[dict[str, object]]
    policy: dict[str, object]
    timings: NotRequired[list[dict[str, object]]]


class Forgotten(Result):
    """``context_event``."""

    forgotten: list[str]
