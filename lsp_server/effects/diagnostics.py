"""The diagnostics side effect: what an edit broke and repaired, and what holds now.

Never: a claim without data. A source without a report about the text after is named as silent; one without a
report about the text before cannot say what is new.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from editor_clients.diagnostic import (
    SEVERITIES,
    Diagnostic,
    Severity,
    at_least,
    count_by_severity,
    rank,
    worst_first,
)
from editor_clients.port import Replacement
from editor_clients.source_reports import Comparison, Report, SourceReport, State, TextChange
from lsp_server.effects.details import with_details
from lsp_server.effects.diagnostic_delta import Delta, PlaceMap, TextMap, Unmoved, delta
from lsp_server.effects.sources import DiagnosticSource

MAX_NEW = 10
MAX_RESOLVED = 5
MAX_OTHER_FILES = 5
MAX_MESSAGE = 300
"""Characters of a message in an edit's outcome."""
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is told."""

    items: int = 50
    """Problems in one list."""
    severity: Severity = "hint"
    """What is less severe is counted where it remains, and not listed."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file of an edit that has happened, or is tried."""

    path: str
    before: str | None
    """None where the file is new."""
    after: str | None
    """None where the file is gone."""
    replacements: Sequence[Replacement] = ()
    """How ``before`` became ``after``; in order, not overlapping."""
    from_path: str | None = None
    """Where it was before a move."""


@dataclass(frozen=True, slots=True)
class EditDiagnostics:
    """What an edit did to the diagnostics."""

    new: tuple[Diagnostic, ...] = ()
    """Errors first, those of the edited files before those of others; bounded."""
    resolved: tuple[Diagnostic, ...] = ()
    remaining: Mapping[str, int] = field(default_factory=lambda: count_by_severity(()))
    """How many were there before and still are, by severity."""
    state: State = "none"
    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """Who is silent and why, and how much was left out."""

    def to_object(self) -> dict[str, object]:
        """The ``diagnostics`` object of an edit outcome (README, "Shapes")."""
        found: dict[str, object] = {
            "new": [_short(item) for item in self.new],
            "resolved": [_short(item) for item in self.resolved],
            "remaining": dict(self.remaining),
            "state": self.state,
            "source": list(self.sources),
        }
        if self.warnings:
            found["notes"] = list(self.warnings)
        return found


@dataclass(frozen=True, slots=True)
class CurrentDiagnostics:
    """What holds now."""

    items: tuple[Diagnostic, ...]
    """Errors first; bounded."""
    state: State
    sources: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    truncated: bool = False

    def to_object(self) -> dict[str, object]:
        """The result fields of the ``diagnostics`` tool."""
        return {
            "items": [item.to_object() for item in self.items],
            "state": self.state,
            "source": list(self.sources),
        } | ({"truncated": True} if self.truncated else {})


async def edit_diagnostics(
    servers: DiagnosticSource,
    edits: Sequence[FileEdit],
    *,
    deadline: float,
    happened: bool = True,
    bounds: Bounds = Bounds(),
    compared: Callable[[list[Comparison]], None] = lambda _: None,
) -> EditDiagnostics:
    """What ``edits``, taken as one, broke and repaired, in the edited files and in others that were open.

    ``deadline`` is a moment on the running loop's clock; the answer comes as soon as all sources settled.
    ``happened``: false for an edit that is only tried; the servers go back to the texts before.
    ``compared`` is given what was compared.
    """
    changes = [TextChange(edit.path, edit.before, edit.after, edit.from_path) for edit in edits]
    comparisons = await servers.compare(changes, deadline=deadline, keep=happened)
    compared(comparisons)
    found = sorted_out(edits, comparisons, servers.notes, bounds)
    texts = {edit.path: edit.after for edit in edits if edit.after is not None}
    return replace(found, new=await with_details(servers, found.new, texts))


async def current_diagnostics(
    servers: DiagnosticSource,
    texts: Mapping[str, str],
    *,
    severity: Severity | None = None,
    elsewhere: bool = False,
    deadline: float,
    most: int = 50,
) -> CurrentDiagnostics:
    """What holds for the current ``texts`` (by path), at least as bad as ``severity``.

    ``elsewhere``: also what servers said by themselves about other files. At most ``most``, the rest is counted.
    """
    reports: list[Report] = []
    paths = list(texts)
    for start in range(0, len(paths), _AT_ONCE):
        batch = paths[start : start + _AT_ONCE]
        asked = (servers.diagnostics(path, texts[path], deadline=deadline) for path in batch)
        reports += await asyncio.gather(*asked)
    found = [item for report in reports for item in report.items]
    if elsewhere:
        found += servers.elsewhere(beside=texts)
    items = at_least(worst_first(found), severity)
    notes = [note for report in reports for note in report.notes]
    if len(items) > most:
        notes.append(f"{_counted(items[most:])} more are not listed; ask for one file or a severity.")
    return CurrentDiagnostics(
        items=await with_details(servers, items[:most], texts),
        state=_joint_state(reports),
        sources=_unique(source for report in reports for source in report.sources),
        warnings=_unique(notes),
        truncated=len(items) > most,
    )


