"""A scripted editor that shows notebooks: each cell a document of its own, results, and a file written its own way.

Never: the product's idea of a notebook.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.fakes.editor import Document, Json, ScriptedEditor, hash_of, offset_of, uri_of

CODE = 2


@dataclass(slots=True)
class Cell:
    document: Document
    kind: int
    language: str
    metadata: Json
    outputs: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class Notebook:
    uri: str
    path: Path
    cells: list[Cell]
    rest: Json
    version: int = 1
    dirty: bool = False

    def sources(self) -> list[str]:
        return [cell.document.text for cell in self.cells]


class NotebookEditor(ScriptedEditor):
    """Like VS Code: what has no notebook in it behaves as in any other editor."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.books: dict[str, Notebook] = {}
        self.on_disk: dict[str, str] = {}
        self._count = 0

    def initialize_params(self, *roots: Path, **options: Any) -> Json:
        params = super().initialize_params(*roots, **options)
        params["capabilities"]["notebookDocument"] = {"synchronization": {"dynamicRegistration": False}}
        if self.extras:
            params["initializationOptions"]["coeditor"]["notebooks"] = True
        return params

    # What the person does.

    def open_notebook(self, path: Path, *, ids: bool = True) -> Notebook:
        """Open a file as a notebook; without ``ids`` the editor keeps them to itself."""
        text = path.read_text() or json.dumps({"nbformat": 4, "nbformat_minor": 5})
        found: Json = json.loads(text)
        book = Notebook(uri_of(path), path, [], {key: found[key] for key in found if key != "cells"})
        book.cells = [self._cell(path, cell, ids=ids) for cell in found.get("cells", ())]
        self.books[book.uri] = book
        self._tell_notebook(book)
        return book

    def insert_cell(self, book: Notebook, at: int, source: str, kind: int = CODE) -> Cell:
        """The person makes a cell."""
        cell = self._new_cell(book.path, source, kind, "python" if kind == CODE else "markdown", {})
        self._splice(book, at, 0, [cell])
        return cell

    def delete_cell(self, book: Notebook, at: int) -> None:
        self._splice(book, at, 1, [])

    def run_cell(self, book: Notebook, at: int, output: str) -> None:
        """A kernel made a result, which no notification carries."""
        book.cells[at].outputs = [{"output_type": "stream", "name": "stdout", "text": [output]}]
        book.cells[at].metadata["execution_count"] = 7
        book.dirty = True
        self._state_of(book)

    def save_notebook(self, book: Notebook) -> None:
        """Write the file in this editor's own way."""
        book.path.write_text(self._text_of(book))
        book.dirty = False
        self._emit("notebookDocument/didSave", {"notebookDocument": {"uri": book.uri}})
        self._state_of(book)

    def close_notebook(self, book: Notebook) -> None:
        del self.books[book.uri]
        closed = [{"uri": cell.document.uri} for cell in book.cells]
        for cell in book.cells:
            del self.documents[cell.document.uri]
        params = {"notebookDocument": {"uri": book.uri}, "cellTextDocuments": closed}
        self._emit("notebookDocument/didClose", params)

    def reload_notebook(self, book: Notebook) -> None:
        """Notice what is on disk: all cells are made anew."""
        if book.dirty:
            return
        found = json.loads(book.path.read_text())
        self._splice(book, 0, len(book.cells), [self._cell(book.path, one) for one in found["cells"]])
        book.dirty = False
        self._state_of(book)

    def announce(self) -> None:
        super().announce()
        for book in self.books.values():
            self._tell_notebook(book)

    # What the server asks.

    async def answer(self, method: str, params: Json) -> Any:
        book = self.books.get(str(params.get("uri")))
        if book is None or not self.extras:
            return await super().answer(method, params)
        self.asked.append((method, params))
        match method:
            case "coeditor/applyNotebookEdit":
                return self._apply_to_notebook(book, params)
            case "coeditor/save":
                same = [hash_of(source) for source in book.sources()] == params["cells"]
                if same:
                    self.save_notebook(book)
                return {"saved": same, "dirty": book.dirty, "version": book.version, "hash": ""}
            case _:
                self.reload_notebook(book)
                return {"version": book.version, "hash": "", "dirty": book.dirty}

    def _apply_to_notebook(self, book: Notebook, params: Json) -> Json:
        happened, self.manners.before_apply = self.manners.before_apply, None
        if happened is not None:
            happened()
        if self.manners.refuse is not None:
            return {"applied": False, "why": "failed", "failureReason": self.manners.refuse}
        shown = [{"uri": cell.document.uri, "hash": hash_of(cell.document.text)} for cell in book.cells]
        if shown != params["cells"]:
            return {"applied": False, "why": "changed"}
        was_clean = not book.dirty
        if self.manners.order == "answer-first" and self._held is None:
            self.hold()
        for one in params["sources"]:
            cell = book.cells[one["index"]]
            spans = [
                (
                    offset_of(cell.document.text, edit["range"]["start"], self.encoding),
                    offset_of(cell.document.text, edit["range"]["end"], self.encoding),
                    edit["newText"],
                )
                for edit in one["edits"]
            ]
            self._change(cell.document, spans)
            assert cell.document.text == one["text"]
            if one["clear"]:
                cell.outputs, cell.metadata["execution_count"] = [], None
        for one in reversed(params["splices"]):
            made = [
                self._new_cell(
                    book.path,
                    new["text"],
                    1 if new["kind"] == "markdown" else CODE,
                    new["language"],
                    {"id": new["id"]} if "id" in new else {},
                )
                for new in one["cells"]
            ]
            self._splice(book, one["start"], one["delete"], made)
        happened, self.manners.after_apply = self.manners.after_apply, None
        if happened is not None:
            happened()
        return {"applied": True, "clean": was_clean, "version": book.version}

    # What is sent.

    def _cell(self, path: Path, raw: Json, *, ids: bool = True) -> Cell:
        kind = 1 if raw["cell_type"] == "markdown" else CODE
        language = {"markdown": "markdown", "raw": "raw"}.get(raw["cell_type"], "python")
        source = raw["source"] if isinstance(raw["source"], str) else "".join(raw["source"])
        metadata = {"metadata": raw.get("metadata", {})} | ({"id": raw["id"]} if ids and "id" in raw else {})
        metadata |= {"execution_count": raw["execution_count"]} if "execution_count" in raw else {}
        cell = self._new_cell(path, source, kind, language, metadata)
        cell.outputs = raw.get("outputs", [])
        return cell

    def _new_cell(self, path: Path, source: str, kind: int, language: str, metadata: Json) -> Cell:
        uri = f"vscode-notebook-cell:{quote(str(path))}#W{self._count}"
        self._count += 1
        document = Document(uri, None, source, 1, source)
        self.documents[uri] = document
        return Cell(document, kind, language, metadata)

    def _splice(self, book: Notebook, at: int, count: int, cells: list[Cell]) -> None:
        gone = book.cells[at : at + count]
        book.cells[at : at + count] = cells
        for cell in gone:
            del self.documents[cell.document.uri]
        structure = {
            "array": {"start": at, "deleteCount": count, "cells": [_told(cell) for cell in cells]},
            "didOpen": [_item(cell) for cell in cells],
            "didClose": [{"uri": cell.document.uri} for cell in gone],
        }
        self._cells_changed(book, {"structure": structure})

    def _cells_changed(self, book: Notebook, cells: Json) -> None:
        book.version += 1
        named = {"uri": book.uri, "version": book.version}
        super()._emit("notebookDocument/didChange", {"notebookDocument": named, "change": {"cells": cells}})
        if not book.dirty:
            book.dirty = True
            self._state_of(book)

    def _book_of(self, uri: str) -> Notebook | None:
        held = (book for book in self.books.values() for cell in book.cells if cell.document.uri == uri)
        return next(held, None)

    def _emit(self, method: str, params: Json) -> None:
        book = self._book_of(params["textDocument"]["uri"]) if method == "textDocument/didChange" else None
        if book is None:
            super()._emit(method, params)
            return
        change = {"document": params["textDocument"], "changes": params["contentChanges"]}
        self._cells_changed(book, {"textContent": [change]})

    def _state(self, document: Document) -> None:
        if self._book_of(document.uri) is None:
            super()._state(document)

    def _state_of(self, book: Notebook) -> None:
        if self.extras:
            state = {"uri": book.uri, "version": book.version, "dirty": book.dirty}
            super()._emit("coeditor/documentState", state)

    def _tell_open(self, document: Document) -> None:
        if not document.uri.startswith("vscode-notebook-cell:"):
            super()._tell_open(document)

    def _tell_notebook(self, book: Notebook) -> None:
        told = {
            "uri": book.uri,
            "notebookType": "jupyter-notebook",
            "version": book.version,
            "cells": [_told(cell) for cell in book.cells],
        }
        texts = [_item(cell) for cell in book.cells]
        self._emit("notebookDocument/didOpen", {"notebookDocument": told, "cellTextDocuments": texts})
        self._state_of(book)

    def _text_of(self, book: Notebook) -> str:
        cells = []
        for cell in book.cells:
            kind = "markdown" if cell.kind != CODE else "raw" if cell.language == "raw" else "code"
            raw: Json = {"cell_type": kind, "metadata": cell.metadata.get("metadata", {})}
            raw |= {"id": cell.metadata["id"]} if "id" in cell.metadata else {}
            raw["source"] = cell.document.text.splitlines(keepends=True)
            if kind == "code":
                raw |= {"outputs": cell.outputs, "execution_count": cell.metadata.get("execution_count")}
            cells.append(raw)
        return json.dumps({"cells": cells, **book.rest}, indent=1, sort_keys=True) + "\n"


def _told(cell: Cell) -> Json:
    return {"kind": cell.kind, "document": cell.document.uri, "metadata": cell.metadata}


def _item(cell: Cell) -> Json:
    document = cell.document
    return {
        "uri": document.uri,
        "languageId": cell.language,
        "version": document.version,
        "text": document.text,
    }
