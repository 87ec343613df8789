"""Everything that one call needs, joined once by ``app``.

Never: behaviour. It is the bag that the steps of the walk are handed.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from editor_clients.disk_errors import denied, not_a_file, through_file
from editor_clients.git import read_head
from editor_clients.git_folder import upwards
from editor_clients.locks import TargetLocks
from editor_clients.port import CurrentText, EditorClient
from editor_clients.search_ignore import is_ignored
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError
from ledger.ledger import Ledger
from ledger.policy import Decide
from ledger.types import ScopeKey, TargetKey, VersionToken
from lsp_server.agents.titles import Titles
from lsp_server.asking.consents import Consents
from lsp_server.asking.questions import ConsentNeededError, Kind, Matter, Want
from lsp_server.git_events import GitEvents
from lsp_server.patch_streams import PatchStreams
from lsp_server.settings import Settings
from lsp_server.streaks import MissStreaks
from lsp_server.targets import Target, Targets, is_untitled, is_within, names_folder, real_path
from lsp_server.timings import Timings

if TYPE_CHECKING:
    from lsp_server.asking.asker import Asker
    from lsp_server.effects.conflicts import Conflicts
    from lsp_server.effects.events import EventStream
    from lsp_server.effects.late import LateReports
    from lsp_server.effects.notices import Notices
    from lsp_server.effects.previews import Previewed
    from lsp_server.effects.run import Effects
    from lsp_server.effects.sources import DiagnosticSource
    from lsp_server.native.state import NativeState
    from lsp_server.reviewing import Reviews
    from lsp_server.service import CallContext
    from lsp_server.shell_changes import ShellChanges


@dataclass(slots=True)
class Workspace:
    """The state of one server."""

    roots: tuple[str, ...]
    """Canonical workspace folders; the first is the one that the server owns."""
    kind: str
    """``headless`` or ``editor``."""
    settings: Settings
    walls: Walls
    targets: Targets
    ledger: Ledger
    decide: Decide
    """The policy."""
    client: EditorClient
    locks: TargetLocks
    effects: Effects
    notices: Notices
    git: GitEvents
    servers: DiagnosticSource
    late: LateReports
    conflicts: Conflicts
    previewed: Previewed
    events: EventStream
    native: NativeState
    """Of the agents' own tools."""
    asker: Asker
    started: float
    """Seconds since the epoch."""
    counts: Counter[str] = field(default_factory=Counter)
    """Calls by ``ok`` or error code."""
    timings: Timings = field(default_factory=Timings)
    """How long the steps of edits took."""
    _reviews: Reviews | None = None
    titles: Titles = field(default_factory=Titles)
    misses: MissStreaks = field(default_factory=MissStreaks)
    streams: PatchStreams = field(default_factory=PatchStreams)
    consents: Consents = field(default_factory=Consents)
    divergences: dict[tuple[ScopeKey, TargetKey], VersionToken | None] = field(default_factory=dict)
    """The text on disk below unsaved text that each scope was told of last."""
    blocked: dict[str, str] = field(default_factory=dict)
    """Paths that an unfinished change holds, which can neither be finished nor undone, with the reason."""
    look_at_blocked: Callable[[], dict[str, str]] = dict
    """Looks again whether it still does."""
    _shell: ShellChanges | None = None
    on_review: Callable[[], None] = lambda: None
    """Told when something was kept or undone in a review."""
    trusted: bool = True
    """False where the person has not said that this workspace's authors are trusted: agents only read then."""

    @property
    def reviews(self) -> Reviews:
        """Where the review of each file stands."""
        if self._reviews is None:
            from lsp_server.reviewing import Reviews

            self._reviews = Reviews()
        return self._reviews

    @property
    def shell(self) -> ShellChanges:
        """The shell commands of agents that run."""
        if self._shell is None:
            from lsp_server.shell_changes import ShellChanges

            self._shell = ShellChanges.of(self)
        return self._shell

    def resolve(self, spelled: str, context: CallContext, *, write: bool) -> Target:
        """The target of ``spelled``, contained.

        Errors: as ``Targets.resolve``; FS_DENIED with ``data.rule``, a ConsentNeededError where a person may agree.
        """
        target = self.targets.resolve(spelled, context.cwd)
        if target.key in self.roots:
            raise not_a_file(target.path, "folder")
        if is_untitled(target.key):
            return self._only_in_editor(target)
        if names_folder(spelled):
            _refuse_as_folder(target, write=write)
        try:
            self._check_walls(target, context.caller.scope.session, write=write)
            if write:
                self._refuse_unasked(target, context.caller.scope.session)
                self._refuse_blocked(target)
        except CoeditorError as error:
            error.file_path = target.path
            raise
        return target

    @property
    def is_read_only(self) -> bool:
        """Whether no agent changes anything here, whatever the person would agree to."""
        return not self.trusted or self.settings.mode == "read-only"

    def _check_walls(self, target: Target, session: str, *, write: bool) -> None:
        """Outside of the folders a person may let an agent change one file, and then read it too."""
        matter = Matter(Kind.OUTSIDE, target.key, target.path, "change")
        try:
            closed = self.walls.is_outside(target.key) and self.settings.mode != "full"
            if closed and not self.consents.allows(session, matter):
                raise denied(
                    target.path, "workspace", "is outside the workspace; only files inside it can be used."
                )
            self.walls.judge(target.path, target.key, write=write)
        except CoeditorError as error:
            error.file_path = target.path
            if write and not self.is_read_only and error.data.get("rule") == "workspace":
                if not self.walls.may_admit(target.key):
                    raise
                raise ConsentNeededError([Want(matter, error)]) from None
            raise

    def _only_in_editor(self, target: Target) -> Target:
        """An untitled document has no path that a wall could stand before; without an editor there is none."""
        if self.kind != "editor":
            raise CoeditorError(
                Code.FS_NOT_FOUND,
                f"{target.path} is no file, and no editor is connected that could have such a document.",
                file_path=target.path,
            )
        return target

    def _refuse_unasked(self, target: Target, session: str) -> None:
        """Errors: FS_DENIED by ``extensions`` or ``ignored_files``; a ConsentNeededError where a person may agree."""
        name = os.path.basename(target.key)
        if self.settings.extensions and not has_extension(name, self.settings.extensions):
            raise denied(
                target.path, "protected:extensions", "is not of a kind that agents may change (extensions)."
            )
        wanted = [] if (found := self.walls.ask_first_pattern(target.path, target.key)) is None else [found]
        if self.settings.ignored_files != "allow" and is_ignored(target.key, self.roots):
            if self.settings.ignored_files == "refuse":
                raise denied(
                    target.path,
                    "protected:ignored",
                    "is ignored by git, and not to be changed (ignored_files).",
                )
            wanted.append("ignored")
        for pattern in wanted[:1]:
            self._ask_for(target, session, pattern)

    def _ask_for(self, target: Target, session: str, pattern: str) -> None:
        """Errors: a ConsentNeededError for a path that wants a person's consent and does not have it."""
        matter = Matter(Kind.CONSENT, target.key, target.path, "change", rule=pattern)
        if self.consents.allows(session, matter):
            return
        refusal = CoeditorError(
            Code.FS_DENIED,
            f"{target.path} may only be changed with a person's consent (ask_first: {pattern}), and nobody "
            "can be asked here. Tell the person what to change there.",
            file_path=target.path,
            data={"rule": f"protected:{pattern}"},
        )
        raise refusal if self.is_read_only else ConsentNeededError([Want(matter, refusal)])

    def _refuse_blocked(self, target: Target) -> None:
        """Errors: FS_IO for a path that a damaged journal names, until it is set aside."""
        if target.key in self.blocked:
            self.blocked = self.look_at_blocked()
        problem = self.blocked.get(target.key)
        if problem is not None:
            raise CoeditorError(Code.FS_IO, problem, file_path=target.path)

    def tell_review(self) -> None:
        """What is pending changed without an edit that everybody is told of."""
        self.on_review()

    def hold(self, keys: Iterable[TargetKey]) -> AbstractAsyncContextManager[None]:
        """The locks of ``keys``, for as long as the block runs; FS_TIMEOUT when they do not become free."""
        deadline = asyncio.get_running_loop().time() + self.settings.limit("lock_seconds")
        return self.locks.hold(keys, deadline=deadline)

    async def current_text(self, key: TargetKey, path: str) -> CurrentText | None:
        """The current text, with errors named as the caller spelled the path."""
        try:
            return await self.client.current(key)
        except CoeditorError as error:
            error.file_path = path
            raise

    def name_in_diff(self, path: str) -> str:
        """``path`` relative to the git top level, else to its workspace folder; with forward slashes."""
        if is_untitled(path):
            return path
        folder = os.path.dirname(path)
        base = git_top(folder) or self.targets.folder_of(folder)
        if not is_within(path, base):
            path = real_path(path)
        return os.path.relpath(path, base) if is_within(path, base) else path.lstrip("/")


def _refuse_as_folder(target: Target, *, write: bool) -> None:
    """Errors: for a path that ends as a folder's, FS_NOT_FOUND where a file is, FS_NOT_REGULAR_FILE where a file would
    be made. A folder that is there is for the tool to judge.
    """
    if os.path.isdir(target.key):
        return
    if os.path.lexists(target.key):
        raise through_file(target.path)
    if write:
        raise not_a_file(target.path, "folder")


def has_extension(name: str, extensions: Iterable[str]) -> bool:
    """Whether a file's name has one of these endings (with their dot or without), or is one of them."""
    lowered = name.casefold()
    return any(
        lowered == one.casefold() or lowered.endswith(f".{one.removeprefix('.').casefold()}")
        for one in extensions
    )


def head_at(path: str) -> str | None:
    """Git's HEAD in the repository that holds ``path``, in the form of the history; None outside of one."""
    top = git_top(os.path.dirname(path)) if os.path.isabs(path) else None
    head = read_head(top) if top is not None else None
    return str(head) if head is not None else None


def git_top(folder: str) -> str | None:
    """The folder at or above ``folder`` that has a ``.git`` now, if any: repositories come and go."""
    return next((top for top, dot_git in upwards(folder) if os.path.lexists(dot_git)), None)
