"""The ``apply_patch`` tool: how the plan of a V4A patch is made.

Never: applying anything; ``pipeline.mutate`` does.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import Any, Literal

from editor_clients.disk import too_large
from editor_clients.disk_errors import through_file
from editor_clients.hosted import HostedFiles, updates_only
from editor_clients.port import CurrentText, FileChange
from ledger.errors import Code, CoeditorError
from ledger.session import Present
from ledger.types import CreateIfAbsent, Operation, Precondition, ReplaceIfVersion, TargetKey
from lsp_server import refusals
from lsp_server.asking.questions import ConsentNeededError, Want
from lsp_server.checks import Checked, check
from lsp_server.edits.levels import Level
from lsp_server.edits.v4a_parse import parse_patch
from lsp_server.edits.v4a_picture import paths_of
from lsp_server.edits.v4a_plan import AskedOperation, operations, plan_patch, targets_of
from lsp_server.edits.v4a_rows import PatchFile, PatchPlan, PlannedFile
from lsp_server.edits.v4a_types import Patch, PatchLimits
from lsp_server.merging import merged_from, rebased
from lsp_server.outcomes import MatchInfo, Plan, Planned
from lsp_server.pipeline import mutate
from lsp_server.service import CallContext
from lsp_server.targets import Target
from lsp_server.view import View
from lsp_server.workspace import Workspace

_WEAKEST = tuple(Level)


async def apply_patch(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """All of the patch, or nothing; the outcome of README, "Edit outcome".

    Errors: FS_INVALID_PATCH, FS_TOO_LARGE, those of matching, and those of ``check`` for every file.
    """
    patch = parse_patch(arguments["patch"], limits_of(workspace))
    return await apply_parsed(workspace, patch, arguments, context)


async def apply_parsed(
    workspace: Workspace, patch: Patch, sent: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """The same for a patch that parsed; ``sent`` is its text with the other arguments."""
    request = PatchRequest.of(workspace, patch, sent, context)
    _refuse_beyond_updates(workspace, request)
    return await mutate(workspace, request, context, only_plan=sent["validate_only"])


def _refuse_beyond_updates(workspace: Workspace, request: PatchRequest) -> None:
    """Errors: INVALID_ARGUMENT for an Add, Delete or Move where an agent's host holds the files."""
    client = workspace.client
    if not isinstance(client, HostedFiles):
        return
    for one in request.asked:
        target = request.paths[one.path]
        if one.operation is not Operation.PATCH_UPDATE and target.key not in client.open_targets():
            error = updates_only(target.path, client.host)
            error.data["line"] = one.line
            raise error


def limits_of(workspace: Workspace) -> PatchLimits:
    """How large a patch may be."""
    limits = workspace.settings.limits
    return PatchLimits(
        limits["patch_bytes"], limits["patch_files"], limits["patch_chunks"], limits["patch_lines"]
    )


