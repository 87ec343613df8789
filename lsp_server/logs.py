"""What a server says on standard error: lines for people, or JSON objects with ``--log-json``.

Of an exception it says the type and the places in the code, and what it says itself only where that is a system
call's failure: other messages may quote a file. A log file that has grown is put aside, and one is kept.

Never: file contents, requests or tokens.
"""

from __future__ import annotations

import json
import logging
import os
import stat
import sys
from contextlib import suppress
from traceback import walk_tb
from typing import Any, Final

from lsp_server.moments import rfc3339

VARIABLE: Final = "COEDITOR_LOG"
"""``json`` in it has the servers that are started on demand log that way too."""
LARGEST: Final = 4 << 20
"""Bytes at which a log is put aside."""
_MOST_FRAMES: Final = 30
_MOST_CHARACTERS: Final = 4_000


def configure(*, as_json: bool = False) -> None:
    """From here on everything that is logged goes to standard error in our form."""
    handler = logging.StreamHandler(sys.stderr)
    wants_json = as_json or os.environ.get(VARIABLE) == "json"
    handler.setFormatter(
        _JsonLines() if wants_json else _Lines("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler])


class _Lines(logging.Formatter):
    """One line a message, and one for each frame of an exception."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        record.message = _message(record)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return "\n".join(f"  {line}" for line in _chain(ei[1]))


class _JsonLines(logging.Formatter):
    """One object a line: ``time``, ``level``, ``logger``, ``message``, ``process``, and ``exception`` (lines)."""

    def format(self, record: logging.LogRecord) -> str:
        found: dict[str, Any] = {
            "time": rfc3339(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            "process": record.process,
        }
        if record.exc_info and record.exc_info[1] is not None:
            found["exception"] = _chain(record.exc_info[1])
        return json.dumps(found)


def _message(record: logging.LogRecord) -> str:
    """On one line, of bounded length; the event loop's own say more in further ones, values among it."""
    text = record.getMessage()
    if record.name.startswith("asyncio"):
        text = text.partition("\n")[0]
    return text[:_MOST_CHARACTERS].replace("\r", "\\r").replace("\n", "\\n")


def _chain(error: BaseException | None) -> list[str]:
    """The frames of an exception and of what led to it, each with its type, the innermost last."""
    found: list[str] = []
    seen: set[int] = set()
    while error is not None and id(error) not in seen and len(found) < 3 * _MOST_FRAMES:
        seen.add(id(error))
        frames = [
            f'File "{frame.f_code.co_filename}", line {line}, in {frame.f_code.co_name}'
            for frame, line in walk_tb(error.__traceback__)
        ]
        found += [*frames[-_MOST_FRAMES:], _name(error)]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


def _name(error: BaseException) -> str:
    kind = type(error).__name__
    return f"{kind}: {error.strerror}" if isinstance(error, OSError) and error.strerror else kind


def put_aside(path: str, largest: int = LARGEST) -> None:
    """Where standard error goes to the file ``path`` and that has grown, it becomes ``path.1`` and a new one begins."""
    with suppress(OSError):
        here, there = os.fstat(2), os.stat(path)
        same = (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
        if not (same and stat.S_ISREG(here.st_mode) and here.st_size > largest):
            return
        os.replace(path, path + ".1")
        fresh = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            for descriptor in (1, 2):
                held = os.fstat(descriptor)
                if (held.st_dev, held.st_ino) == (here.st_dev, here.st_ino):
                    os.dup2(fresh, descriptor)
        finally:
            os.close(fresh)
