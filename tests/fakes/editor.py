"""A scripted editor: documents with versions, a dirty flag and undo, a person who types, and bad manners on demand.

It keeps its own idea of lines and positions, so that it can be compared with the product's. ``ScriptedEditor`` is
the editor; ``DirectLink`` connects it to a mirror in this process, ``editor_process`` to a real ``coeditor serve``.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote

from editor_clients.editor_link import Abilities, AnswerError, SilentEditorError

Json = dict[str, Any]
Encoding = Literal["utf-8", "utf-16", "utf-32"]
_BREAK = re.compile(r"\r\n|\n|\r")
DEADLINE = 60.0
"""Seconds that a condition may take on a machine that is busy with other things."""


def uri_of(path: str | Path) -> str:
    return "file://" + quote(str(path))


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def units(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32":
        return len(text)
    return len(text.encode("utf-8")) if encoding == "utf-8" else len(text.encode("utf-16-le")) // 2


def position_of(text: str, offset: int, encoding: Encoding) -> Json:
    breaks = [match.end() for match in _BREAK.finditer(text) if match.end() <= offset]
    start = breaks[-1] if breaks else 0
    return {"line": len(breaks), "character": units(text[start:offset], encoding)}


def offset_of(text: str, position: Json, encoding: Encoding) -> int:
    spans = [(0, 0)] + [match.span() for match in _BREAK.finditer(text)]
    if position["line"] >= len(spans):
        return len(text)
    start = spans[position["line"]][1]
    end = spans[position["line"] + 1][0] if position["line"] + 1 < len(spans) else len(text)
    offset = start
    while offset < end and units(text[start : offset + 1], encoding) <= position["character"]:
        offset += 1
    return offset


@dataclass(slots=True)
class Document:
    uri: str
    path: Path | None
    text: str
    version: int
    saved_text: str
    dirty: bool = False
    undo: list[str] = field(default_factory=list)
    encoding: str | None = None


@dataclass(slots=True)
class Shown:
    """A question that the editor shows to the person."""

    params: Json
    answer: asyncio.Future[Json | None]
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server took it back."""

    @property
    def withdrawn(self) -> bool:
        return self.gone.is_set()

    @property
    def titles(self) -> list[str]:
        return [action["title"] for action in self.params["actions"]]

    def choose(self, title: str) -> None:
        """Press a button."""
        assert title in self.titles
        self.answer.set_result({"title": title})

    def dismiss(self) -> None:
        """Close it."""
        self.answer.set_result(None)


@dataclass(slots=True)
class Manners:
    """How the editor behaves towards the server."""

    order: Literal["answer-first", "change-first"] = "answer-first"
    silent: set[str] = field(default_factory=set)
    """Methods that are never answered, nor acted on."""
    mute: set[str] = field(default_factory=set)
    """Methods that are acted on and never answered."""
    fails: set[str] = field(default_factory=set)
    """Methods that are answered with an error, and not acted on."""
    late: float = 0.0
    """Seconds until a workspace edit is looked at; ours leave it then when nobody waits for it any more."""
    cuts: bool = False
    """Hangs up in the middle of its answer to a workspace edit."""
    refuse: str | None = None
    """Reason for which every workspace edit is refused."""
    lies: bool = False
    """Answers that an edit was applied, and leaves it."""
    skips_stale: bool = False
    """Leaves documents out whose version is not the one named, applies the others, and says yes."""
    before_apply: Callable[[], None] | None = None
    """What happens between the arrival of an edit and its application; once."""
    after_apply: Callable[[], None] | None = None
    """What happens right after an edit; once."""
    before_save: Callable[[], None] | None = None
    coalesce: bool = False
    """Sends an edit and what follows it in the same instant as one change."""
    formatter: Callable[[str], str] | None = None
    save_fails: str | None = None
    versions: bool = True
    """Takes workspace edits that name document versions."""
    file_operations: tuple[str, ...] = ("rename", "delete")
    """What it does with files when asked; of a plain editor, what it declares."""
    forgets_file: bool = False
    """Says that it made a file operation, and leaves it."""
    before_rename: Callable[[Path, Path], None] | None = None
    """What extensions do before a file gets another name, such as putting imports right."""
    shows_questions: bool = False
    """Knows ``window/showMessageRequest``."""
    chooses: Callable[[Shown], None] | None = None
    """What the person does about every question at once."""