@dataclass(frozen=True, slots=True)
class PatchRequest:
    """A parsed patch with its paths resolved."""

    patch: Patch
    paths: Mapping[str, Target]
    """Every path as written in the patch."""
    keys: Mapping[TargetKey, str]
    """Every target with its spelling in the outcome."""
    asked: Sequence[AskedOperation]
    sent: Mapping[str, Any]
    tool: str = "apply_patch"

    @classmethod
    def of(
        cls, workspace: Workspace, patch: Patch, sent: Mapping[str, Any], context: CallContext
    ) -> PatchRequest:
        """Resolve every path of ``patch``. Errors: as ``Workspace.resolve``, with ``data.line``."""
        paths: dict[str, Target] = {}
        wants: list[Want] = []

        def resolve(path: str) -> TargetKey:
            if path not in paths:
                try:
                    paths[path] = workspace.resolve(path, context, write=True)
                except ConsentNeededError as needed:
                    # All that a person has to decide about is asked at once.
                    for want in needed.wants:
                        want.refusal.data["line"] = _line_of(patch, path)
                    wants.extend(needed.wants)
                    paths[path] = workspace.targets.resolve(path, context.cwd)
                workspace.notices.watch(paths[path].key)
            return paths[path].key

        try:
            named = targets_of(patch, resolve)
        except CoeditorError as error:
            if error.file_path and error.code is not Code.INVALID_ARGUMENT:
                error.file_path = os.path.normpath(workspace.targets.absolute(error.file_path, context.cwd))
            raise
        if wants:
            raise ConsentNeededError(wants)
        keys = {key: paths[path].path for key, path in named.items()}
        return cls(patch, paths, keys, operations(patch, resolve), sent)

    def targets(self) -> Mapping[TargetKey, str]:
        """See ``Request.targets``."""
        return self.keys

    def arguments(self) -> Mapping[str, Any]:
        """See ``Request.arguments``."""
        return self.sent

    def plan(self, view: View) -> Plan:
        """See ``Request.plan``."""
        self._check_sizes(view)
        for key in self.keys:
            view.wanted[key] = partial(self._wanted, view, key)
        checked = self._check_all(view)
        bases = {
            self.paths[asked.path].key: one.merge_base
            for asked, (_, one) in zip(self.asked, checked, strict=True)
            if one.merge_base is not None
        }
        files = {key: _patch_file(view.current[key]) for key in self.keys}
        files |= {key: PatchFile(base, None) for key, base in bases.items()}
        try:
            planned = plan_patch(
                self.patch, lambda path: self.paths[path].key, files, tolerant=_is_tolerant(view)
            )
        except CoeditorError as error:
            raise self._told(view, error) from None
        planned = self._merged(view, planned, bases)
        self._refuse_files_as_folders(planned)
        rows = tuple(self._row(view, one, checked) for one in planned.files)
        rows = tuple(
            replace(row, merged=merged_from(view, self.paths[one.path], bases.get(one.target)))
            for row, one in zip(rows, planned.files, strict=True)
        )
        return Plan(
            rows,
            match=_joint_match(planned),
            version_check=_joint_check(checked),
            warnings=(*planned.warnings, *self._outside(view, planned)),
        )

    def _refuse_files_as_folders(self, planned: PatchPlan) -> None:
        """Errors: FS_NOT_FOUND where a new file would lie below another file of the patch."""
        new = [one for one in planned.files if one.operation in ("create", "move")]
        targets = {one.target for one in new}
        for one in new:
            if any(TargetKey(str(above)) in targets for above in PurePath(one.target).parents):
                error = through_file(self.paths[one.path].path)
                error.data["line"] = _line_of(self.patch, one.path)
                raise error

    def _wanted(self, view: View, key: TargetKey, seen: str) -> str | None:
        """What the patch would make of one file, had it the text that the caller saw."""
        files = {other: _patch_file(view.current[other]) for other in self.keys} | {
            key: PatchFile(seen, None)
        }
        try:
            planned = plan_patch(
                self.patch, lambda path: self.paths[path].key, files, tolerant=_is_tolerant(view)
            )
        except CoeditorError:
            return None
        return next((one.after for one in planned.files if one.target == key), None)

    def _merged(self, view: View, planned: PatchPlan, bases: Mapping[TargetKey, str]) -> PatchPlan:
        """The plan with updates of texts that moved since on the current ones. Errors: where the two meet."""
        rows, notes = [], list(planned.warnings)
        for row in planned.files:
            base, current = bases.get(row.target), view.current[row.target]
            if base is None or current is None:
                rows.append(row)
                continue
            found = rebased(row, base, current) if row.operation == "update" and row.matches else None
            if found is None:
                target = self.paths[row.path]
                seen = view.observation(target.key)
                token = seen.token if isinstance(seen, Present) else current.token
                raise refusals.moved(view, target, current, token, None)
            rows.append(found[0])
            notes += [f"{self.paths[row.path].path}: {note}" for note in found[1]]
        return replace(planned, files=tuple(rows), warnings=tuple(notes)) if bases else planned

    def _check_sizes(self, view: View) -> None:
        limit = view.workspace.settings.limit("patch_file_bytes")
        total = 0
        for key, path in self.keys.items():
            current = view.current[key]
            size = len(current.data or current.text) if current is not None else 0
            total += size
            if size > limit:
                raise too_large(path, size, limit, "patch_file_bytes")
        limit = view.workspace.settings.limit("transaction_bytes")
        if total > limit:
            raise CoeditorError(
                Code.FS_TOO_LARGE,
                f"The files of the patch have {total:,} bytes together; the limit is {limit:,}. Send several patches.",
                data={"limit": limit, "limit_name": "transaction_bytes", "size": total},
            )

    def _check_all(self, view: View) -> list[tuple[Operation, Checked]]:
        """The policy's word on every file as it is before the patch; all refusals are told at once."""
        found = []
        failures: list[CoeditorError] = []
        for one in self.asked:
            target = self.paths[one.path]
            try:
                if one.operation in (Operation.PATCH_ADD, Operation.MOVE_DESTINATION):
                    _refuse_link_in_the_way(view, target)
                meant = None
                found.append((one.operation, check(view, one.operation, target, meant)))
            except CoeditorError as error:
                error.data.setdefault("line", one.line)
                failures.append(error)
        if failures:
            raise first_of(failures)
        return found

    def _row(self, view: View, row: PlannedFile, checked: Sequence[tuple[Operation, Checked]]) -> Planned:
        """One row of the plan as a change of the authority's."""
        walls = view.workspace.walls
        target = self.paths[row.path]
        key = row.target
        source = view.current[row.from_target] if row.from_target is not None else view.current[key]
        before = source if row.operation != "create" else None
        from_target = None
        from_path = None
        if row.operation == "move" and row.from_path is not None:
            # The name goes, which may be a link to the text.
            from_path = self.paths[row.from_path].path
            from_target = TargetKey(walls.check_entry(from_path))
        if row.operation == "delete":
            key = TargetKey(walls.check_entry(target.path))
        if row.operation == "update":
            before = view.current[key]
        replaces = view.current[key] if row.operation == "move" and row.replaced is not None else None
        encoding = None
        if source is not None and row.from_target is not None and row.operation != "move":
            encoding = source.encoding
        if row.recreated:
            encoding = encoding or "utf-8"
        change = FileChange(
            key,
            row.operation,
            _precondition(before),
            before,
            row.after,
            row.replacements,
            from_target=from_target,
            encoding=encoding,
            mode=row.mode,
            replaces=replaces,
            over_unsaved=source is not None and view.may_overwrite_unsaved,
        )
        matches = tuple(MatchInfo(one.level, 1, (one.lines,)) for one in row.matches)
        whole = row.recreated or row.operation == "create"
        return Planned(change, target.path, from_path=from_path, matches=matches, whole=whole)

    def _told(self, view: View, error: CoeditorError) -> CoeditorError:
        """A failure of the plan with the path as results show it, and what only the ledger knows."""
        target = self.paths.get(error.file_path or "")
        if target is None:
            return error
        error.file_path = target.path
        current = view.current[target.key]
        return error if current is None else refusals.finish_miss(view, target, current, error)

    def _outside(self, view: View, planned: PatchPlan) -> list[str]:
        found = []
        for row in planned.files:
            target = self.paths[row.from_path or row.path]
            current = view.current[target.key]
            if current is not None:
                lines = [one.lines for one in row.matches]
                notes = refusals.outside_shown(view, target, current, lines)
                found += [f"{target.path}: {note}" for note in notes] if len(self.keys) > 1 else notes
        return found


