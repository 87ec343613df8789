"""A V4A patch as text, whole or as it is being written, to its sections.

``parse_patch(text)`` and a ``PatchFeed`` that got the same text in any pieces come to the same end, since the
first is the second with one piece.

Never: I/O, or a look at any file.
"""

from __future__ import annotations

from ledger.errors import Code, CoeditorError
from lsp_server.edits.v4a_reader import Reader
from lsp_server.edits.v4a_types import Patch, PatchLimits, PatchProgress


def parse_patch(text: str, limits: PatchLimits | None = None) -> Patch:
    """The patch that ``text`` holds.

    Errors: FS_INVALID_PATCH (``data.line`` 1-based in ``text``, ``data.expected``), FS_TOO_LARGE
    (``data.limit``, ``data.limit_name``).
    """
    feed = PatchFeed(limits)
    feed.append(text)
    return feed.commit()


class PatchFeed:
    """A patch that arrives in pieces of any size.

    ``append`` raises as soon as the patch cannot become valid any more; from then on every call does.
    """

    def __init__(self, limits: PatchLimits | None = None) -> None:
        self._reader = Reader(limits or PatchLimits())
        self._rest: list[str] = []
        self._rest_size = 0
        self._refusal: CoeditorError | None = None
        self._patch: Patch | None = None

    def append(self, text: str) -> None:
        """Take the next piece. Errors: as ``parse_patch``."""
        if self._refusal is not None:
            raise self._refusal
        if self._patch is not None:
            raise CoeditorError(Code.INVALID_ARGUMENT, "This patch was committed; begin a new one.")
        try:
            self._take(text)
        except CoeditorError as refusal:
            self._refusal = refusal
            raise

    def progress(self) -> PatchProgress:
        """How far the complete lines have come."""
        return self._reader.progress()

    def commit(self) -> Patch:
        """The patch, now that no more text comes. Errors: as ``parse_patch``."""
        if self._refusal is not None:
            raise self._refusal
        if self._patch is None:
            try:
                if self._rest_size:
                    self._reader.line("".join(self._rest), terminated=False)
                self._patch = self._reader.finish()
            except CoeditorError as refusal:
                self._refusal = refusal
                raise
        return self._patch

    def _take(self, text: str) -> None:
        if "\n" in text:
            first, *lines = text.split("\n")
            lines.insert(0, "".join((*self._rest, first)))
            rest = lines.pop()
            self._rest = [rest]
            self._rest_size = len(rest)
            for line in lines:
                self._reader.line(line, terminated=True)
        elif text:
            self._rest.append(text)
            self._rest_size += len(text)
        self._reader.check_size(self._rest_size)
