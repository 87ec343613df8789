"""The review: what agents changed and nobody has looked at yet, hunk by hunk; kept, or undone.

Keeping changes no file. Undoing is an edit like others: through the editor where the file is open, all or none, in
the history, and it can be taken back.

Never: a hunk undone that somebody else's change adjoins, or another than the one that was shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from editor_clients.port import CurrentText, FileChange
from editor_clients.replacements import replacements_between
from ledger.errors import Code, CoeditorError
from ledger.history import RewindStep
from ledger.types import CreateIfAbsent, EditId, Entry, ReplaceIfVersion, TargetKey
from lsp_server.edits.pending import keep, undo
from lsp_server.outcomes import Plan, Planned
from lsp_server.pipeline import mutate
from lsp_server.review_rows import Chosen, Item, file_row, items_of
from lsp_server.review_state import entries_of, look, review_now
from lsp_server.reviewing import FileReview
from lsp_server.service import CallContext
from lsp_server.snapshots import bytes_of, text_of
from lsp_server.view import View
from lsp_server.workspace import Workspace


async def review(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """What is pending, file by file. An agent is shown what its own session did, a person everything."""
    chosen = Chosen.of(arguments)
    if not context.person:
        chosen = replace(chosen, sessions=frozenset({context.caller.scope.session}))
    files, warnings = await look(workspace, _targets(workspace, arguments, context))
    rows = []
    for one in files:
        entries = entries_of(workspace, one)
        items = [item for item in items_of(one) if chosen.wants(item, entries)]
        if items:
            rows.append(file_row(one, items, entries))
    answer: dict[str, Any] = {"ok": True, "files": rows, "pending": sum(len(row["hunks"]) for row in rows)}
    return answer | ({"warnings": warnings} if warnings else {})


async def review_base(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """The file as it is without what is pending, or without ``hunks``; null where it is not there then."""
    target = workspace.resolve(arguments["file_path"], context, write=False)
    files, _ = await look(workspace, [target.key])
    if not files:
        current = await workspace.client.current(target.key)
        text = current.text if current is not None else None
        return {"ok": True, "file_path": target.path, "text": text, "version": _token(current)}
    one, chosen = files[0], Chosen.of(arguments)
    _refuse_unknown(chosen, files)
    items = [item for item in items_of(one) if chosen.wants(item, entries_of(workspace, one))]
    base = undo(one.pending.lines, [hunk for item in items for hunk in item.hunks])
    is_whole = any(item.kind in ("create", "delete") for item in items)
    text = "".join(base) if (one.pending.was_present if is_whole else one.pending.present) else None
    return {"ok": True, "file_path": target.path, "text": text, "version": one.token}


async def review_keep(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """Keep what is named. Errors: FS_DENIED for an agent, INVALID_ARGUMENT for a hunk that is not pending."""
    _refuse_agents(context)
    chosen, targets = Chosen.of(arguments), _targets(workspace, arguments, context)
    files, warnings = await look(workspace, targets)
    _refuse_unknown(chosen, files)
    kept: list[str] = []
    paths: list[str] = []
    for one in files:
        if not any(chosen.wants(item, entries_of(workspace, one)) for item in items_of(one)):
            continue
        async with workspace.hold([one.target]):
            current = await workspace.client.current(one.target)
            now = review_now(workspace, one.target, current)
            if now is None:
                continue
            entries = entries_of(workspace, now)
            items = [item for item in items_of(now) if chosen.wants(item, entries)]
            mixed = [item for item in items if not chosen.names and chosen.leaves(item, entries)]
            if mixed:
                warnings.append(
                    f"{now.path}: {len(mixed)} hunks that other edits have a part in are still pending; "
                    "keep them by their names."
                )
            items = [item for item in items if item not in mixed]
            workspace.reviews.keep(workspace, _kept(now, items))
            kept += (item.name for item in items)
            paths += [now.path] if items else []
    await look(workspace, None)
    workspace.tell_review()
    answer: dict[str, Any] = {"ok": True, "kept": kept, "files": paths}
    return answer | ({"warnings": warnings} if warnings else {})


async def review_undo(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """Undo what is named; the outcome of an edit.

    Errors: FS_DENIED for an agent, INVALID_ARGUMENT for a hunk that is not pending (any more), FS_NO_CHANGE where
    nothing is, FS_REWIND_CONFLICT with ``data.files`` where somebody else's change adjoins.
    """
    _refuse_agents(context)
    chosen = Chosen.of(arguments)
    files, _ = await look(workspace, _targets(workspace, arguments, context))
    _refuse_unknown(chosen, files)
    wanted = tuple(
        one for one in files if any(chosen.wants(item, entries_of(workspace, one)) for item in items_of(one))
    )
    if not wanted:
        raise CoeditorError(Code.FS_NO_CHANGE, "Nothing of that is pending; review shows what is.")
    request = UndoRequest(chosen, wanted, arguments)
    for key, path in request.targets().items():
        workspace.walls.check(path, write=True)
        workspace.notices.watch(key)
    outcome = await mutate(workspace, request, context, only_plan=arguments["dry_run"])
    if not arguments["dry_run"]:
        await look(workspace, None)
        workspace.tell_review()
    return outcome


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """Hunks to put back, in files whose review was looked at before the locks were taken."""

    chosen: Chosen
    files: tuple[FileReview, ...]
    sent: Mapping[str, Any]
    tool: str = "review"

    def targets(self) -> Mapping[TargetKey, str]:
        """See ``Request.targets``."""
        found = {one.target: one.path for one in self.files}
        for one in self.files:
            if one.pending.away:
                found.setdefault(one.origin, one.origin_path)
        return found

    def arguments(self) -> Mapping[str, Any]:
        """See ``Request.arguments``."""
        return self.sent

    def plan(self, view: View) -> Plan:
        """See ``Request.plan``."""
        workspace = view.workspace
        planned: list[Planned] = []
        steps: dict[EditId, RewindStep] = {}
        conflicts: list[dict[str, Any]] = []
        names: set[str] = set()
        for shown in self.files:
            now = review_now(workspace, shown.target, view.current[shown.target])
            if now is None:
                continue
            entries = entries_of(workspace, now)
            items = [item for item in items_of(now) if self.chosen.wants(item, entries)]
            names.update(item.name for item in items)
            row = _conflict(view, now, items, self.chosen)
            if row is not None:
                conflicts.append(row)
            elif items:
                planned.append(_planned(view, now, items))
                _add_undone(steps, now, items, entries)
        if lost := self.chosen.names - names:
            raise _not_pending(lost)
        if conflicts:
            raise CoeditorError(
                Code.FS_REWIND_CONFLICT,
                "What is to be undone has somebody else's change in it or next to it. Nothing was changed. Undo the "
                "other hunks one by one, or edit these lines.",
                file_path=conflicts[0]["file_path"],
                data={"files": conflicts},
            )
        if not planned:
            raise CoeditorError(Code.FS_NO_CHANGE, "Nothing of that is pending any more.")
        folders = [folder for step in steps.values() for file in step.files for folder in file.folders]
        return Plan(tuple(planned), undone=tuple(steps.values()), puts_back=True, emptied=tuple(folders))


def _planned(view: View, review_: FileReview, items: Collection[Item]) -> Planned:
    """The change that puts ``items`` back."""
    pending, before = review_.pending, review_.before
    current = view.current[review_.target]
    chosen = [hunk for item in items for hunk in item.hunks]
    text = "".join(undo(pending.lines, chosen))
    kinds = {item.kind for item in items}
    if current is not None and "create" in kinds:
        change = FileChange(review_.target, "delete", ReplaceIfVersion(current.token), current, None)
        return Planned(change, review_.path)
    home = review_.origin if "move" in kinds or (current is None and pending.away) else review_.target
    path = review_.origin_path if home != review_.target else review_.path
    is_base = len(items) == len(items_of(review_)) and before is not None
    raw = bytes_of(view.workspace, before) if is_base else None
    if raw is not None and before is not None and text_of(view.workspace, before) != text:
        raw = None
    if current is None:
        change = FileChange(
            home,
            "create",
            CreateIfAbsent(),
            None,
            text,
            encoding=before.encoding if before is not None else None,
            mode=before.mode if before is not None else None,
            raw=raw,
        )
        return Planned(change, path, whole=True)
    change = FileChange(
        home,
        "update" if home == review_.target else "move",
        ReplaceIfVersion(current.token),
        current,
        text,
        replacements_between(current.text, text),
        from_target=review_.target if home != review_.target else None,
        raw=raw if not current.unsaved else None,
    )
    return Planned(change, path, from_path=review_.path if home != review_.target else None)


def _conflict(
    view: View, review_: FileReview, items: Collection[Item], chosen: Chosen
) -> dict[str, Any] | None:
    """Where somebody else's change stands in the way, as a row of ``data.files``."""
    entries = entries_of(view.workspace, review_)
    if any(item.kind == "move" for item in items) and view.current.get(review_.origin) is not None:
        return {"file_path": review_.origin_path, "lines": [[1, 1]], "moved_by": "unknown"}
    lines: list[list[int]] = []
    movers: list[str] = []
    for item in items:
        others = [entries[edit] for edit in chosen.leaves(item, entries) if edit in entries]
        if not item.beside and (chosen.names or not chosen.leaves(item, entries)):
            continue
        lines += [[hunk.first + 1, max(hunk.first + 1, hunk.end)] for hunk in item.hunks]
        movers.append(
            f"session:{others[0].caller.scope.session}" if others and not item.beside else "unknown"
        )
    return {"file_path": review_.path, "lines": lines, "moved_by": movers[0]} if movers else None


