"""The decision table: what a scope that saw this may do to that target.

::

    operation                 unseen              absent            present at v
    write                     create if absent    create if absent  replace v (1)
    edit, update              FS_NOT_OBSERVED     FS_NOT_FOUND      replace v
    edit that may create      create if absent    create if absent  replace v
    delete, move source       FS_NOT_OBSERVED     FS_NOT_FOUND      replace v (2)
    add, move destination     create if absent    create if absent  FS_ALREADY_EXISTS (3)

    (1) every line read at v since the last refusal, else FS_PARTIALLY_OBSERVED
    (2) read since the last refusal, else FS_NOT_OBSERVED
    (3) replace v when the same patch deletes it first

``read_first = false`` turns the gate off: what was not seen is replaced as it is met, what was seen is still
compared with the version seen, and nothing needs to have been read.

Who asks is handed the decision as a value (``Decide``), so that another policy, or none, can stand in its place.

Never: I/O. The authority checks the precondition again, in the same step as the write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ledger.errors import Code
from ledger.ranges import NONE, LineRanges
from ledger.session import Absent, Observation, Present
from ledger.types import CreateIfAbsent, Operation, Precondition, ReplaceCurrent, ReplaceIfVersion

_CREATES = frozenset({Operation.PATCH_ADD, Operation.MOVE_DESTINATION})
_NEEDS_A_READ = frozenset({Operation.PATCH_DELETE, Operation.MOVE_SOURCE})


@dataclass(frozen=True, slots=True)
class Refusal:
    """The ledger says no."""

    code: Code
    missing: LineRanges = NONE
    """For an overwrite, the lines that were not read."""


Decision = Precondition | Refusal


class Decide(Protocol):
    """A policy, as those who obey it are handed it."""

    def __call__(
        self,
        operation: Operation,
        observation: Observation,
        *,
        creates: bool = False,
        deleted_first: bool = False,
    ) -> Decision:
        """See ``decide``."""
        ...


def decide(
    operation: Operation,
    observation: Observation,
    *,
    read_first: bool = True,
    creates: bool = False,
    deleted_first: bool = False,
) -> Decision:
    """The precondition that travels to the authority, or the refusal.

    ``creates``: an edit whose old text is empty, which makes the file when it is not there.
    ``deleted_first``: an earlier section of the same patch deletes (or moves away) this target.
    """
    if operation in _CREATES:
        return _decide_create(observation, read_first=read_first, deleted_first=deleted_first)
    if isinstance(observation, Present):
        return _decide_present(operation, observation, read_first=read_first)
    if not read_first:
        return ReplaceCurrent()
    if operation is Operation.WRITE or creates:
        return CreateIfAbsent()
    if isinstance(observation, Absent):
        return Refusal(Code.FS_NOT_FOUND)
    return Refusal(Code.FS_NOT_OBSERVED)


def _decide_present(operation: Operation, seen: Present, *, read_first: bool) -> Decision:
    if read_first and operation is Operation.WRITE and not seen.is_whole_read():
        missing = seen.read.missing(seen.total)
        return Refusal(Code.FS_PARTIALLY_OBSERVED, missing)
    if read_first and operation in _NEEDS_A_READ and seen.read_needed:
        return Refusal(Code.FS_NOT_OBSERVED)
    return ReplaceIfVersion(seen.token)


def _decide_create(observation: Observation, *, read_first: bool, deleted_first: bool) -> Decision:
    if isinstance(observation, Present):
        if deleted_first:
            return ReplaceIfVersion(observation.token)
        if read_first:
            return Refusal(Code.FS_ALREADY_EXISTS)
    elif deleted_first and not read_first:
        return ReplaceCurrent()
    return CreateIfAbsent()