class ScriptedEditor:
    """The editor's side: what the person sees and does."""

    def __init__(
        self, *, extras: bool = True, encoding: Encoding = "utf-16", manners: Manners | None = None
    ) -> None:
        self.extras = extras
        self.encoding: Encoding = encoding
        self.manners = manners or Manners()
        self.documents: dict[str, Document] = {}
        self.send: Callable[[str, Json], None] = lambda method, params: None
        self.asked: list[tuple[str, Json]] = []
        self.told: list[tuple[str, Json]] = []
        self.shown: list[Shown] = []
        self.news = asyncio.Event()
        """Set when a question comes."""
        self._held: list[tuple[str, Json]] | None = None
        self._formatted = False

    def initialize_params(self, *roots: Path, settings: Mapping[str, Any] | None = None, **ours: Any) -> Json:
        """Params of ``initialize``."""
        folders = [{"uri": uri_of(root), "name": root.name} for root in roots]
        params: Json = {
            "processId": os.getpid(),
            "clientInfo": {"name": "Scripted", "version": "1"},
            "rootUri": folders[0]["uri"] if folders else None,
            "workspaceFolders": folders,
            "capabilities": {
                "general": {"positionEncodings": [self.encoding]},
                "workspace": {"applyEdit": True, "workspaceEdit": self._edits_that_it_takes()},
                "textDocument": {"synchronization": {"willSave": True, "didSave": True}},
            },
        }
        if self.extras:
            flags = ("checkedApply", "documentState", "save", "reload", "publishDiagnostics", "quickFixes")
            more = {"settings": dict(settings or {}), "fileOperations": bool(self.manners.file_operations)}
            options = {"protocol": 1, **dict.fromkeys(flags, True), **more, **ours}
            params["initializationOptions"] = {"coeditor": options}
        return params

    def _edits_that_it_takes(self) -> Json:
        found: Json = {"documentChanges": self.manners.versions}
        if self.manners.file_operations:
            found["resourceOperations"] = list(self.manners.file_operations)
        return found

    @property
    def abilities(self) -> Abilities:
        """The same for a mirror in this process."""
        yes, does = self.extras, self.manners.file_operations
        return Abilities(
            "Scripted",
            "1",
            checked_apply=yes,
            document_state=yes,
            document_text=yes,
            save=yes,
            reload=yes,
            publish_diagnostics=yes,
            document_changes=self.manners.versions,
            quick_fixes=yes,
            file_operations=yes and bool(does),
            rename_files=not yes and "rename" in does,
            delete_files=not yes and "delete" in does,
        )

    # What the person does.

    def open(
        self,
        path: Path,
        *,
        uri: str | None = None,
        text: str | None = None,
        clean: bool = False,
        encoding: str | None = None,
    ) -> Document:
        """Open a file: as it is, as a restored unsaved ``text``, or (``clean``) as this editor shows it."""
        on_disk = path.read_bytes().decode(encoding or "utf-8", "replace") if path.exists() else ""
        on_disk = on_disk.removeprefix("\ufeff")
        held = on_disk if text is None else text
        dirty = held != on_disk and not clean
        document = Document(uri or uri_of(path), path, held, 1, on_disk, dirty=dirty, encoding=encoding)
        return self._opened(document)

    def open_untitled(self, name: str, text: str) -> Document:
        return self._opened(Document(f"untitled:{name}", None, text, 1, "", dirty=bool(text)))

    def type(self, document: Document, at: int, text: str, *, delete: int = 0) -> None:
        """Replace ``delete`` characters at an offset."""
        document.undo.append(document.text)
        was_dirty, document.dirty = document.dirty, True
        self._change(document, [(at, at + delete, text)])
        if not was_dirty:
            self._state(document)

    def undo(self, document: Document) -> None:
        """Take the last step back."""
        before = document.undo.pop()
        document.dirty = before != document.saved_text
        self._change(document, [(0, len(document.text), before)])
        self._state(document)

    def save(self, document: Document) -> None:
        """Format and write."""
        self._formatted = False
        self._emit("textDocument/willSave", {"textDocument": {"uri": document.uri}, "reason": 1})
        if self.manners.formatter is not None:
            formatted = self.manners.formatter(document.text)
            self._formatted = formatted != document.text
            if self._formatted:
                document.undo.append(document.text)
                self._change(document, [(0, len(document.text), formatted)])
        assert document.path is not None
        document.path.write_bytes(document.text.encode(document.encoding or "utf-8"))
        document.saved_text, document.dirty = document.text, False
        self._emit("textDocument/didSave", {"textDocument": {"uri": document.uri}, "text": document.text})
        self._state(document)

    def reload(self, document: Document) -> None:
        """Notice what is on disk, as editors do; a dirty document is left alone."""
        assert document.path is not None
        if document.dirty or not document.path.exists():
            return
        now = document.path.read_bytes().decode(document.encoding or "utf-8").removeprefix("\ufeff")
        if now != document.text:
            self._change(document, [(0, len(document.text), now)])
        document.saved_text = now
        self._state(document)

    def close(self, document: Document) -> None:
        del self.documents[document.uri]
        self._emit("textDocument/didClose", {"textDocument": {"uri": document.uri}})

    def hold(self) -> None:
        """Send nothing until ``release``: a pipe that is slow."""
        self._held = []

    def release(self) -> None:
        held, self._held = self._held or [], None
        for method, params in held:
            self.send(method, params)

    def announce(self) -> None:
        """Tell a new server of everything that is open."""
        for document in self.documents.values():
            self._tell_open(document)

    def diagnose(self, document: Document, *items: Json, standing: bool = False) -> None:
        """The editor's language servers say something; ``standing``: it is told what they said before."""
        params = {"uri": document.uri, "version": document.version, "diagnostics": list(items)}
        self._emit("coeditor/publishDiagnostics", params | ({"standing": True} if standing else {}))

    # What the server asks.

    async def answer(self, method: str, params: Json) -> Any:
        """The answer to a request; waits forever where the manners say so. Errors: AnswerError."""
        self.asked.append((method, params))
        if method in self.manners.silent:
            await asyncio.Event().wait()
        if method in self.manners.fails:
            raise AnswerError(f"{method} failed")
        if method == "workspace/applyEdit" and self.manners.late:
            await asyncio.sleep(self.manners.late)
        match method:
            case "workspace/applyEdit":
                found: Any = self._apply(params)
            case "coeditor/save" if self.extras:
                found = self._save_for_server(self.documents[params["uri"]], params.get("hash"))
            case "coeditor/reload" if self.extras:
                found = self._reload_for_server(self.documents[params["uri"]], params.get("discard"))
            case "coeditor/documentText" if self.extras:
                document = self.documents[params["uri"]]
                found = {"version": document.version, "text": document.text, "dirty": document.dirty}
            case "coeditor/fileOperations" if self.extras:
                found = self._operate_checked(params)
            case "coeditor/quickFixes" if self.extras:
                found = {"titles": [f"Mend {one['message']}" for one in params["diagnostics"]]}
            case "window/showMessageRequest" if self.manners.shows_questions:
                found = await self._show(params)
            case _:
                raise AnswerError(f"no method {method}")
        if method in self.manners.mute:
            await asyncio.Event().wait()
        return found

    def flush(self) -> None:
        """Called by the connection once the answer is out: what an answer-first editor sends after it."""
        if self.manners.order == "answer-first":
            self.release()

    async def question(self, number: int = 0) -> Shown:
        """The question that was shown as this one, once it is there."""
        async with asyncio.timeout(DEADLINE):
            while len(self.shown) <= number:
                self.news.clear()
                await self.news.wait()
        return self.shown[number]

    async def _show(self, params: Json) -> Json | None:
        shown = Shown(params, asyncio.get_running_loop().create_future())
        self.shown.append(shown)
        self.news.set()
        if self.manners.chooses is not None:
            self.manners.chooses(shown)
        try:
            return await shown.answer
        except asyncio.CancelledError:
            shown.gone.set()
            raise

    def _apply(self, params: Json) -> Json:
        happened, self.manners.before_apply = self.manners.before_apply, None
        if happened is not None:
            happened()
        if self.manners.refuse is not None:
            return {"applied": False, "failureReason": self.manners.refuse}
        assert self.extras or set(params) == {"label", "edit"}, "a plain editor knows no other field"
        changes, operations = self._changes(params["edit"]), self._operations(params["edit"])
        if self.extras and params["coeditor"]["expires"] <= time.time() * 1000:
            return {"applied": False, "coeditor": {"refused": [{"uri": "", "why": "expired"}]}}
        if self.manners.lies:
            return {"applied": True}
        checks = {row["uri"]: row for row in params["coeditor"]["documents"]} if self.extras else {}
        refused = [row for change in changes if (row := self._refusal(change, checks))]
        if refused and not self.manners.skips_stale:
            answer: Json = {"applied": False}
            return answer | {"coeditor": {"refused": refused}} if self.extras else answer
        left = {row["uri"] for row in refused}
        if self.manners.order == "answer-first" and self._held is None:
            self.hold()
        rows = [self._apply_one(one, checks) for one in changes if one["textDocument"]["uri"] not in left]
        for operation in operations:
            self._operate(operation)
        happened, self.manners.after_apply = self.manners.after_apply, None
        if happened is not None:
            happened()
        return {"applied": True, "coeditor": {"documents": rows}} if self.extras else {"applied": True}

    def _changes(self, edit: Json) -> list[Json]:
        """The edited documents; of a plain edit with the versions that they have now, since it names none."""
        if self.manners.versions:
            return [one for one in edit["documentChanges"] if "textDocument" in one]
        return [
            {"textDocument": {"uri": uri, "version": self.documents[uri].version}, "edits": edits}
            for uri, edits in edit["changes"].items()
        ]

    def _operations(self, edit: Json) -> list[Json]:
        found = [one for one in edit.get("documentChanges", ()) if "kind" in one]
        assert all(one["kind"] in self.manners.file_operations for one in found), "it never said that it can"
        return [
            {**one, "uri": one.get("oldUri", one.get("uri")), "new_uri": one.get("newUri")} for one in found
        ]

    def _operate_checked(self, params: Json) -> Json:
        """As our clients do: nothing happens to a text that is not the one that was meant."""
        happened, self.manners.before_apply = self.manners.before_apply, None
        if happened is not None:
            happened()
        refused = [row for one in params["operations"] if (row := self._why_not(one))]
        if self.manners.refuse is not None or refused or params["expires"] <= time.time() * 1000:
            return {"applied": False, "failureReason": self.manners.refuse or "no", "refused": refused}
        if self.manners.order == "answer-first" and self._held is None:
            self.hold()
        for one in params["operations"]:
            self._operate(one)
        return {"applied": True}

    def _why_not(self, operation: Json) -> Json | None:
        document = self.documents.get(operation["uri"])
        if document is None:
            return {"uri": operation["uri"], "why": "closed"}
        if "before" not in operation:
            return None
        if document.dirty or hash_of(document.text) != operation["before"]:
            return {"uri": document.uri, "why": "changed"}
        return None

    def _operate(self, operation: Json) -> None:
        """Delete a file or give it another name, and let its document follow."""
        if self.manners.forgets_file:
            return
        document = self.documents[operation["uri"]]
        assert document.path is not None
        if operation["kind"] == "delete":
            document.path.unlink()
            self.close(document)
            return
        new = Path(unquote(operation["new_uri"].removeprefix("file://")))
        if self.manners.before_rename is not None:
            self.manners.before_rename(document.path, new)
        assert not new.exists()
        document.path.rename(new)
        self.close(document)
        self._opened(
            Document(
                operation["new_uri"],
                new,
                document.text,
                1,
                document.saved_text,
                dirty=document.dirty,
                undo=document.undo,
                encoding=document.encoding,
            )
        )

    def _refusal(self, change: Json, checks: Json) -> Json | None:
        uri, version = change["textDocument"]["uri"], change["textDocument"]["version"]
        document = self.documents.get(uri)
        if document is None:
            return {"uri": uri, "why": "closed"}
        wrong = uri in checks and checks[uri]["before"] != hash_of(document.text)
        if wrong or version != document.version:
            return {"uri": uri, "why": "changed", "hash": hash_of(document.text)}
        return None

    def _apply_one(self, change: Json, checks: Json) -> Json:
        document = self.documents[change["textDocument"]["uri"]]
        was_clean, was_dirty = not document.dirty, document.dirty
        spans = [
            (
                offset_of(document.text, edit["range"]["start"], self.encoding),
                offset_of(document.text, edit["range"]["end"], self.encoding),
                edit["newText"],
            )
            for edit in change["edits"]
        ]
        document.undo.append(document.text)
        document.dirty = True
        self._change(document, spans)
        if not was_dirty:
            self._state(document)
        row: Json = {"uri": document.uri, "saved": False, "formatted": False}
        if document.uri in checks:
            check = checks[document.uri]
            assert hash_of(document.text) == check["after"], (
                "the server's edit does not give the text it said"
            )
            if check["save"] == "always" or (check["save"] == "when-clean" and was_clean):
                row |= self._save_for_server(document, check["after"])
                row["formatted"] = self._formatted
        return row | {"version": document.version, "hash": hash_of(document.text), "dirty": document.dirty}

    def _save_for_server(self, document: Document, wanted: str | None) -> Json:
        """As our clients do: only the text that is meant is saved, never what was typed in between."""
        happened, self.manners.before_save = self.manners.before_save, None
        if happened is not None:
            happened()
        outside = document.path is not None and document.path.read_bytes() != document.saved_text.encode(
            document.encoding or "utf-8"
        )
        reason = self.manners.save_fails or ("the file on disk is newer" if outside else None)
        if wanted is not None and wanted != hash_of(document.text):
            reason = "the text changed meanwhile"
        if reason is None:
            self.save(document)
        found: Json = {"saved": reason is None, "dirty": document.dirty, "version": document.version}
        found["hash"] = hash_of(document.text)
        return found | ({"reason": reason} if reason else {})

    def _reload_for_server(self, document: Document, discard: str | None) -> Json:
        if discard is not None and discard == hash_of(document.text):
            document.dirty = False
        self.reload(document)
        return {"version": document.version, "hash": hash_of(document.text), "dirty": document.dirty}

    # What is sent.

    def _opened(self, document: Document) -> Document:
        self.documents[document.uri] = document
        self._tell_open(document)
        return document

    def _tell_open(self, document: Document) -> None:
        item = {
            "uri": document.uri,
            "languageId": "plaintext",
            "version": document.version,
            "text": document.text,
        }
        self._emit("textDocument/didOpen", {"textDocument": item})
        self._state(document)

    def _change(self, document: Document, spans: list[tuple[int, int, str]]) -> None:
        """Replace spans of the text before, in one change event; later places first, as editors do."""
        changes = []
        for start, end, new in sorted(spans, reverse=True):
            ends = {"start": position_of(document.text, start, self.encoding)}
            ends["end"] = position_of(document.text, end, self.encoding)
            changes.append({"range": ends, "text": new})
            document.text = document.text[:start] + new + document.text[end:]
        document.version += 1
        named = {"uri": document.uri, "version": document.version}
        last = self._held[-1] if self._held and self.manners.coalesce else None
        if (
            last is not None
            and last[0] == "textDocument/didChange"
            and last[1]["textDocument"]["uri"] == document.uri
        ):
            last[1]["textDocument"] = named
            last[1]["contentChanges"] += changes
            return
        self._emit("textDocument/didChange", {"textDocument": named, "contentChanges": changes})

    def _state(self, document: Document) -> None:
        if self.extras:
            state = {"uri": document.uri, "version": document.version, "dirty": document.dirty}
            state |= {"encoding": document.encoding} if document.encoding else {}
            self._emit("coeditor/documentState", state | {"untitled": document.path is None})

    def _emit(self, method: str, params: Json) -> None:
        if self._held is not None:
            self._held.append((method, params))
        else:
            self.send(method, params)


class DirectLink:
    """The editor connected to a mirror in this process: an ``EditorLink`` for ``Attached``."""

    def __init__(self, editor: ScriptedEditor) -> None:
        self.editor = editor
        self.gone = False

    @property
    def abilities(self) -> Abilities:
        return self.editor.abilities

    @property
    def is_gone(self) -> bool:
        return self.gone

    async def ask(self, method: str, params: Mapping[str, Any], *, patience: float) -> object:
        sent = json.loads(json.dumps(params))
        if self.gone:
            raise SilentEditorError("the editor is gone")
        late = self.editor.manners.late
        answer = asyncio.ensure_future(self.editor.answer(method, sent))
        answer.add_done_callback(lambda _: self.editor.flush() if late else None)
        try:
            async with asyncio.timeout(patience if math.isfinite(patience) else None):
                found = await (asyncio.shield(answer) if late else answer)
        except TimeoutError:
            raise SilentEditorError("no answer") from None
        asyncio.get_running_loop().call_soon(self.editor.flush)
        return json.loads(json.dumps(found))

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        self.editor.told.append((method, json.loads(json.dumps(params))))