def _add_undone(
    steps: dict[EditId, RewindStep],
    review_: FileReview,
    items: Collection[Item],
    entries: Mapping[EditId, Entry],
) -> None:
    """The edits of which nothing stands in this file any more."""
    left = {edit for item in items_of(review_) if item not in items for edit in item.edits}
    for edit in {edit for item in items for edit in item.edits} - left - review_.pending.kept:
        entry = entries.get(edit)
        if entry is None or entry.state != "applied":
            continue
        names = {review_.target, review_.origin}
        files = tuple(file for file in entry.files if file.target in names or file.from_target in names)
        earlier = steps[edit].files if edit in steps else ()
        steps[edit] = RewindStep(entry, (*earlier, *files))


def _kept(review_: FileReview, items: Collection[Item]) -> FileReview:
    """The review with ``items`` kept."""
    hunks = [hunk for item in items for hunk in item.hunks]
    whole = any(item.kind != "lines" for item in items)
    pending = keep(review_.pending, hunks, whole=whole)
    if not whole:
        return replace(review_, pending=pending)
    return replace(review_, pending=pending, origin=review_.target, origin_path=review_.path)


def _targets(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> list[TargetKey] | None:
    """The files that are named, if any are."""
    paths = arguments.get("file_paths")
    if paths is None:
        return None
    return [workspace.resolve(path, context, write=False).key for path in paths]


def _refuse_unknown(chosen: Chosen, files: Collection[FileReview]) -> None:
    lost = chosen.names - {item.name for one in files for item in items_of(one)}
    if lost:
        raise _not_pending(lost)


def _not_pending(names: Collection[str]) -> CoeditorError:
    return CoeditorError(
        Code.INVALID_ARGUMENT,
        f"{', '.join(sorted(names))} is not pending: it was kept, undone, or changed since. Ask for the review again.",
        data={"argument": "hunks"},
    )


def _refuse_agents(context: CallContext) -> None:
    """What an agent did is looked at by a person; the agent has rewind."""
    if not context.person:
        raise CoeditorError(
            Code.FS_DENIED,
            "A review is a person's. Take your own edits back with rewind.",
            data={"rule": "person"},
        )


def _token(current: CurrentText | None) -> str | None:
    return current.token if current is not None else None
