"""What the caller of a mutation gets back (README, "Edit outcome").

Never: I/O. Everything that an outcome says was established before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from editor_clients.charsets import UTF_8
from editor_clients.diffs import FileDiff, cut_diff, unified_diff
from editor_clients.encoding import encode
from editor_clients.lines import count_lines_of
from editor_clients.port import CurrentText, FileChange
from editor_clients.replacements import Hunk, hunks_between, hunks_of, line_edits_of
from ledger.history import RewindStep
from ledger.ranges import LineRanges
from ledger.types import EditId, LineEdit, TargetKey
from lsp_server.workspace import Workspace

MOST_PLACES = 1_000
"""Of one match in an outcome; ``count`` tells of all."""
_WHOLE_PLAN = "Send the same on the command line, for example coeditor apply-patch --validate-only --json,"


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """How the place was found."""

    level: str
    count: int
    lines: tuple[tuple[int, int], ...]
    """1-based, inclusive, in the text before."""

    def to_object(self) -> dict[str, Any]:
        """README, "Shapes"; of very many hits the first places."""
        shown = self.lines[:MOST_PLACES]
        return {"level": self.level, "count": self.count, "lines": [list(span) for span in shown]}


@dataclass(frozen=True, slots=True)
class Merged:
    """Somebody else's changes that an edit was moved over."""

    moved_by: str
    lines: LineRanges
    """In the text before the edit."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """What a person made of a text before they agreed to it."""

    target: TargetKey
    path: str
    wanted: str
    """The agent's text."""
    final: str


@dataclass(frozen=True)
class Planned:
    """One change with what follows from its two texts, computed once."""

    change: FileChange
    path: str
    """How the target is spelled in the outcome."""
    from_path: str | None = None
    matches: tuple[MatchInfo, ...] = ()
    whole: bool = False
    """The caller sent the whole text."""
    merged: Merged | None = None
    """What of the text before the caller had not seen, where the change was moved over it."""
    found: tuple[Hunk, ...] | None = None
    """The changed lines, where they were looked for already."""

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The changed lines; none where a file came or went."""
        if self.change.before is None or self.change.after is None:
            return ()
        if self.found is not None:
            return self.found
        if self.change.replacements:
            return hunks_of(self.change.before.text, self.change.after, self.change.replacements)
        return hunks_between(self.change.before.text, self.change.after)

    @property
    def edits(self) -> tuple[LineEdit, ...]:
        """The hunks as the ledger wants them."""
        return line_edits_of(self.hunks)

    @property
    def added(self) -> int:
        """Lines."""
        if self.change.before is None:
            return count_lines_of(self.change.after or "")
        return sum(hunk.added for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """Lines."""
        if self.change.after is None:
            return count_lines_of(self.change.before.text) if self.change.before is not None else 0
        return sum(hunk.removed for hunk in self.hunks)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a request wants done, decided and matched but not yet applied."""

    files: tuple[Planned, ...]
    match: MatchInfo | None = None
    version_check: Literal["passed", "skipped"] = "passed"
    warnings: tuple[str, ...] = ()
    rewinds: EditId | None = None
    undone: tuple[RewindStep, ...] = ()
    """What it takes back altogether."""
    puts_back: bool = False
    """It puts back what stood there once, as a rewind does."""
    amended: tuple[Amendment, ...] = ()
    """Texts that a person changed before they agreed; a file that they left as it was is no longer in ``files``."""
    emptied: tuple[str, ...] = ()
    """Folders that are to go if nothing is in them afterwards."""

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """What the authority is asked to make, in the order of ``files``."""
        return tuple(one.change for one in self.files)


@dataclass(frozen=True, slots=True)
class Happened:
    """What was read back after a plan was applied."""

    edit_id: EditId
    current: Mapping[TargetKey, CurrentText | None]
    saved: Mapping[TargetKey, bool]
    rewindable: bool
    warnings: Sequence[str] = field(default=())
    formatted: Mapping[TargetKey, tuple[str, str]] = field(default_factory=dict)
    """Texts before and after the editor's format on save."""


def diff_of(workspace: Workspace, files: Iterable[Planned]) -> str:
    """The agent's part of the change, git style."""
    return unified_diff(_file_diff(workspace, one) for one in files)


