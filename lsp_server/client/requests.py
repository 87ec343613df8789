"""The tools as Python functions: each makes a request, which a client of either kind carries out.

Parameters, their order aside, are those of ``wire.tools``. Never: a connection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Generic, Literal, TypeVar

from lsp_server.client import results

R = TypeVar("R")
Path = str | PathLike[str]
Event = Literal["contextEvicted", "sessionResumed", "scopeStarted", "scopeEnded", "sessionEnded"]


@dataclass(frozen=True, slots=True)
class Request(Generic[R]):
    """One call of one tool, which gives an ``R``."""

    tool: str
    arguments: Mapping[str, object]


def read(
    file_path: Path, offset: int = 1, limit: int = 2000, *, refresh: bool = False, changed_only: bool = False
) -> Request[results.Read]:
    """Read a text file as the person sees it, unsaved typing included."""
    return _request(
        "read",
        file_path=file_path,
        offset=offset,
        limit=limit,
        refresh=refresh,
        changed_only=changed_only,
    )


def edit(
    file_path: Path,
    old_string: str | None = None,
    new_string: str = "",
    *,
    replace_all: bool = False,
    start_line: int | None = None,
    end_line: int | None = None,
) -> Request[results.Outcome]:
    """Replace text, or whole lines, of a file that was read."""
    return _request(
        "edit",
        file_path=file_path,
        old_string=old_string,
        new_string=new_string,
        replace_all=replace_all,
        start_line=start_line,
        end_line=end_line,
    )


def write(file_path: Path, content: str) -> Request[results.Outcome]:
    """Create a file, or replace the whole text of one that was read in full."""
    return _request("write", file_path=file_path, content=content)


def apply_patch(patch: str, *, validate_only: bool = False) -> Request[results.Outcome]:
    """Apply a V4A patch over any number of files: all of it or nothing."""
    return _request("apply_patch", patch=patch, validate_only=validate_only)


def edit_notebook(
    file_path: Path,
    cell_id: str | None = None,
    new_source: str | None = None,
    *,
    cell_type: Literal["code", "markdown", "raw"] | None = None,
    mode: Literal["replace", "insert", "delete"] = "replace",
) -> Request[results.Outcome]:
    """Replace, insert or delete one cell of a notebook that was read."""
    return _request(
        "edit_notebook",
        file_path=file_path,
        cell_id=cell_id,
        new_source=new_source,
        cell_type=cell_type,
        mode=mode,
    )


def glob(pattern: str, path: Path | None = None, *, limit: int = 200) -> Request[results.Glob]:
    """Find files by name, newest first."""
    return _request("glob", pattern=pattern, path=path, limit=limit)


def grep(
    pattern: str,
    path: Path | None = None,
    *,
    glob: str | None = None,
    context: int = 0,
    limit: int = 200,
    multiline: bool = False,
) -> Request[results.Grep]:
    """Search in files; the lines that it shows count as seen."""
    return _request(
        "grep", pattern=pattern, path=path, glob=glob, context=context, limit=limit, multiline=multiline
    )


def diagnostics(
    file_path: Path | None = None, severity: results.Severity | None = None
) -> Request[results.Diagnostics]:
    """The language servers' problems, of one file or of all that are known."""
    return _request("diagnostics", file_path=file_path, severity=severity)


def history(file_path: Path | None = None, *, limit: int = 50) -> Request[results.History]:
    """The session's edits, newest first."""
    return _request("history", file_path=file_path, limit=limit)


def diff(since: str | None = None, file_path: Path | None = None) -> Request[results.Diff]:
    """What changed since just before an edit or a turn; since the session's start when left out."""
    return _request("diff", since=since, file_path=file_path)


def rewind(to: str, file_path: Path | None = None, *, dry_run: bool = False) -> Request[results.Outcome]:
    """Take back an edit, or a turn, and every later one of the session."""
    return _request("rewind", to=to, file_path=file_path, dry_run=dry_run)


def status(*, timings: bool = False) -> Request[results.Status]:
    """Server, editor, folders, sessions and the policy in force; with ``timings`` where edits' time goes."""
    return _request("status", timings=timings)


def context_event(
    event: Event,
    *,
    session: str | None = None,
    scope: str | None = None,
    parent: str | None = None,
    call_ids: Sequence[str] | None = None,
    file_paths: Sequence[Path] | None = None,
    all: bool = False,
) -> Request[results.Forgotten]:
    """Tell what a context can no longer see, or that one begins or ends."""
    return _request(
        "context_event",
        event=event,
        session=session,
        scope=scope,
        parent=parent,
        call_ids=call_ids,
        file_paths=file_paths,
        all=all,
    )


def _request(tool: str, **arguments: object) -> Request[R]:
    found = {name: _plain(value) for name, value in arguments.items() if value is not None}
    return Request(tool, found)


def _plain(value: object) -> object:
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value