def _line_of(patch: Patch, path: str) -> int:
    """Where the patch names ``path`` first."""
    return next(section.line_no for section in patch.sections if path in paths_of(section))


def first_of(failures: Sequence[CoeditorError]) -> CoeditorError:
    """The first failure, with the others told as well, so that one more try can put all of them right."""
    first, *others = failures
    if others:
        first.data["failures"] = [error.to_object() for error in others]
    return first


def _refuse_link_in_the_way(view: View, target: Target) -> None:
    """A link that leads nowhere is something: creating through it would surprise."""
    if view.current[target.key] is None and view.workspace.walls.is_link(target.path):
        raise CoeditorError(
            Code.FS_ALREADY_EXISTS,
            f"{target.path} is a symbolic link that leads nowhere. Delete it first, or choose another name.",
            file_path=target.path,
        )


def _patch_file(current: CurrentText | None) -> PatchFile | None:
    return PatchFile(current.text, current.mode) if current is not None else None


def _precondition(before: CurrentText | None) -> Precondition:
    return CreateIfAbsent() if before is None else ReplaceIfVersion(before.token)


def _joint_match(planned: PatchPlan) -> MatchInfo | None:
    """How all chunks fitted: the weakest level; lines only where they are of one file."""
    found = [one for row in planned.files for one in row.matches]
    if not found:
        return None
    level = max((one.level for one in found), key=_WEAKEST.index)
    lines = tuple(one.lines for one in found) if len(planned.files) == 1 else ()
    return MatchInfo(level, len(found), lines)


def _joint_check(checked: Sequence[tuple[Operation, Checked]]) -> Literal["passed", "skipped"]:
    """``skipped`` when a version was not checked that could have been, or there was none to check."""
    existing = [one.version_check for _, one in checked if not isinstance(one.precondition, CreateIfAbsent)]
    return "passed" if existing and all(one == "passed" for one in existing) else "skipped"


def _is_tolerant(view: View) -> bool:
    return view.workspace.settings.matching == "tolerant"