def outcome(
    workspace: Workspace, plan: Plan, happened: Happened | None, *, whole_diff: bool = False
) -> dict[str, Any]:
    """The outcome object; without ``happened`` nothing was applied (``planned``).

    ``whole_diff``: the diff is not cut, however long it is.
    """
    limit = workspace.settings.limit("diff_chars")
    diff = diff_of(workspace, plan.files)
    diff, truncated = (diff, False) if whole_diff else cut_diff(diff, limit)
    found: dict[str, Any] = {"ok": True}
    notes = list(plan.warnings)
    if happened is not None:
        found["edit_id"] = happened.edit_id
        notes += happened.warnings
    found["changed_files"] = [changed_file(one, happened) for one in plan.files]
    found["diff"] = diff
    for name, other in _further_diffs(workspace, plan, happened).items():
        found[name], cut = cut_diff(other, limit)
        truncated = truncated or cut
    if truncated:
        found["diff_truncated"] = True
        how = f'Call diff with since = "{happened.edit_id}"' if happened else _WHOLE_PLAN
        notes.append(f"The diff is cut at {limit} characters. {how} for all of it.")
    merged = [_merged(one, one.merged) for one in plan.files if one.merged is not None]
    if merged:
        found["merged"] = merged
    found |= {
        "bytes_changed": sum(_bytes_changed(one.change) for one in plan.files),
        "version_check": plan.version_check,
        "match": plan.match.to_object() if plan.match else None,
        "side_effects": [],
        "rewindable": happened.rewindable if happened else False,
        "warnings": notes,
        "applied": "applied" if happened else "planned",
    }
    return found


def _merged(one: Planned, merged: Merged) -> dict[str, Any]:
    """One row of ``merged``; its lines in the text after the edit."""
    lines = merged.lines.shift(one.edits).pairs()
    return {"file_path": one.path, "moved_by": merged.moved_by, "lines": lines}


def _further_diffs(workspace: Workspace, plan: Plan, happened: Happened | None) -> dict[str, str]:
    """What others had a part in, by the name of the field."""
    found: dict[str, str] = {}
    if plan.amended:
        found["amended"] = _amended_diff(workspace, plan)
    if happened is not None and happened.formatted:
        found["formatted"] = _formatted_diff(workspace, plan, happened)
    return found


def _amended_diff(workspace: Workspace, plan: Plan) -> str:
    """From what the caller sent to what the person agreed to."""
    names = [(workspace.name_in_diff(one.path), one) for one in plan.amended]
    return unified_diff(FileDiff(name, name, one.wanted, one.final) for name, one in names)


def _formatted_diff(workspace: Workspace, plan: Plan, happened: Happened) -> str:
    """What the editor's formatter changed after the edit."""
    files = []
    for one in plan.files:
        if one.change.target in happened.formatted:
            before, after = happened.formatted[one.change.target]
            name = workspace.name_in_diff(one.path)
            files.append(FileDiff(name, name, before, after))
    return unified_diff(files)


def changed_file(one: Planned, happened: Happened | None) -> dict[str, Any]:
    """One row of ``changed_files``."""
    target = one.change.target
    after = happened.current.get(target) if happened is not None else None
    known = after or one.change.before
    row: dict[str, Any] = {"file_path": one.path, "operation": one.change.operation}
    if one.from_path is not None:
        row["from"] = one.from_path
    row["version"] = after.token if after is not None else None
    row["authority"] = known.authority if known is not None else "disk"
    row["saved"] = happened.saved.get(target, True) if happened is not None else False
    row["added"], row["removed"] = one.added, one.removed
    if one.matches:
        row["matches"] = [info.to_object() for info in one.matches]
    return row


def _file_diff(workspace: Workspace, one: Planned) -> FileDiff:
    change = one.change
    name = workspace.name_in_diff(one.path)
    source = workspace.name_in_diff(one.from_path) if one.from_path is not None else name
    before = change.before
    mode = before.mode if before is not None else None
    return FileDiff(
        path_before=source if before is not None else None,
        path_after=name if change.after is not None else None,
        before=before.text if before is not None else None,
        after=change.after,
        mode_before=mode,
        mode_after=change.mode if change.mode is not None else mode,
        hunks=one.hunks if before is not None and change.after is not None else None,
    )


def _bytes_changed(change: FileChange) -> int:
    """Bytes removed plus bytes inserted on the replaced spans."""
    before = change.before.text if change.before is not None else ""
    encoding = change.encoding or (change.before.encoding if change.before is not None else UTF_8)
    if change.operation in ("create", "delete"):
        return _length(change.after or before, encoding)
    return sum(
        _length(before[part.start : part.end], encoding) + _length(part.text, encoding)
        for part in change.replacements
    )


def _length(text: str, encoding: str) -> int:
    if text.isascii() and not encoding.startswith(("utf-16", "utf-32")):
        return len(text)
    if encoding == "unknown-8bit":
        return len(text)
    return len(encode(text, UTF_8 if encoding.startswith("utf-8") else encoding, bom=False))