class _Sorting:
    """The delta of all files and sources, as it grows."""

    def __init__(self, edits: Sequence[FileEdit]) -> None:
        self._maps = {edit.path: _place_map(edit) for edit in edits}
        self.new: list[Diagnostic] = []
        self.resolved: list[Diagnostic] = []
        self.remaining: list[Diagnostic] = []
        self.late: list[SourceReport] = []
        self.heard: list[str] = []
        self.unsure: list[str] = []
        """Sources that cannot tell what is new."""

    def add(self, compared: Comparison) -> None:
        """Take in what one source says."""
        for path, after in compared.after.items():
            before = compared.before.get(path)
            if path in self._maps:
                self._add_edited(path, before, after)
            elif before is not None and before.status == after.status == "fresh":
                self._keep(delta(before.items, after.items, Unmoved()))

    def _add_edited(self, path: str, before: SourceReport | None, after: SourceReport) -> None:
        if after.status != "fresh":
            self.late.append(after)
        if after.status == "silent":
            return
        self.heard.append(after.source)
        if before is None or before.status != "fresh":
            self.unsure.append(after.source)
            self.remaining += after.items
            return
        found = delta(before.items, after.items, self._maps[path])
        # What is missing from a report that is not complete yet is not resolved for that.
        self._keep(found if after.status == "fresh" else Delta(found.new, (), found.remaining))

    def _keep(self, found: Delta) -> None:
        self.new += found.new
        self.resolved += found.resolved
        self.remaining += found.remaining


def sorted_out(
    edits: Sequence[FileEdit],
    compared: Iterable[Comparison],
    notes_of: Callable[[Iterable[SourceReport]], Iterable[str]],
    bounds: Bounds = Bounds(),
) -> EditDiagnostics:
    """The outcome of a comparison; ``notes_of`` says why reports are not fresh."""
    sorting = _Sorting(edits)
    for one in compared:
        sorting.add(one)
    edited = {edit.path for edit in edits}
    new, warnings = _bounded_new(at_least(sorting.new, bounds.severity), edited, min(MAX_NEW, bounds.items))
    warnings += notes_of(sorting.late)
    warnings += [
        f"{source} had no report about the text before; what it finds is counted as remaining."
        for source in _unique(sorting.unsure)
    ]
    resolved = worst_first(at_least(sorting.resolved, bounds.severity))
    most = min(MAX_RESOLVED, bounds.items)
    if len(resolved) > most:
        warnings.append(f"{_counted(resolved[most:])} more are resolved and not listed.")
    return EditDiagnostics(
        new=tuple(new),
        resolved=tuple(resolved[:most]),
        remaining=count_by_severity(sorting.remaining),
        state="none" if not sorting.heard else "partial" if sorting.late or sorting.unsure else "fresh",
        sources=_unique(sorting.heard),
        warnings=tuple(warnings),
    )


def _bounded_new(
    items: Iterable[Diagnostic], edited: set[str], most: int
) -> tuple[list[Diagnostic], list[str]]:
    """The worst of the new ones, and sentences about what is not among them."""
    ordered = sorted(worst_first(items), key=lambda item: (rank(item.severity), item.file_path not in edited))
    others: list[str] = []
    listed: list[Diagnostic] = []
    left_out: list[Diagnostic] = []
    for item in ordered:
        if item.file_path not in edited and item.file_path not in others:
            others.append(item.file_path)
        is_named = item.file_path in edited or item.file_path in others[:MAX_OTHER_FILES]
        (listed if is_named and len(listed) < most else left_out).append(item)
    warnings: list[str] = []
    if left_out:
        warnings.append(f"{_counted(left_out)} more are new and not listed; the diagnostics tool shows them.")
    if len(others) > MAX_OTHER_FILES:
        warnings.append(f"{len(others)} other files have new problems; {MAX_OTHER_FILES} are named.")
    return listed, warnings


def _place_map(edit: FileEdit) -> PlaceMap:
    if edit.before is None or edit.after is None or not edit.replacements:
        return Unmoved()
    return TextMap(edit.before, edit.after, edit.replacements)


def _joint_state(reports: Sequence[Report]) -> State:
    states = {report.state for report in reports if report.sources or report.silent}
    if not states or states == {"none"}:
        return "none"
    return "fresh" if states == {"fresh"} else "partial"


def _counted(items: Sequence[Diagnostic]) -> str:
    """For example ``3 errors, 1 hint``."""
    counts = Counter(item.severity for item in items)
    words = {"information": "remark"}
    return ", ".join(
        f"{counts[one]} {words.get(one, one)}{'s' if counts[one] != 1 else ''}"
        for one in SEVERITIES
        if counts[one]
    )


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _short(item: Diagnostic) -> dict[str, str | int | None]:
    found = item.to_object()
    if len(item.message) > MAX_MESSAGE:
        found["message"] = item.message[: MAX_MESSAGE - 1] + "…"
    return found
