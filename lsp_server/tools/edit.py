"""The ``edit`` and ``write`` tools: how their plans are made.

Never: applying anything; ``pipeline.mutate`` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from editor_clients.charsets import UTF_8, UTF_8_BOM
from editor_clients.lines import LineIndex, apply_replacements, eol_of
from editor_clients.port import CurrentText, FileChange, Replacement
from editor_clients.replacements import hunks_between, replacements_of
from ledger.errors import Code, CoeditorError
from ledger.session import Present
from ledger.types import CreateIfAbsent, Operation, TargetKey
from lsp_server import refusals, shown_lines
from lsp_server.checks import Checked, check
from lsp_server.edits.by_lines import replace_lines
from lsp_server.edits.levels import Level
from lsp_server.edits.matching import Match, match_edit
from lsp_server.edits.misses import place_of
from lsp_server.edits.pasted import is_own_output
from lsp_server.edits.rebase import rebase
from lsp_server.merging import merged_from
from lsp_server.outcomes import MatchInfo, Plan, Planned
from lsp_server.pipeline import mutate
from lsp_server.service import CallContext
from lsp_server.targets import Target
from lsp_server.view import View
from lsp_server.workspace import Workspace


async def edit(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """Replace ``old_string`` (or the lines shown) by ``new_string``; the outcome of README, "Edit outcome"."""
    target = workspace.resolve(arguments["file_path"], context, write=True)
    workspace.notices.watch(target.key)
    return await mutate(workspace, EditRequest(target, arguments), context)


async def write(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """Create a file, or replace one that was read whole."""
    target = workspace.resolve(arguments["file_path"], context, write=True)
    workspace.notices.watch(target.key)
    return await mutate(workspace, WriteRequest(target, arguments), context)


@dataclass(frozen=True, slots=True)
class _OneTarget:
    target: Target
    sent: Mapping[str, Any]

    def targets(self) -> Mapping[TargetKey, str]:
        return {self.target.key: self.target.path}

    def arguments(self) -> Mapping[str, Any]:
        return self.sent


@dataclass(frozen=True, slots=True)
class WriteRequest(_OneTarget):
    """A whole file."""

    tool: str = "write"

    def plan(self, view: View) -> Plan:
        """Errors: INVALID_ARGUMENT (our own output as content), FS_NO_CHANGE, and those of ``check``."""
        content: str = self.sent["content"].removeprefix("\ufeff")
        current = view.current[self.target.key]
        if is_own_output(content) and _was_shown(view, content):
            raise CoeditorError(
                Code.INVALID_ARGUMENT,
                "The content is the read tool's own numbered output, not the text of a file. Send the text "
                "without line numbers and notices.",
                file_path=self.target.path,
                data={"reason": "own_output"},
            )
        view.wanted[self.target.key] = lambda _: content
        checked = check(view, Operation.WRITE, self.target)
        if current is None:
            return _create(self.target, self.sent["content"])
        content, warnings = kept_line_ends(current, content)
        if content == current.text:
            raise _no_change(self.target)
        hunks = hunks_between(current.text, content)
        replacements = replacements_of(current.text, content, hunks)
        change = FileChange(self.target.key, "update", checked.precondition, current, content, replacements)
        planned = Planned(change, self.target.path, whole=True, found=hunks)
        return Plan((planned,), version_check=checked.version_check, warnings=warnings)


@dataclass(frozen=True, slots=True)
class EditRequest(_OneTarget):
    """A replacement of one string, or of lines by their numbers."""

    tool: str = "edit"

    def plan(self, view: View) -> Plan:
        """Errors: FS_NO_MATCH, FS_AMBIGUOUS_MATCH, FS_NO_CHANGE, INVALID_ARGUMENT, and those of ``check``."""
        target, new = self.target, self.sent["new_string"]
        current = view.current[target.key]
        old: str | None = self.sent.get("old_string")
        if old == "" and (current is None or not current.text):
            return self._fill(view, current, new)
        if old is not None and old == new:
            raise _no_change(target)
        view.wanted[target.key] = self._wanted
        checked = check(view, Operation.EDIT, target, self._meant)
        if current is None:
            raise refusals.not_found(view, target)
        match = self._match_lines(view, current) if old is None else self._match(view, checked, current, old)
        after = apply_replacements(current.text, match.replacements)
        if after == current.text:
            raise _no_change(target)
        change = FileChange(target.key, "update", checked.precondition, current, after, match.replacements)
        planned = Planned(change, target.path, merged=merged_from(view, target, checked.merge_base))
        return Plan(
            (planned,),
            match=MatchInfo(match.level, len(match.lines), match.lines),
            version_check=checked.version_check,
            warnings=(*match.warnings, *refusals.outside_shown(view, target, current, match.lines)),
        )

    def _wanted(self, seen: str) -> str | None:
        """What the edit would make of the text that the caller saw."""
        old, first, last = (self.sent.get(name) for name in ("old_string", "start_line", "end_line"))
        new, every = self.sent["new_string"], bool(self.sent.get("replace_all"))
        try:
            if old:
                match = match_edit(seen, old, new, replace_all=every)
            elif first is not None and last is not None:
                match = replace_lines(seen, LineIndex(seen), first, last, new)
            else:
                return None
        except CoeditorError:
            return None
        return apply_replacements(seen, match.replacements)

    def _meant(self, text: str) -> tuple[int, int] | None:
        """The lines that the request seems to mean in ``text``."""
        old = self.sent.get("old_string")
        if old:
            return place_of(text, old)
        first, last = self.sent.get("start_line"), self.sent.get("end_line")
        total = LineIndex(text).line_count
        if first is None or last is None or first > total:
            return None
        return first, min(last, total)

    def _fill(self, view: View, current: CurrentText | None, new: str) -> Plan:
        """An empty ``old_string`` creates a missing file or fills an empty one."""
        checked = check(view, Operation.EDIT, self.target, creates=True)
        if current is None:
            return _create(self.target, new)
        if not new:
            raise _no_change(self.target)
        change = FileChange(
            self.target.key, "update", checked.precondition, current, new, (Replacement(0, 0, new),)
        )
        return Plan(
            (Planned(change, self.target.path, whole=True),),
            match=MatchInfo(Level.EXACT, 1, ((1, 1),)),
            version_check=checked.version_check,
        )

    def _match(self, view: View, checked: Checked, current: CurrentText, old: str) -> Match:
        settings = view.workspace.settings
        new = self.sent["new_string"]
        every = bool(self.sent.get("replace_all"))
        tolerant = settings.matching == "tolerant" and not checked.exact_only
        repeated = settings.replace_repeated and not checked.exact_only
        try:
            base = current.text if checked.merge_base is None else checked.merge_base
            match = match_edit(
                base, old, new, replace_all=every, tolerant=tolerant, replace_repeated=repeated
            )
        except CoeditorError as error:
            is_miss = error.code in (Code.FS_NO_MATCH, Code.FS_AMBIGUOUS_MATCH)
            if checked.exact_only and is_miss and error.data.get("reason") != "already_applied":
                stale = self._stale(view, current)
                stale.data["reason"] = "stale"
                raise stale from None
            raise refusals.finish_miss(view, self.target, current, error) from None
        if checked.merge_base is None:
            return match
        rebased = rebase(match, checked.merge_base, current.text)
        if rebased is None:
            raise self._stale(view, current)
        return rebased

    def _match_lines(self, view: View, current: CurrentText) -> Match:
        """The lines that the scope was shown as ``start_line`` to ``end_line``, wherever they are now."""
        numbers = self.sent["start_line"], self.sent["end_line"]
        seen = view.observation(self.target.key)
        if not isinstance(seen, Present):
            raise shown_lines.not_shown(view, self.target, current, numbers)
        place = shown_lines.find(view, self.target, current, seen, numbers)
        new = self.sent["new_string"]
        if seen.token == current.token:
            match = replace_lines(current.text, LineIndex(current.text), *place, new)
            return shown_lines.named(match, numbers, place)
        # The text moved since, and a setting lets the edit go on: what was seen goes to where it is now.
        base = view.workspace.ledger.text_of(seen.token)
        if base is None:
            raise self._stale(view, current)
        rebased = rebase(replace_lines(base, LineIndex(base), *place, new), base, current.text)
        if rebased is None:
            raise self._stale(view, current)
        return rebased

    def _stale(self, view: View, current: CurrentText) -> CoeditorError:
        seen = view.observation(self.target.key)
        token = seen.token if isinstance(seen, Present) else current.token
        return refusals.moved(view, self.target, current, token, self._meant)


def _was_shown(view: View, content: str) -> bool:
    """Whether numbered content is what this scope was shown of some file, and not a table that happens to count."""
    rows = [row.split("\t", 1) for row in content.replace("\r\n", "\n").split("\n")]
    numbered = [(int(row[0]), row[1]) for row in rows if len(row) == 2 and row[0].strip().isdecimal()]
    if len(numbered) < len([row for row in rows if row != [""]]):
        return True  # one of our notices is among the lines
    for known in reversed(view.workspace.ledger.observations(view.caller.scope)):
        seen = known.observation
        text = view.workspace.ledger.text_of(seen.token) if isinstance(seen, Present) else None
        if text is None:
            continue
        index = LineIndex(text)
        same = sum(
            number <= index.line_count and index.line_text(number) == line for number, line in numbered
        )
        if same * 2 > len(numbered):
            return True
    return False


def _create(target: Target, sent: str) -> Plan:
    content = sent.removeprefix("\ufeff")
    encoding = UTF_8 if content == sent else UTF_8_BOM
    change = FileChange(target.key, "create", CreateIfAbsent(), None, content, encoding=encoding)
    return Plan((Planned(change, target.path, whole=True),), version_check="skipped")


def kept_line_ends(current: CurrentText, content: str) -> tuple[str, tuple[str, ...]]:
    """The content for a file that was CRLF throughout and stays so, with what to say of it."""
    if eol_of(current.text) != "crlf" or "\r" in content or "\n" not in content:
        return content, ()
    return content.replace("\n", "\r\n"), ("The file has CRLF line endings; they were kept.",)


def _no_change(target: Target) -> CoeditorError:
    return CoeditorError(
        Code.FS_NO_CHANGE,
        "The new text is the same as the old one, so there is nothing to do.",
        file_path=target.path,
    )
