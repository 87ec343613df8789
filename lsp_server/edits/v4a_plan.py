"""What a patch makes of its files, worked out on texts in memory before anything is touched.

Never: I/O, or a question whether the caller may.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ledger.errors import Code, CoeditorError
from ledger.types import Operation, TargetKey
from lsp_server.edits.v4a_picture import Picture, Resolve, paths_of, resolved
from lsp_server.edits.v4a_rows import PatchFile, PatchPlan, PlannedFile
from lsp_server.edits.v4a_types import (
    AddSection,
    DeleteSection,
    MoveSection,
    Patch,
    Section,
    UpdateSection,
)

__all__ = [
    "AskedOperation",
    "PatchFile",
    "PatchPlan",
    "PlannedFile",
    "Resolve",
    "operations",
    "plan_patch",
    "targets_of",
]


@dataclass(frozen=True, slots=True)
class AskedOperation:
    """One question for the policy."""

    path: str
    """As the patch has it."""
    target: TargetKey
    operation: Operation
    line: int
    """1-based in the patch as sent."""


def targets_of(patch: Patch, resolve: Resolve) -> dict[TargetKey, str]:
    """Every target that the patch names, in order, with the first path that it has for it.

    Errors: those of ``resolve``, with ``file_path`` and ``data.line``.
    """
    found: dict[TargetKey, str] = {}
    for section in patch.sections:
        for path in paths_of(section):
            found.setdefault(resolved(resolve, path, section.line_no), path)
    return found


def operations(patch: Patch, resolve: Resolve) -> list[AskedOperation]:
    """What the patch wants of files as they are before it, in order; each pair of target and operation once.

    What a section does to an earlier section's result is no question: an Add where the patch deleted, an Update
    of what it moved. Errors: those of ``resolve``, with ``file_path`` and ``data.line``.
    """
    asked: dict[tuple[TargetKey, Operation], AskedOperation] = {}
    own: set[TargetKey] = set()  # targets that the patch made or took away

    def ask(section: Section, path: str, operation: Operation) -> None:
        target = resolved(resolve, path, section.line_no)
        if target not in own:
            asked.setdefault((target, operation), AskedOperation(path, target, operation, section.line_no))
        if operation is not Operation.PATCH_UPDATE:
            own.add(target)

    for section in patch.sections:
        match section:
            case AddSection(path):
                ask(section, path, Operation.PATCH_ADD)
            case DeleteSection(path):
                ask(section, path, Operation.PATCH_DELETE)
            case UpdateSection(path, _, chunks, move_to):
                if chunks:
                    ask(section, path, Operation.PATCH_UPDATE)
                if move_to is not None:
                    ask(section, path, Operation.MOVE_SOURCE)
                    ask(section, move_to, Operation.MOVE_DESTINATION)
            case MoveSection(path, move_to):
                ask(section, path, Operation.MOVE_SOURCE)
                ask(section, move_to, Operation.MOVE_DESTINATION)
    return list(asked.values())


def plan_patch(
    patch: Patch,
    resolve: Resolve,
    texts: Mapping[TargetKey, PatchFile | None],
    *,
    tolerant: bool,
) -> PatchPlan:
    """The plan of ``patch`` over ``texts``: every target that it names, None where no file is.

    Errors: the first failing section's, with ``file_path`` as written there and ``data.line``; what fails for
    other targets is in ``data.failures``. FS_NO_CHANGE when the sections take each other back.
    """
    picture = Picture(resolve, texts, tolerant)
    failures: list[CoeditorError] = []
    for section in patch.sections:
        try:
            picture.take(section)
        except CoeditorError as error:
            failures.append(error)
    if failures:
        raise _failure(failures)
    files = picture.rows()
    if not files:
        raise CoeditorError(
            Code.FS_NO_CHANGE,
            "The sections of the patch take each other back: every file would be as it is.",
            data={"line": patch.sections[0].line_no},
        )
    return PatchPlan(tuple(files), (*patch.warnings, *picture.warnings))


def _failure(failures: list[CoeditorError]) -> CoeditorError:
    """The first failure, with the others told as well, so that one more try can put all of them right."""
    first, *others = failures
    if not others:
        return first
    names = ", ".join(dict.fromkeys(str(error.file_path) for error in others))
    return CoeditorError(
        first.code,
        f"{first.message} The patch also fails for {names}; nothing was changed.",
        file_path=first.file_path,
        data={**first.data, "failures": [error.to_object() for error in others]},
    )
