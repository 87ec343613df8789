"""Edits of open notebooks, cell by cell: asked for, confirmed by the cells that the editor shows then, saved.

An editor of ours takes any change of cells in one checked step; one that knows only LSP takes new text for the
cells that it has. Never: "applied" on an editor's word alone, or a cell that somebody changed meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from editor_clients.confirming import News, Watch
from editor_clients.editor_link import (
    APPLY_EDIT,
    APPLY_NOTEBOOK_EDIT,
    AnswerError,
    EditorLink,
    SilentEditorError,
)
from editor_clients.lines import LineIndex, PositionEncoding
from editor_clients.loose_json import as_object, as_text
from editor_clients.lsp_wire import PROTOCOL, DocumentEdit, EditedDocument, text_edit
from editor_clients.notebooks import CellPlan, CellText, NotebookForm, OpenCell, is_shown, plan_cells
from editor_clients.overlay import Buffer, Overlay, hash_of
from editor_clients.port import Replacement
from editor_clients.replacements import replacements_between
from ledger.errors import Code, CoeditorError


class NotebookEdits:
    """The editing side of one editor's notebooks."""

    def __init__(
        self,
        overlay: Overlay,
        link: EditorLink,
        form: NotebookForm,
        news: News,
        *,
        answer: float,
        confirm: float,
    ) -> None:
        """``answer``, ``confirm``: how long an editor may take, in seconds."""
        self._overlay = overlay
        self._link = link
        self._form = form
        self._news = news
        self._answer = answer
        self._confirm = confirm

    def can(self, buffer: Buffer, after: str) -> bool:
        """Whether this editor can make the notebook of ``after`` of the cells it shows."""
        return self.made(buffer, after) is not None

    def made(self, buffer: Buffer, after: str) -> str | None:
        """The text once the editor's cells are those of ``after``; None where it cannot make them so.

        That is ``after`` but for what only other editors than this one can do: results stay where they cannot be
        cleared.
        """
        cells, wanted = _cells(buffer), self._form.cells_of(after)
        if wanted is None:
            return None
        text = self._form.with_cells(buffer.text, wanted, clear=True)
        if text is None or not self._form.is_same(text, after):
            return None
        if self._link.abilities.notebooks:
            return after
        if plan_cells(cells, wanted).splices:
            return None
        return self._form.with_cells(buffer.text, wanted, clear=False)

    async def apply(
        self, edit: DocumentEdit, watch: Watch, *, label: str, edit_id: str
    ) -> tuple[str, EditedDocument]:
        """The text with the edit in it, and what the editor told. ``watch``: from before the call.

        Errors: FS_STALE_VERSION when a cell changed (``data.target``), FS_EDITOR_REFUSED, FS_UNCONFIRMED.
        """
        made, wanted = self.made(edit.buffer, edit.after), self._form.cells_of(edit.after)
        if made is None or wanted is None:
            raise _refused(edit.buffer, "it cannot make these cells")
        plan = plan_cells(_cells(edit.buffer), wanted)
        told = await self._ask(edit.buffer, plan, label=label, edit_id=edit_id)
        if told is not None and told.get("applied") is not True:
            await self._news.until(lambda: watch.moved, 0.15)
            if watch.moved or told.get("why") in ("changed", "closed"):
                raise _moved(edit.buffer)
            raise _refused(
                edit.buffer, as_text(told.get("failureReason")) or as_text(told.get("why")) or "no reason"
            )

        def there() -> Buffer | None:
            return watch.found(lambda one: is_shown(_cells(one), wanted))

        await self._news.until(lambda: watch.closed or there() is not None, self._confirm)
        if there() is None:
            said = "said that it applied it" if told is not None else "did not answer"
            raise CoeditorError(
                Code.FS_UNCONFIRMED,
                f"The edit of {edit.buffer.target} was sent to the editor, which {said}, but its cells were not "
                "seen there. Read the file before going on.",
                data={"target": edit.buffer.target},
            )
        self._lay_over(edit.buffer.uri, made)
        clean = told is not None and told.get("clean") is True
        return made, EditedDocument(edit.buffer.uri, 0, "", dirty=not clean, saved=False, formatted=False)

    def save_params(self, uri: str, text: str) -> dict[str, Any]:
        """What a save is asked with: only these cells, never what was typed in between."""
        cells = self._form.cells_of(text) or ()
        return {"uri": uri, "cells": [hash_of(cell.source) for cell in cells]}

    def _lay_over(self, uri: str, text: str) -> None:
        """From now on what no cell says is that of ``text``, the cells are the editor's."""
        now = self._overlay.find(uri)
        if now is not None and now.cells is not None:
            laid = self._form.with_cells(text, _cells(now), clear=False)
            if laid is not None:
                self._overlay.put(now.with_text(laid))

    async def _ask(
        self, buffer: Buffer, plan: CellPlan, *, label: str, edit_id: str
    ) -> Mapping[str, Any] | None:
        """The editor's answer; None when there was none in time."""
        cells = buffer.cells or ()
        if self._link.abilities.notebooks:
            method, params = APPLY_NOTEBOOK_EDIT, _our_params(cells, plan, self._overlay.encoding)
            params |= {"uri": buffer.uri, "label": label, "protocol": PROTOCOL, "edit_id": edit_id}
            params["expires"] = int((time.time() + self._answer) * 1000)
        else:
            method, params = (
                APPLY_EDIT,
                {"label": label, "edit": _plain_edit(cells, plan, self._overlay.encoding)},
            )
        try:
            return as_object(await self._link.ask(method, params, patience=self._answer))
        except SilentEditorError:
            return None
        except AnswerError as error:
            return {"applied": False, "failureReason": str(error)}


