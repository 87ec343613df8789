"""What the recorded entries say: of one file through its names, since a point, and what a rewind must undo.

Entries come newest first, as every list of history is shown.

Never: texts. What a rewind makes of a file is planned where texts are; here is only which records it is
about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ledger.types import EditId, Entry, FileRecord, FileState, TargetKey


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry with what became of it."""

    entry: Entry
    rewound_by: tuple[EditId | None, ...]
    """For each of its files the rewind that took it back, if one did."""


@dataclass(frozen=True, slots=True)
class RewindStep:
    """Files of one entry that a rewind undoes; steps are undone in their order."""

    entry: Entry
    files: tuple[FileRecord, ...]


@dataclass(frozen=True, slots=True)
class Baseline:
    """One file as it was before a stretch of entries, and the name that it has after them."""

    target: TargetKey
    path: str
    """The name after."""
    origin: TargetKey
    origin_path: str
    """The name before."""
    before: FileState | None
    """None when it was not there."""


def touching(entries: Iterable[Entry], target: TargetKey) -> Iterator[tuple[Entry, tuple[FileRecord, ...]]]:
    """The entries that concern ``target``, also under its earlier names, each with those of its files."""
    names = {target}
    for entry in entries:
        found = tuple(file for file in entry.files if file.target in names or file.from_target in names)
        if found:
            yield entry, found
        names.update(file.from_target for file in found if file.from_target and file.target in names)


def baselines(entries: Sequence[Entry]) -> tuple[Baseline, ...]:
    """What every file that ``entries`` (newest first) touched was before them, one row per file."""
    found: dict[TargetKey, Baseline] = {}
    for entry in reversed(entries):
        for file in entry.files:
            if file.operation == "move" and file.from_target is not None:
                _follow_move(found, file, file.from_target)
            elif file.target not in found:
                found[file.target] = Baseline(file.target, file.path, file.target, file.path, file.before)
    return tuple(found.values())


def _follow_move(found: dict[TargetKey, Baseline], file: FileRecord, source: TargetKey) -> None:
    """Carry the row of ``source`` over to the destination of ``file``."""
    path = file.from_path or source
    row = found.pop(source, None) or Baseline(source, path, source, path, file.before)
    if file.target in found:
        # Something else stood at the destination before: two rows then, one gone and one changed.
        found[source] = row
    else:
        found[file.target] = Baseline(file.target, file.path, row.origin, row.origin_path, row.before)


def rewind_steps(
    reach: Sequence[Recorded], target: TargetKey | None = None, *, further: Collection[EditId] = ()
) -> tuple[RewindStep, ...]:
    """What taking back all of ``reach`` must undo, newest first.

    ``reach`` is the first entry to go and every later one of its session, newest first. A rewind in it and all
    that it took back cancel out and are left alone; one of those in ``further``, which took back something
    outside as well, is undone like any edit. With ``target`` only that file's records, under all its names.
    """
    skipped = _cancelled(reach, further)
    rewinders = {each.entry.edit_id for each in reach}
    steps: list[RewindStep] = []
    concerned = None if target is None else dict(_concerned((each.entry for each in reach), target))
    for each in reach:
        files = tuple(
            file
            for position, file in enumerate(each.entry.files)
            if each.entry.state != "unknown"
            and (each.entry.edit_id, position) not in skipped
            # Taken back by a rewind that is not undone here (a person's): nothing is left of it.
            and (each.rewound_by[position] is None or each.rewound_by[position] in rewinders)
            and (concerned is None or file in concerned.get(each.entry.edit_id, ()))
        )
        if files:
            steps.append(RewindStep(each.entry, files))
    return tuple(steps)


def _concerned(
    entries: Iterable[Entry], target: TargetKey
) -> Iterator[tuple[EditId, tuple[FileRecord, ...]]]:
    for entry, files in touching(entries, target):
        yield entry.edit_id, files


def _cancelled(reach: Sequence[Recorded], further: Collection[EditId]) -> set[tuple[EditId, int]]:
    """Records of rewinds within ``reach`` that took back nothing outside it, and what they took back."""
    taken: dict[EditId, set[tuple[EditId, int]]] = {}
    for each in reach:
        for position, rewinder in enumerate(each.rewound_by):
            if rewinder is not None and rewinder not in further:
                taken.setdefault(rewinder, set()).add((each.entry.edit_id, position))
    found: set[tuple[EditId, int]] = set()
    for each in reach:
        undone = taken.get(each.entry.edit_id)
        if undone:
            found |= undone
            found |= {(each.entry.edit_id, position) for position in range(len(each.entry.files))}
    return found
