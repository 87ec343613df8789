"""A patch that is taken as it is written: begin, append, commit.

Never: anything touched before the commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.errors import Code, CoeditorError
from lsp_server.service import CallContext
from lsp_server.tools.patch import apply_parsed, limits_of
from lsp_server.workspace import Workspace


async def begin(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """The name of a new stream of the caller's session."""
    stream = workspace.streams.begin(context.caller.scope.session, limits_of(workspace))
    return {"ok": True, "stream": stream.name}


async def append(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """How far the patch has come with one more piece.

    Errors: FS_INVALID_PATCH and FS_TOO_LARGE as soon as they are certain, and on every step from then on;
    INVALID_ARGUMENT for a stream that is not there.
    """
    stream = workspace.streams.find(context.caller.scope.session, arguments["stream"])
    progress = stream.append(arguments["text"])
    found: dict[str, Any] = {
        "ok": True,
        "files": progress.files,
        "chunks": progress.chunks,
        "lines": progress.lines,
        "complete": progress.complete,
    }
    if progress.path is not None:
        found["path"] = progress.path
    return found


async def commit(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """What ``apply_patch`` does with the whole text; the stream is gone once it is applied.

    After a refusal, and after ``validate_only``, it can be committed again. Errors: as ``apply_patch``.
    """
    streams = workspace.streams
    stream = streams.take(context.caller.scope.session, arguments["stream"])
    only_plan = arguments["validate_only"]
    try:
        patch, text = stream.whole()
        outcome = await apply_parsed(workspace, patch, {"patch": text, "validate_only": only_plan}, context)
    except CoeditorError as error:
        if error.code is not Code.FS_UNCONFIRMED and not error.data.get("not_restored"):
            streams.put_back(stream)
        raise
    if only_plan:
        streams.put_back(stream)
    return outcome
