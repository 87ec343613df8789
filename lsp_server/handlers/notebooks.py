"""The editor's notifications about its notebooks: the cells that it shows, on their way to the mirror.

A cell is a document of its own; what is told of one is spliced as in any other. Never: a decision, or the text of
the notebook's file.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from editor_clients.lines import PositionEncoding
from editor_clients.loose_json import Json, as_int, as_list, as_object, as_text
from editor_clients.lsp_wire import changes_from
from editor_clients.notebooks import OpenCell
from editor_clients.overlay import DocumentState, Overlay

log = logging.getLogger(__name__)

_CODE = 2
"""NotebookCellKind of LSP."""


@dataclass(slots=True)
class _Row:
    """One cell as the editor told of it."""

    uri: str
    kind: int
    cell_id: str | None


@dataclass(slots=True)
class _Notebook:
    version: int
    rows: list[_Row]
    languages: dict[str, str] = field(default_factory=dict)
    state: DocumentState | None = None


class CellMirror(Protocol):
    """Who holds the notebooks."""

    def opened_notebook(self, uri: str, version: int, cells: Sequence[OpenCell]) -> None:
        """The editor opened a notebook with these cells, in order."""
        ...

    def changed_notebook(self, uri: str, version: int, cells: Sequence[OpenCell], *, sound: bool) -> None:
        """Its cells now; not ``sound``: the editor's change did not fit what was known of them."""
        ...

    def saved_notebook(self, uri: str) -> None:
        """The notebook was written."""
        ...

    def told_state(self, uri: str, state: DocumentState) -> None:
        """What only an extension of ours tells: unsaved or not, its encoding, its line ends."""
        ...

    def closed(self, uri: str) -> None:
        """The document is no longer open."""
        ...


class Notebooks:
    """The entry points for notebooks; ``mirror`` gives who is to know of their cells at that moment."""

    def __init__(self, mirror: Callable[[], CellMirror]) -> None:
        self._mirror = mirror
        self._texts = Overlay()
        self._open: dict[str, _Notebook] = {}

    @property
    def encoding(self) -> PositionEncoding:
        """The connection's."""
        return self._texts.encoding

    @encoding.setter
    def encoding(self, encoding: PositionEncoding) -> None:
        self._texts.encoding = encoding

    def tell_all(self) -> None:
        """Tell a new mirror of every notebook that is open."""
        for uri, notebook in self._open.items():
            self._mirror().opened_notebook(uri, notebook.version, self._cells(notebook))
            if notebook.state is not None:
                self._mirror().told_state(uri, notebook.state)

    def note_state(self, uri: str, state: DocumentState) -> None:
        """Remember what the editor said of a notebook, if this is one, for the next mirror."""
        if uri in self._open:
            self._open[uri].state = state

    def told(self) -> list[Json]:
        """What is open, as params of ``did_open``."""
        return [self._as_opened(uri, notebook) for uri, notebook in self._open.items()]

    def _as_opened(self, uri: str, notebook: _Notebook) -> Json:
        rows, cells = notebook.rows, self._cells(notebook)
        told = [{"kind": row.kind, "document": row.uri, "metadata": {"id": row.cell_id}} for row in rows]
        texts = [
            {"uri": one.uri, "languageId": one.language, "version": one.version, "text": one.source}
            for one in cells
        ]
        named = {"uri": uri, "version": notebook.version, "cells": told}
        return {"notebookDocument": named, "cellTextDocuments": texts}

    def did_open(self, params: Any) -> None:
        """A notebook was opened."""
        fields = as_object(params)
        told = as_object(fields.get("notebookDocument"))
        uri = as_text(told.get("uri"))
        notebook = _Notebook(as_int(told.get("version")), [_row(one) for one in as_list(told.get("cells"))])
        self._open[uri] = notebook
        self._open_texts(notebook, as_list(fields.get("cellTextDocuments")))
        self._mirror().opened_notebook(uri, notebook.version, self._cells(notebook))

    def did_change(self, params: Any) -> None:
        """Cells came, went, or changed."""
        fields = as_object(params)
        uri, version = _named(fields)
        notebook = self._open.get(uri)
        if notebook is None:
            log.warning("a change came for a notebook that is not open")
            return
        notebook.version = version
        cells = as_object(as_object(fields.get("change")).get("cells"))
        self._restructure(notebook, as_object(cells.get("structure")))
        known = {row.uri: row for row in notebook.rows}
        for row in map(_row, as_list(cells.get("data"))):
            if row.uri in known:
                known[row.uri].kind, known[row.uri].cell_id = row.kind, row.cell_id
        for one in map(as_object, as_list(cells.get("textContent"))):
            cell, cell_version = _named_by(one, "document")
            self._texts.change(cell, cell_version, changes_from(as_list(one.get("changes"))))
        self._mirror().changed_notebook(uri, version, self._cells(notebook), sound=self._is_sound(notebook))

    def did_save(self, params: Any) -> None:
        """A notebook was saved."""
        self._mirror().saved_notebook(_named(as_object(params))[0])

    def did_close(self, params: Any) -> None:
        """A notebook was closed."""
        uri, _ = _named(as_object(params))
        for row in self._open.pop(uri, _Notebook(0, [])).rows:
            self._texts.close(row.uri)
        self._mirror().closed(uri)

    def _restructure(self, notebook: _Notebook, structure: Json) -> None:
        array = as_object(structure.get("array"))
        start, count = as_int(array.get("start")), as_int(array.get("deleteCount"))
        notebook.rows[start : start + count] = map(_row, as_list(array.get("cells")))
        for one in map(as_object, as_list(structure.get("didClose"))):
            self._texts.close(as_text(one.get("uri")))
        self._open_texts(notebook, as_list(structure.get("didOpen")))

    def _open_texts(self, notebook: _Notebook, documents: Sequence[object]) -> None:
        for one in map(as_object, documents):
            uri, text = as_text(one.get("uri")), one.get("text")
            notebook.languages[uri] = as_text(one.get("languageId"))
            self._texts.open(uri, None, as_int(one.get("version")), text if isinstance(text, str) else "")

    def _is_sound(self, notebook: _Notebook) -> bool:
        found = [self._texts.find(row.uri) for row in notebook.rows]
        return all(one is not None and one.sound and not one.has_halves for one in found)

    def _cells(self, notebook: _Notebook) -> list[OpenCell]:
        found = []
        for row in notebook.rows:
            text, language = self._texts.find(row.uri), notebook.languages.get(row.uri, "")
            version, source = (text.version, text.text) if text is not None else (0, "")
            found.append(OpenCell(row.uri, _kind(row, language), language, version, source, row.cell_id))
        return found


def _kind(row: _Row, language: str) -> Literal["code", "markdown", "raw"]:
    if row.kind != _CODE:
        return "markdown"
    return "raw" if language == "raw" else "code"


def _row(raw: object) -> _Row:
    fields = as_object(raw)
    metadata = as_object(fields.get("metadata"))
    for found in (metadata.get("id"), as_object(metadata.get("custom")).get("id")):
        if isinstance(found, str):
            return _Row(as_text(fields.get("document")), as_int(fields.get("kind")), found)
    return _Row(as_text(fields.get("document")), as_int(fields.get("kind")), None)


def _named(fields: Json) -> tuple[str, int]:
    return _named_by(fields, "notebookDocument")


def _named_by(fields: Json, key: str) -> tuple[str, int]:
    found = as_object(fields.get(key))
    return as_text(found.get("uri")), as_int(found.get("version"))
