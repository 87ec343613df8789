"""Where the review of each file stands: its records, one after the other, on the text that is there now.

What is settled is kept in the ledger, so that no record is looked at twice; what was typed since the last record
is looked at anew each time.

Never: a change of a file.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from editor_clients.lines import split_lines
from editor_clients.port import CurrentText
from ledger.reviews import Checkpoint, Link
from ledger.types import EditId, Entry, FileState, TargetKey, VersionToken
from lsp_server.edits.pending import Hunk, Lines, Pending, by_agent, by_others, untouched
from lsp_server.snapshots import text_of

if TYPE_CHECKING:
    from lsp_server.workspace import Workspace

_HELD = 256
"""Files whose review is held in memory."""
_WORTH_KEEPING = 50
"""Records after which the state is written down, so that a new server need not look at them again."""
_UNDONE = 20
"""Rewinds and undone hunks that are remembered for each file."""


@dataclass(frozen=True, slots=True)
class FileReview:
    """One file."""

    target: TargetKey
    path: str
    """As it was spelled last."""
    origin: TargetKey
    """Its name in the base."""
    origin_path: str
    before: FileState | None
    """The file in the base, as it was recorded; None when it was not there."""
    seq: int
    """The last record that was looked at."""
    token: VersionToken | None
    """The text that ``pending`` is about; None where nothing is."""
    pending: Pending
    entries: dict[EditId, Entry] = field(default_factory=dict)
    """Those of what is pending, as far as they are at hand."""
    undone: dict[EditId, tuple[EditId, ...]] = field(default_factory=dict)
    """What was taken back lately, by what took it back: taken back itself, that is pending again."""


class Reviews:
    """The reviews of one workspace's files."""

    def __init__(self) -> None:
        self._held: OrderedDict[TargetKey, FileReview] = OrderedDict()

    def of(self, workspace: Workspace, target: TargetKey) -> FileReview | None:
        """The review of ``target`` after its last record; None where nothing is recorded of it. Errors: FS_IO."""
        known = self._held.get(target)
        links = workspace.ledger.links(target, known.seq if known is not None else 0)
        if known is None:
            known, links = _resumed(workspace, target, links)
        found = _walked(workspace, known, links)
        if found is None:
            return None
        if len(links) >= _WORTH_KEEPING:
            self.keep(workspace, found)
        else:
            self._hold(found)
        return found

    def keep(self, workspace: Workspace, review: FileReview) -> None:
        """The review stands like this from now on; that of a secret file not after a restart. Errors: FS_IO."""
        if any(workspace.ledger.is_secret(name) for name in (review.target, review.origin)):
            self._hold(review)  # its hunks are text
            return
        lines = review.pending.lines
        if review.token is not None:
            workspace.ledger.keep_text(review.target, review.token, "".join(lines))
        before = review.before
        workspace.ledger.keep_checkpoint(
            Checkpoint(
                review.target, review.seq, review.token, before.blob if before else None, _to_json(review)
            )
        )
        self._hold(review)

    def forget(self, target: TargetKey) -> None:
        """The next look begins with what is written down."""
        self._held.pop(target, None)

    def _hold(self, review: FileReview) -> None:
        self._held[review.target] = review
        self._held.move_to_end(review.target)
        while len(self._held) > _HELD:
            self._held.popitem(last=False)


def with_current(review: FileReview, current: CurrentText | None) -> FileReview:
    """The review on the text that is there now."""
    token = current.token if current is not None else None
    if token == review.token and (current is not None) == review.pending.present:
        return review
    lines = tuple(split_lines(current.text)) if current is not None else ()
    pending = by_others(review.pending, lines, present=current is not None)
    return replace(review, token=token, pending=pending)


def _resumed(
    workspace: Workspace, target: TargetKey, links: list[Link]
) -> tuple[FileReview | None, list[Link]]:
    """Where the review was left, under the name that the file had then, and what came after."""
    names = [(target, 2**62)]
    names += [(link.file.from_target, link.seq) for link in reversed(links) if link.file.from_target]
    for name, below in names:
        kept = workspace.ledger.checkpoint(name)
        if kept is not None and kept.seq < below:
            found = _from_json(workspace, kept)
            if found is not None:
                return found, [link for link in links if link.seq > kept.seq]
    return None, links


def _walked(workspace: Workspace, review: FileReview | None, links: Iterable[Link]) -> FileReview | None:
    """``review`` after ``links`` as well."""
    for link in links:
        if link.entry.state == "unknown":
            continue  # whatever it did is in the next text that is known
        before = link.file.before
        if review is None or not (review.pending.makers or review.pending.hunks):
            review = _begun(workspace, review, link)
        elif (before.token if before else None) != review.token:
            review = _at(workspace, review, before)
        review = _after(workspace, review, link)
    return review


