"""How much a patch has held so far, against its limits.

Never: a limit that was not given.
"""

from __future__ import annotations

from ledger.errors import CoeditorError
from lsp_server.edits.v4a_refusals import too_large
from lsp_server.edits.v4a_types import PatchLimits


class Counts:
    """Counts up, and raises FS_TOO_LARGE with the patch line at which a limit is passed."""

    def __init__(self, limits: PatchLimits) -> None:
        self._limits = limits
        self._paths: set[str] = set()
        self._size = 0
        self.chunks = 0
        self.lines = 0

    @property
    def files(self) -> int:
        """Different paths so far."""
        return len(self._paths)

    def text(self, line: str, line_no: int, *, terminated: bool) -> None:
        """One more line of the patch as sent, with an LF or without."""
        size = len(line) if line.isascii() else len(line.encode("utf-8", "surrogatepass"))
        self._size += size + terminated
        self.waiting(0, line_no)

    def waiting(self, least: int, line_no: int) -> None:
        """At least so many bytes of a line have come that is not complete."""
        if self._size + least > self._limits.patch_bytes:
            raise self._too_large("patch_bytes", line_no)

    def file(self, path: str, line_no: int) -> None:
        """One more section."""
        self._paths.add(path)
        if self.files > self._limits.patch_files:
            raise self._too_large("patch_files", line_no)

    def chunk(self, line_no: int) -> None:
        """One more chunk."""
        self.chunks += 1
        if self.chunks > self._limits.patch_chunks:
            raise self._too_large("patch_chunks", line_no)

    def line(self, line_no: int) -> None:
        """One more line of content."""
        self.lines += 1
        if self.lines > self._limits.patch_lines:
            raise self._too_large("patch_lines", line_no)

    def _too_large(self, name: str, line_no: int) -> CoeditorError:
        limit: int = getattr(self._limits, name)
        return too_large(line_no, name, limit)