def _our_params(cells: Sequence[OpenCell], plan: CellPlan, encoding: PositionEncoding) -> dict[str, Any]:
    language = next((cell.language for cell in cells if cell.kind == "code"), "python")
    return {
        "cells": [{"uri": cell.uri, "hash": hash_of(cell.source)} for cell in cells],
        "sources": [
            {
                "index": index,
                "edits": _edits(cells[index], source, encoding),
                "text": source,
                "clear": cells[index].kind == "code",
            }
            for index, source in plan.sources
        ],
        "splices": [
            {
                "start": one.start,
                "delete": one.delete,
                "cells": [_new_cell(cell, language) for cell in one.cells],
            }
            for one in plan.splices
        ],
    }


def _new_cell(cell: CellText, language: str) -> dict[str, Any]:
    found = {
        "kind": cell.kind,
        "text": cell.source,
        "language": language if cell.kind == "code" else cell.kind,
    }
    return found | ({"id": cell.cell_id} if cell.cell_id is not None else {})


def _plain_edit(cells: Sequence[OpenCell], plan: CellPlan, encoding: PositionEncoding) -> dict[str, Any]:
    changes = [
        {
            "textDocument": {"uri": cells[index].uri, "version": cells[index].version},
            "edits": _edits(cells[index], source, encoding),
        }
        for index, source in plan.sources
    ]
    return {"documentChanges": changes}


def _edits(cell: OpenCell, source: str, encoding: PositionEncoding) -> list[dict[str, Any]]:
    """Minimal text edits; a cell with other line ends than the file's is rewritten as a whole."""
    index = LineIndex(cell.source)
    parts: Sequence[Replacement] = replacements_between(cell.source, source)
    if "\r" in cell.source or "\r" in source:
        parts = [Replacement(0, len(cell.source), source)]
    return [text_edit(one, index, encoding) for one in parts]


def _cells(buffer: Buffer) -> list[CellText]:
    return [cell.text for cell in buffer.cells or ()]


def _moved(buffer: Buffer) -> CoeditorError:
    return CoeditorError(
        Code.FS_STALE_VERSION,
        f"{buffer.target} changed in the editor at the moment of the edit. Read it again.",
        data={"target": buffer.target},
    )


def _refused(buffer: Buffer, why: str) -> CoeditorError:
    return CoeditorError(
        Code.FS_EDITOR_REFUSED,
        f"The editor did not apply the edit of the notebook {buffer.target}: {why}. Nothing was changed; read the "
        "file and try again, or ask the person.",
        data={"target": buffer.target, "reason": why},
    )
