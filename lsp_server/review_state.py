"""Looking at the review of files as they are now, and settling what nothing is left of.

Never: a change of a file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from editor_clients.encoding import decode
from editor_clients.git import Head, committed, read_head
from editor_clients.linediff import changed_ranges
from editor_clients.lines import bare_lines
from editor_clients.port import CurrentText
from ledger.errors import CoeditorError
from ledger.types import EditId, Entry, TargetKey
from lsp_server.edits.pending import Hunk, committed_of, keep
from lsp_server.reviewing import FileReview, with_current
from lsp_server.targets import is_untitled
from lsp_server.workspace import Workspace, git_top


async def look(
    workspace: Workspace, targets: Sequence[TargetKey] | None
) -> tuple[list[FileReview], list[str]]:
    """The reviews in which something is pending, by path; of ``targets``, else of all files. And warnings.

    What a commit has is kept; entries of which nothing is pending any more are settled. Errors: FS_IO.
    """
    found: list[FileReview] = []
    warnings: list[str] = []
    kept: set[EditId] = set()
    for target in workspace.ledger.pending_targets() if targets is None else targets:
        try:
            # In step with edits that are under way: their text and their record come as one.
            async with workspace.hold([target]):
                current = await workspace.client.current(target)
                known = review_now(workspace, target, current)
        except CoeditorError as error:
            warnings.append(f"{target} is left out: {error.message}")
            continue
        if known is None:
            continue
        review = await _without_committed(workspace, known)
        kept |= review.pending.kept
        if review.pending.hunks or review.pending.makers:
            found.append(review)
    if targets is None and not warnings:
        _settle(workspace, found, kept)
    return sorted(found, key=lambda one: one.path), warnings


def review_now(workspace: Workspace, target: TargetKey, current: CurrentText | None) -> FileReview | None:
    """The review of one file on its current text; None where nothing is recorded of it. Errors: FS_IO.

    What stands of edits that are settled (one that was taken back, but for a line that somebody had put back) is
    nothing to be looked at.
    """
    known = workspace.reviews.of(workspace, target)
    if known is None:
        return None
    found = with_current(known, current)
    if not found.pending.alive:
        return found
    open_ = set(workspace.ledger.pending_edits())
    settled = [hunk for hunk in found.pending.hunks if open_.isdisjoint(hunk.edits)]
    whole = bool(found.pending.makers) and open_.isdisjoint(found.pending.alive)
    if not settled and not whole:
        return found
    return replace(found, pending=keep(found.pending, settled, whole=whole))


def _settle(workspace: Workspace, reviews: Collection[FileReview], kept: Collection[EditId]) -> None:
    """Entries of which nothing is pending in ``reviews``, which are all there are, are kept or undone."""
    alive: set[EditId] = set()
    for review in reviews:
        alive |= review.pending.alive
    for edit in workspace.ledger.pending_edits():
        if edit not in alive:
            workspace.ledger.set_review(edit, "kept" if edit in kept else "undone")


def entries_of(workspace: Workspace, review: FileReview) -> Mapping[EditId, Entry]:
    """The entries of what is pending in a file, as far as they are kept."""
    found = dict(review.entries)
    for edit in review.pending.alive - found.keys():
        entry = workspace.ledger.entry(edit)
        if entry is not None:
            found[edit] = entry
    return found


async def _without_committed(workspace: Workspace, review: FileReview) -> FileReview:
    """A commit keeps what it has: hunks that stand in it as they are, made before it came."""
    top = None if is_untitled(review.target) else git_top(_folder(review.path))
    head = read_head(top) if top is not None else None
    if top is None or head is None or head.commit is None or not review.pending.alive:
        return review
    entries = entries_of(workspace, review)
    if not any(_made_before(edit, entries, review, head) for edit in review.pending.alive):
        return review
    try:
        data = await committed(top, workspace.name_in_diff(review.path))
    except LookupError:
        return review
    pending = review.pending
    if data is None:
        if pending.present or not pending.was_present:
            return review
        return _keep(workspace, review, pending.hunks, whole=True)  # the commit is without it
    encoding = review.before.encoding if review.before is not None else None
    try:
        lines = bare_lines(decode(data, declared=encoding).text)  # git may keep lines with other endings
    except CoeditorError:
        return review
    ranges = changed_ranges(lines, bare_lines("".join(pending.lines)))
    chosen = [
        hunk
        for hunk in committed_of(pending.hunks, ranges)
        if all(_made_before(edit, entries, review, head) for edit in hunk.edits)
    ]
    whole = (
        pending.present and (not pending.was_present or pending.away) and len(chosen) == len(pending.hunks)
    )
    return _keep(workspace, review, chosen, whole=whole) if chosen or whole else review


def _keep(workspace: Workspace, review: FileReview, chosen: Collection[Hunk], *, whole: bool) -> FileReview:
    found = replace(review, pending=keep(review.pending, chosen, whole=whole))
    if whole:
        found = replace(found, origin=found.target, origin_path=found.path)
    workspace.reviews.keep(workspace, found)
    return found


def _made_before(edit: EditId, entries: Mapping[EditId, Entry], review: FileReview, head: Head) -> bool:
    """Whether HEAD moved since the edit, or there was none then."""
    entry = entries.get(edit)
    if entry is None:
        return False
    names = {review.target, review.origin}
    told = [file.head for file in entry.files if file.target in names or file.from_target in names]
    return any(one is None or Head.of(one).commit != head.commit for one in told)


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "/"
