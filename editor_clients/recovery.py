"""Take back, or tidy up, what a process that died left half done on disk.

Never: touching text that somebody changed since, or the work of a process that is alive.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from editor_clients.places import Place
from editor_clients.transaction_journal import NEWBORN, Journal, Record, UntrustedError, journal_files, peek
from editor_clients.transaction_steps import (
    Create,
    InPlace,
    Remove,
    Rename,
    Replace,
    Step,
    has_fingerprint,
    paths_of,
)
from editor_clients.transaction_undo import (
    NotRestored,
    Undoer,
    discard,
    missing_folder,
    remove_private,
    take_back,
)
from editor_clients.walls import Walls
from ledger.errors import CoeditorError

_ASIDE = "set-aside"
_GROWN_UP = 600.0
"""Seconds; writing a journal takes a millisecond."""
_TURN = 0.002
_PATIENCE = 30.0
"""Seconds; a recovery is a matter of milliseconds."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """One transaction that a dead process had left behind."""

    name: str
    outcome: Literal["undone", "finished", "blocked"]
    """``blocked``: it cannot be trusted or completed; its targets stay as they are until it is set aside."""
    paths: tuple[str, ...]
    """Canonical paths that the journal names."""
    not_restored: tuple[NotRestored, ...] = ()
    problem: str | None = None
    """Why it is blocked and what to do, in a sentence."""


def recover_elsewhere(
    journal_dir: str, key: str, walls_of: Callable[[Sequence[str]], Walls]
) -> list[Recovered]:
    """The same for the journals of another workspace folder, as far as they name ``key``, whose lock is held.

    ``walls_of`` gives the walls around the workspace folders of whoever wrote a journal.
    """
    found = []
    for file_name in reversed(journal_files(journal_dir)):
        record = peek(journal_dir, file_name)
        if record is not None and record.roots and key in _paths(record):
            found += recover(journal_dir, walls_of(record.roots), awaited=[key], only=file_name)
    return found


def recover(
    journal_dir: str, walls: Walls, *, awaited: Collection[str] = (), only: str | None = None
) -> list[Recovered]:
    """Undo what was not finished and finish what was, of every transaction whose process is gone.

    ``awaited``: canonical paths whose locks the caller holds; where another process is at work on a journal
    that names one of them, this returns only after it. ``only``: the one journal to look at.

    May be run at any time, by several processes, and again after it was interrupted. A journal that is
    foreign, damaged or out of place is left and reported as ``blocked``.
    """
    _clear_newborn(journal_dir)
    found = []
    names = journal_files(journal_dir) if only is None else [only]
    for file_name in reversed(names):  # the latest first: it may build on an earlier one
        try:
            journal = Journal.adopt(journal_dir, file_name)
        except OSError as error:
            name = file_name.rpartition(".")[0]
            found.append(_blocked(name, (), f"it cannot be opened ({error.strerror})"))
            continue
        if journal is None and awaited:
            journal = _wait(journal_dir, file_name, awaited)
        if journal is not None:
            item = _recover_one(journal, walls)
            found += [item] if item is not None else []
    return found


def _clear_newborn(journal_dir: str) -> None:
    """Remove journals whose writer died over them, before anything else was touched."""
    with suppress(FileNotFoundError), os.scandir(journal_dir) as entries:
        for entry in entries:
            if entry.name.endswith(NEWBORN) and time.time() - entry.stat().st_mtime > _GROWN_UP:
                remove_private(entry.path)


def _wait(journal_dir: str, file_name: str, awaited: Collection[str]) -> Journal | None:
    """The journal, should the process that has it die as well; None when it is done with, or of no interest."""
    record = peek(journal_dir, file_name)
    if record is None or not set(_paths(record)) & set(awaited):
        return None
    patience = _PATIENCE
    while os.path.lexists(os.path.join(journal_dir, file_name)) and patience > 0:
        time.sleep(_TURN)
        patience -= _TURN
        journal = Journal.adopt(journal_dir, file_name)
        if journal is not None:
            return journal
    return None


def set_aside(journal_dir: str, name: str) -> str:
    """Move a blocked journal and its files out of the way for good; answers the folder that holds them.

    Errors: OSError.
    """
    folder = os.path.join(journal_dir, _ASIDE)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for file_name in os.listdir(journal_dir):
        if file_name.startswith(name + "."):
            os.rename(os.path.join(journal_dir, file_name), os.path.join(folder, file_name))
    return folder


def _recover_one(journal: Journal, walls: Walls) -> Recovered | None:
    """None when nothing had been done."""
    try:
        record = journal.read()
        _check_paths(record, walls)
    except UntrustedError as error:
        if journal.phase == "staging" and journal.is_cut_short():
            journal.remove()  # its writer died over it, before anything else was touched
            return None
        journal.close()
        return _blocked(journal.name, (), str(error))
    except CoeditorError as error:
        journal.close()
        return _blocked(
            journal.name, _paths(record), f"it names a path that is closed to us ({error.message})"
        )
    undoer = Undoer(walls, journal.folder, journal.name)
    try:
        return _settle(journal, record, undoer)
    except (OSError, CoeditorError) as error:
        journal.close()
        return _blocked(journal.name, _paths(record), f"it could not be completed yet ({error})")


def _settle(journal: Journal, record: Record, undoer: Undoer) -> Recovered:
    paths = _paths(record)
    if journal.phase == "done":
        for step in record.steps:
            with suppress(FileNotFoundError):
                _discard(undoer, step)
        journal.remove()
        return Recovered(journal.name, "finished", paths)
    alone = journal.phase == "staging" and len(record.steps) == 1
    happened = alone and _is_published(record.steps[0], undoer.walls)
    kept: dict[str, NotRestored] = {}
    take_back(journal, undoer, record.steps, record.folders, kept)
    return Recovered(journal.name, "finished" if happened else "undone", paths, tuple(kept.values()))


def _discard(undoer: Undoer, step: Step) -> None:
    try:
        discard(undoer, step)
        undoer.forget_stage(step)
    except (OSError, CoeditorError) as error:
        if not missing_folder(error):
            raise


def _is_published(step: Step, walls: Walls) -> bool:
    """Whether the only step of a transaction, which needs no second phase, had been made."""
    try:
        match step:
            case Create() | Replace():
                with walls.open_entry(step.path) as place, place.sibling(step.stage) as stage:
                    return stage.status() is None and has_fingerprint(place, step.after)
            case Rename():
                with walls.open_entry(step.src) as src, walls.open_entry(step.dst) as dst:
                    return src.status() is None and _is_there(dst)
            case InPlace() | Remove():
                return False
    except CoeditorError:
        return False


def _is_there(place: Place) -> bool:
    return place.status() is not None


def _check_paths(record: Record, walls: Walls) -> None:
    """Errors: UntrustedError, CoeditorError."""
    for path in (*_paths(record), *record.folders):
        try:
            real = walls.check_entry(path)
        except CoeditorError as error:
            if missing_folder(error):
                continue
            raise
        if real != path:
            raise UntrustedError(f"it names {path}, which now leads somewhere else")


def _paths(record: Record) -> tuple[str, ...]:
    return tuple(path for step in record.steps for path in paths_of(step))


def _blocked(name: str, paths: tuple[str, ...], why: str) -> Recovered:
    problem = (
        f"The unfinished change {name} cannot be completed: {why}. Look at the files that it names, then run"
        " `coeditor doctor --repair` to set it aside."
    )
    return Recovered(name, "blocked", paths, problem=problem)
