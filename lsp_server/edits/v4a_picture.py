"""The files as the sections of a patch leave them, one section after the other.

Never: I/O, or what the difference to the first state means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey
from lsp_server.edits.v4a_apply import ChunkMatch, apply_chunks
from lsp_server.edits.v4a_origins import Origins
from lsp_server.edits.v4a_rows import Drawn, PatchFile, PlannedFile, Rows
from lsp_server.edits.v4a_types import (
    AddSection,
    DeleteSection,
    MoveSection,
    Section,
    UpdateSection,
)

Resolve = Callable[[str], TargetKey]
"""A path as written in the patch to the target it means; may raise CoeditorError."""


class Picture:
    """The files as the sections so far left them."""

    def __init__(self, resolve: Resolve, texts: Mapping[TargetKey, PatchFile | None], tolerant: bool) -> None:
        self._resolve = resolve
        self._texts = texts
        self._tolerant = tolerant
        self._now: dict[TargetKey, Drawn | None] = {}
        self._gone: dict[TargetKey, tuple[str, int]] = {}
        self._failed: set[TargetKey] = set()
        self.warnings: list[str] = []

    def take(self, section: Section) -> None:
        """Do what ``section`` says. Errors: with ``file_path`` and ``data.line``; its targets are then unknown,
        and later sections about them are passed over."""
        targets = [resolved(self._resolve, path, section.line_no) for path in paths_of(section)]
        if self._failed.intersection(targets):
            self._failed.update(targets)
            return
        try:
            self._do(section, targets)
        except CoeditorError:
            self._failed.update(targets)
            raise

    def _do(self, section: Section, targets: list[TargetKey]) -> None:
        match section:
            case AddSection():
                self._add(section, targets[0])
            case DeleteSection(path, line):
                self._existing(targets[0], path, line)
                self._remove(targets[0], path, line)
            case MoveSection(path, move_to, line):
                state = self._existing(targets[0], path, line)
                self._move(state, targets, (path, move_to), line)
            case UpdateSection():
                self._update(section, targets)

    def rows(self) -> list[PlannedFile]:
        """What has to happen to each target."""
        return Rows(self._texts, self._now, self._gone).all()

    # Sections

    def _add(self, section: AddSection, target: TargetKey) -> None:
        if self._state(target, section.path) is not None:
            raise _there(section.path, section.line_no, "An Add never overwrites: use '*** Update File:'.")
        text = "".join(f"{line}\n" for line in section.lines)
        if section.no_newline:
            text = text.removesuffix("\n")
        self._set(target, Drawn(text, None, section.path, section.line_no, origins=Origins(added=True)))

    def _update(self, section: UpdateSection, targets: list[TargetKey]) -> None:
        state = self._existing(targets[0], section.path, section.line_no)
        if section.chunks:
            if state.text is None:
                raise CoeditorError(
                    Code.FS_NOT_TEXT,
                    f"Patch line {section.line_no}: {section.path} is not text, so no chunk can fit it.",
                    file_path=section.path,
                    data={"line": section.line_no},
                )
            self._change(state, section)
        self._set(targets[0], state)
        if section.move_to is not None:
            self._move(state, targets, (section.path, section.move_to), section.line_no)

    def _change(self, state: Drawn, section: UpdateSection) -> None:
        assert state.text is not None
        outcome = apply_chunks(state.text, section, tolerant=self._tolerant)
        if outcome.after == state.text:
            if section.move_to is None:
                raise _no_effect(section)
            self.warnings.append(
                f"Patch line {section.line_no}: the chunks of {section.path} change nothing."
            )
        for one in outcome.matches:
            if (lines := state.origins.before(one.lines)) is not None:
                state.matches.append(ChunkMatch(one.level, lines))
        state.replacements = outcome.replacements if state.replacements == () else None
        state.origins = state.origins.then(state.text, outcome.replacements)
        state.text = outcome.after
        state.path, state.line = section.path, section.line_no
        self.warnings += outcome.warnings

    def _move(self, state: Drawn, targets: list[TargetKey], paths: tuple[str, str], line: int) -> None:
        source, destination = targets
        if source == destination:
            raise _there(paths[1], line, "A move goes to another path.")
        if self._state(destination, paths[1]) is not None:
            raise _there(
                paths[1], line, "A move never overwrites: delete that file first, or move elsewhere."
            )
        self._remove(source, paths[0], line)
        state.path, state.line = paths[1], line
        self._set(destination, state)

    # The picture

    def _state(self, target: TargetKey, path: str) -> Drawn | None:
        if target in self._now:
            return self._now[target]
        file = self._texts.get(target)
        if file is None:
            return None
        return Drawn(file.text, target, path, 0, path)

    def _existing(self, target: TargetKey, path: str, line: int) -> Drawn:
        state = self._state(target, path)
        if state is not None:
            return state
        why = "there is no such file."
        if target in self._gone:
            why = f"the section at patch line {self._gone[target][1]} took it away; name what it is now."
        raise CoeditorError(
            Code.FS_NOT_FOUND, f"Patch line {line}: {path}: {why}", file_path=path, data={"line": line}
        )

    def _set(self, target: TargetKey, state: Drawn | None) -> None:
        self._now[target] = state

    def _remove(self, target: TargetKey, path: str, line: int) -> None:
        self._gone[target] = (path, line)
        self._set(target, None)


def paths_of(section: Section) -> list[str]:
    """The one or two paths that ``section`` names."""
    if isinstance(section, UpdateSection | MoveSection) and section.move_to is not None:
        return [section.path, section.move_to]
    return [section.path]


def resolved(resolve: Resolve, path: str, line: int) -> TargetKey:
    """The target of ``path``; an error names the path and the patch line."""
    try:
        return resolve(path)
    except CoeditorError as error:
        raise CoeditorError(
            error.code, error.message, file_path=path, data={**error.data, "line": line}
        ) from error


def _there(path: str, line: int, remedy: str) -> CoeditorError:
    return CoeditorError(
        Code.FS_ALREADY_EXISTS,
        f"Patch line {line}: {path} is there already. {remedy}",
        file_path=path,
        data={"line": line},
    )


def _no_effect(section: UpdateSection) -> CoeditorError:
    """FS_NO_CHANGE for an Update whose result is the text before."""
    return CoeditorError(
        Code.FS_NO_CHANGE,
        f"Patch line {section.line_no}: the Update of {section.path} changes nothing; leave it out, or send the "
        "lines that should differ.",
        file_path=section.path,
        data={"line": section.line_no},
    )
