"""Code lenses, code actions and commands on what agents changed, so that every editor has the review.

::

    coeditor.server.keep       [hunk]    keep it
    coeditor.server.undo       [hunk]    undo it; the editor is asked to apply the edit, like any agent's
    coeditor.server.showDiff   [hunk]    answers the hunk as a diff, and shows it to the person

A client with views of its own says ``lenses: false`` and is offered neither lenses nor actions.

Never: a decision; the review has those.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from lsprotocol import types as lsp

from editor_clients.lines import bare_lines
from ledger.errors import Code, CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.handlers.protocol import EditorServer, RequestFailed, internal
from lsp_server.service import CallContext, Service

log = logging.getLogger(__name__)

KEEP: Final = "coeditor.server.keep"
UNDO: Final = "coeditor.server.undo"
SHOW_DIFF: Final = "coeditor.server.showDiff"
_TITLES: Final = {KEEP: "Keep", UNDO: "Undo this edit", SHOW_DIFF: "Show diff"}
_KIND: Final = lsp.CodeActionKind.Refactor
_SHOWN: Final = 4_000
"""Characters of a diff in a message to the person."""

Hunk = Mapping[str, Any]


def register(server: EditorServer, service: Service, *, connection: str) -> None:
    """Offer them on ``server``."""
    review = _Review(service, connection)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions())
    async def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        if not _offers(server):
            return []
        found = []
        for hunk in await review.hunks([params.text_document.uri]):
            line = hunk["start_line"] - 1
            place = lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0))
            found += [lsp.CodeLens(place, command) for command in _commands(hunk)]
        return found

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[_KIND]))
    async def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        only = params.context.only
        if not _offers(server) or (only and not any(_includes(kind) for kind in only)):
            return []
        asked = (params.range.start.line, params.range.end.line)
        met = [hunk for hunk in await review.hunks([params.text_document.uri]) if _meets(hunk, asked)]
        return [
            lsp.CodeAction(f"{command.title} (Coeditor)", kind=_KIND, command=command)
            for hunk in met
            for command in _commands(hunk)
        ]

    async def keep(hunk: str) -> dict[str, Any]:
        return await review.call("review/keep", {"hunks": [hunk]})

    async def undo(hunk: str) -> dict[str, Any]:
        return await review.call("review/undo", {"hunks": [hunk]})

    async def show_diff(hunk: str) -> dict[str, Any]:
        text = await review.diff(hunk)
        message = lsp.ShowMessageParams(lsp.MessageType.Info, text[:_SHOWN])
        server.window_show_message(message)
        return {"diff": text}

    for name, run in ((KEEP, keep), (UNDO, undo), (SHOW_DIFF, show_diff)):
        server.command(name)(run)


class _Review:
    """The review as this editor's person asks for it."""

    def __init__(self, service: Service, connection: str) -> None:
        self._service = service
        self._context = CallContext(Caller(ScopeKey(connection)), "lsp", person=True)

    async def hunks(self, uris: list[str]) -> list[Hunk]:
        """What is pending in a document; nothing where that cannot be told."""
        try:
            found = await self._service.call("review", {"file_paths": uris}, self._context)
        except CoeditorError as error:
            log.info("no lenses: %s", error.message)
            return []
        return [hunk for file in found["files"] for hunk in file["hunks"]]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Errors: RequestFailed."""
        try:
            return await self._service.call(tool, arguments, self._context)
        except CoeditorError as error:
            raise RequestFailed(error) from error
        except Exception as error:
            raise internal(tool, error) from error

    async def diff(self, name: str) -> str:
        """One hunk as a diff. Errors: RequestFailed for one that is not pending."""
        found = await self.call("review", {})
        for file in found["files"]:
            for hunk in file["hunks"]:
                if hunk["hunk"] == name:
                    lines = ["-" + line for line in bare_lines(hunk["before"])]
                    lines += ["+" + line for line in bare_lines(hunk["after"])]
                    where = f"@@ {file['file_path']}, line {hunk['start_line']} @@"
                    return "\n".join([where, *lines]) + "\n"
        raise RequestFailed(CoeditorError(Code.INVALID_ARGUMENT, f"{name} is not pending any more."))


def _commands(hunk: Hunk) -> list[lsp.Command]:
    """What can be done with it."""
    names = [KEEP, *([UNDO] if hunk["undoable"] else []), SHOW_DIFF]
    return [lsp.Command(_TITLES[name], name, arguments=[hunk["hunk"]]) for name in names]


def _meets(hunk: Hunk, asked: tuple[int, int]) -> bool:
    """Whether lines (0-based, inclusive) are the hunk's; of one without lines, the line that follows."""
    first = hunk["start_line"] - 1
    return bool(first <= asked[1] and max(first, hunk["end_line"] - 1) >= asked[0])


def _includes(kind: str) -> bool:
    return _KIND.value == kind or _KIND.value.startswith(kind + ".") or kind == ""


def _offers(server: EditorServer) -> bool:
    """Whether the client has no views of its own for it."""
    options = server.protocol.initialize_params.get("initializationOptions")
    ours = options.get("coeditor") if isinstance(options, Mapping) else None
    return not isinstance(ours, Mapping) or ours.get("lenses") is not False
