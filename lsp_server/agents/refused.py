"""What the relay answers by itself when a message cannot be passed on.

Never: imports that cost time before there is something to refuse.
"""

from __future__ import annotations

import json
import re

from ledger.errors import Code, CoeditorError
from lsp_server.wire import handshake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

ENDED: Final = CoeditorError(
    Code.NO_SERVER,
    "The server ended each time this was sent to it; `coeditor doctor` finds what is wrong.",
)
UNCONFIRMED: Final = CoeditorError(
    Code.FS_UNCONFIRMED,
    "The server ended during this call, and whether it was applied is not known; read the files again before "
    "going on.",
)
HALF_CHARACTER: Final = CoeditorError(
    Code.INVALID_ARGUMENT,
    "The message holds half of a surrogate pair, which is no character; nothing was done. Send the text with "
    "whole characters.",
)

_ID: Final = rb'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)'
_ID_FIRST: Final = re.compile(rb'\A\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*' + _ID)
_ID_LAST: Final = re.compile(rb"[,{]\s*" + _ID + rb'(?:\s*,\s*"jsonrpc"\s*:\s*"2\.0")?\s*\}\s*\Z')
_HALVES: Final = re.compile(rb"\\[uU][dD][89a-fA-F]")


def oversize(limit: int) -> CoeditorError:
    """A message has more bytes than the server takes."""
    return CoeditorError(
        Code.FS_TOO_LARGE,
        f"One message may have {limit} bytes; nothing was done. Send less at a time.",
        data={"limit": limit, "limit_name": "message_bytes"},
    )


def id_around(start: bytes, end: bytes) -> object:
    """The id of a request of which only the start and the end are known; None when it stands in neither."""
    found = _ID_FIRST.match(start) or _ID_LAST.search(end)
    return json.loads(found[1]) if found else None


def has_half_character(line: bytes, message: object) -> bool:
    """Whether a text in ``message``, which ``line`` says, has half of a surrogate pair."""
    if not _HALVES.search(line):
        return False
    try:
        json.dumps(message, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def error_answer(
    message_id: object, method: str, error: CoeditorError, state: handshake.HandshakeState
) -> dict[str, Any]:
    """How MCP says an error: as a tool's result where a tool was called, else as the protocol's own."""
    found = error.to_object()
    if method != "tools/call" or message_id is None:
        return handshake.error_message(message_id, -32603, error.message, found)
    from lsp_server.wire.error_texts import error_text

    content = [{"type": "text", "text": error_text(found)}]
    result = {"content": content, "structuredContent": found, "isError": True}
    return handshake.result_message(message_id, result, state)