def _begun(workspace: Workspace, review: FileReview | None, link: Link) -> FileReview:
    """Nothing is pending: the base is what the record found."""
    file = link.file
    name, path = file.from_target or file.target, file.from_path or file.path
    lines = _lines(workspace, file.before)
    pending = untouched(lines or (), present=file.before is not None)
    undone: dict[EditId, tuple[EditId, ...]] = {}
    if review is not None:
        pending, undone = replace(pending, kept=review.pending.kept), review.undone
    return FileReview(
        name, path, name, path, file.before, link.seq, _token(file.before), pending, undone=undone
    )


def _at(workspace: Workspace, review: FileReview, state: FileState | None) -> FileReview:
    """Somebody else made the text of ``state``; where it is not kept any more, nothing can be told of what was."""
    lines = _lines(workspace, state)
    if lines is None:
        kept = review.pending.kept | review.pending.alive
        return replace(
            review, token=_token(state), pending=replace(untouched((), present=state is not None), kept=kept)
        )
    return replace(
        review, token=_token(state), pending=by_others(review.pending, lines, present=state is not None)
    )


def _after(workspace: Workspace, review: FileReview, link: Link) -> FileReview:
    """What the record made of it."""
    entry, file = link.entry, link.file
    lines = _lines(workspace, file.after)
    pending = review.pending
    is_back = entry.rewinds is not None or entry.tool == "review"
    present = file.after is not None
    if lines is None:
        pending = replace(untouched((), present=present), kept=pending.kept | pending.alive)
    elif not is_back and (entry.review == "kept" or entry.origin == "person"):
        pending = by_others(pending, lines, present=present)
    else:
        away = file.target != review.origin
        again = review.undone.get(entry.rewinds, ()) if entry.rewinds is not None else ()
        by = again or (entry.edit_id,)
        pending = by_agent(pending, lines, by, present=present, away=away, back=is_back)
        if entry.origin == "person" and not again:
            pending = _without(pending, entry.edit_id)
    undone = review.undone
    if is_back:
        undone = {**undone, entry.edit_id: tuple(review.pending.alive - pending.alive)}
        undone = dict(list(undone.items())[-_UNDONE:])
    entries = {**review.entries, entry.edit_id: entry}
    alive = pending.alive
    return FileReview(
        file.target,
        file.path,
        review.origin,
        review.origin_path,
        review.before,
        link.seq,
        _token(file.after),
        pending,
        {name: each for name, each in entries.items() if name in alive},
        undone,
    )


def _without(pending: Pending, edit: EditId) -> Pending:
    """Without what a person did alone when taking back what nobody was to review any more."""
    hunks = tuple(hunk for hunk in pending.hunks if hunk.edits != (edit,))
    if pending.makers != (edit,):
        return replace(pending, hunks=hunks)
    return replace(pending, hunks=hunks, makers=(), away=False, was_present=pending.present)


def _lines(workspace: Workspace, state: FileState | None) -> Lines | None:
    """None where the text is not kept any more, or none."""
    if state is None:
        return ()
    text = text_of(workspace, state)
    return None if text is None else tuple(split_lines(text))


def _token(state: FileState | None) -> VersionToken | None:
    return state.token if state is not None else None


def _to_json(review: FileReview) -> str:
    pending, before = review.pending, review.before
    return json.dumps(
        {
            "path": review.path,
            "origin": review.origin,
            "origin_path": review.origin_path,
            "before": [before.token, before.blob, before.encoding, before.mode] if before else None,
            "present": pending.present,
            "was_present": pending.was_present,
            "away": pending.away,
            "makers": pending.makers,
            "kept": sorted(pending.kept),
            "undone": review.undone,
            "hunks": [[one.first, one.count, one.base, one.edits, one.beside] for one in pending.hunks],
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _from_json(workspace: Workspace, kept: Checkpoint) -> FileReview | None:
    """None where its text is not kept any more."""
    found: dict[str, Any] = json.loads(kept.state)
    text = workspace.ledger.text_of(kept.token) if kept.token is not None else ""
    if text is None:
        return None
    pending = Pending(
        tuple(split_lines(text)),
        found["present"],
        found["was_present"],
        tuple(
            Hunk(first, count, tuple(base), tuple(edits), beside)
            for first, count, base, edits, beside in found["hunks"]
        ),
        found["away"],
        tuple(found["makers"]),
        frozenset(found["kept"]),
    )
    before = FileState(*cast(list[Any], found["before"])) if found["before"] else None
    return FileReview(
        kept.target,
        found["path"],
        TargetKey(found["origin"]),
        found["origin_path"],
        before,
        kept.seq,
        kept.token,
        pending,
        undone={EditId(name): tuple(edits) for name, edits in found["undone"].items()},
    )
