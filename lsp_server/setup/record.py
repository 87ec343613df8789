"""What setup wrote, so that it can be taken out again byte for byte.

Kept in our state folder: each file's bytes before and after. A file that still is as we left it comes back as it was;
from one that was changed since, only our entries are taken.

Never: a file written half, or one that somebody changed in the meantime put back to an old state.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lsp_server import paths
from lsp_server.setup.pieces import Entry, LeftAloneError, OwnFile
from lsp_server.setup.stale import Pairs, without


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one file."""

    path: Path
    before: bytes | None
    """None where there is no file."""
    after: bytes | None
    """None where there is to be none."""
    executable: bool = False
    base: bytes | None = None
    """What undo is to go back to."""

    @property
    def is_change(self) -> bool:
        """Whether the file would be another afterwards."""
        return self.before != self.after


def read(path: Path) -> bytes | None:
    """The file's bytes; None when there is none. Errors: OSError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def planned(path: Path, entries: list[Entry], kept: Kept, stale: Pairs = ()) -> Change:
    """The file with ``entries``, and without those that are stale. Errors: OSError, LeftAloneError."""
    before = read(path)
    own = any(isinstance(entry, OwnFile) for entry in entries)
    known = kept.of(path)
    if own and known is not None and before == known[1]:
        start = _text(known[0] or b"")  # an earlier Coeditor wrote it, and nobody changed it
    else:
        start = without(_text(before or b""), stale)
    text = start
    for entry in entries:
        text = entry.add(text)
    executable = any(isinstance(entry, OwnFile) and entry.executable for entry in entries)
    after = _bytes(text)
    base = _base(before, entries, known, stale)
    return Change(path, before, before if before is not None and before == after else after, executable, base)


def _base(
    before: bytes | None, entries: list[Entry], known: tuple[bytes | None, bytes | None] | None, stale: Pairs
) -> bytes | None:
    """What undo goes back to: of several writes in a row what was there before the first."""
    first = known[0] if known is not None and known[1] == before else before
    if first is None or without(_text(first), stale) == _text(first):
        return first
    if any(isinstance(entry, OwnFile) for entry in entries):
        return None
    text = without(_text(first), stale)
    for entry in reversed(entries):
        try:
            text = entry.remove(text)
        except LeftAloneError:
            continue
    return _bytes(text)


def unplanned(path: Path, entries: list[Entry], kept: Kept, stale: Pairs = ()) -> Change:
    """The file without them. Errors: OSError, LeftAloneError."""
    before = read(path)
    known = kept.of(path)
    if known is not None and before == known[1]:
        return Change(path, before, known[0])
    if before is None:
        return Change(path, None, None)
    text = without(_text(before), stale)
    for entry in reversed(entries):
        text = entry.remove(text)
    own = any(isinstance(entry, OwnFile) for entry in entries)
    gone = not text.strip() and (own or (known is not None and known[0] is None))
    return Change(path, before, None if gone else _bytes(text))


def write(change: Change) -> None:
    """Make it so, at the end of links, as a whole or not at all; the mode stays. Errors: OSError, LeftAloneError."""
    path = Path(os.path.realpath(change.path))
    if read(path) != change.before:
        raise LeftAloneError("it changed at this moment")
    if change.after is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, staged = tempfile.mkstemp(dir=path.parent, prefix=".coeditor-setup-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(change.after)
            file.flush()
            os.fsync(file.fileno())
        mode = (
            path.stat().st_mode & 0o7777
            if change.before is not None
            else 0o755
            if change.executable
            else 0o644
        )
        os.chmod(staged, mode)
        os.replace(staged, path)
    except BaseException:
        Path(staged).unlink(missing_ok=True)
        raise


class Kept:
    """Each file's bytes before setup came first, and after it wrote last."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or Path(paths.state_home()) / "setup.json"
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            found = {}
        self._files: dict[str, dict[str, str | None]] = found if isinstance(found, dict) else {}

    def of(self, path: Path) -> tuple[bytes | None, bytes | None] | None:
        """Before and after; None for a file that we did not write."""
        found = self._files.get(str(path))
        if not isinstance(found, dict):
            return None
        return _decoded(found.get("before")), _decoded(found.get("after"))

    def note(self, change: Change) -> None:
        """Setup wrote this."""
        self._files[str(change.path)] = {"before": _encoded(change.base), "after": _encoded(change.after)}
        self._save()

    def forget(self, path: Path) -> None:
        """It was taken out."""
        if self._files.pop(str(path), None) is not None:
            self._save()

    def _save(self) -> None:
        paths.make_private(str(self._path.parent))
        staged = self._path.with_suffix(".new")
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(self._files, file)
        os.replace(staged, self._path)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _encoded(data: bytes | None) -> str | None:
    return base64.b64encode(data).decode("ascii") if data is not None else None


def _decoded(text: str | None) -> bytes | None:
    return base64.b64decode(text) if text is not None else None
