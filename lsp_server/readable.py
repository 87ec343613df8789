"""Whether what a plan writes could be read again.

A file that only a refusal of the next read tells about is a change that nobody can look at, so such a plan
is refused while nothing has been touched.

Never: I/O, or a judgement about a text that was like that before.
"""

from __future__ import annotations

from collections.abc import Iterable

from editor_clients.charsets import UNKNOWN_8BIT, UTF_8
from editor_clients.disk import too_large
from editor_clients.encoding import encode
from editor_clients.port import FileChange
from ledger.errors import Code, CoeditorError
from lsp_server.outcomes import Planned

_MOST_BYTES = 4
"""That any encoding needs for one character."""


def refuse_unreadable(files: Iterable[Planned], file_bytes: int) -> None:
    """Errors: FS_NOT_TEXT for NUL characters that a plan brings in, FS_TOO_LARGE over ``file_bytes``."""
    for one in files:
        change = one.change
        if change.after is None or change.raw is not None:
            continue
        if "\0" in change.after and (change.before is None or "\0" not in change.before.text):
            raise CoeditorError(
                Code.FS_NOT_TEXT,
                f"The new text of {one.path} has a NUL character, which would make it a binary file; nothing "
                "was written. Send the text without it.",
                file_path=one.path,
                data={"reason": "nul"},
            )
        size = _size(change, file_bytes)
        if size > file_bytes:
            raise too_large(one.path, size, file_bytes, "file_bytes")


def _size(change: FileChange, file_bytes: int) -> int:
    """Bytes that the file is going to have; no more than a guess where it is far from ``file_bytes``."""
    text = change.after or ""
    if (len(text) + 1) * _MOST_BYTES <= file_bytes:
        return len(text)
    encoding = change.encoding or (change.before.encoding if change.before is not None else UTF_8)
    return len(text) if encoding == UNKNOWN_8BIT else len(encode(text, encoding))
