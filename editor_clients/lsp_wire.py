"""Changes of open documents <-> the JSON of LSP's workspace edits, with our additions to it.

Never: I/O, or a position in any unit but the one that the connection agreed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from editor_clients.charsets import wire_name
from editor_clients.lines import LineIndex, PositionEncoding
from editor_clients.loose_json import Json, as_int, as_list, as_object, as_text
from editor_clients.overlay import Buffer, Change, DocumentState, hash_of
from editor_clients.pieces import Position
from editor_clients.port import Replacement

PROTOCOL = 1
"""Of what our own editor plugins and we say to each other beside LSP."""

Save = Literal["when-clean", "never", "always"]


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """What is to happen to one open document."""

    buffer: Buffer
    after: str
    replacements: tuple[Replacement, ...]
    save: Save


@dataclass(frozen=True, slots=True)
class EditedDocument:
    """What an editor of ours says of one document after an edit or a save."""

    uri: str
    version: int
    hash: str
    dirty: bool
    saved: bool
    formatted: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EditAnswer:
    """The answer to a workspace edit."""

    applied: bool
    reason: str
    documents: dict[str, EditedDocument]
    """By URI; empty for editors that do not tell."""
    refused: dict[str, str]
    """Why, by URI."""


def edit_params(
    edits: Sequence[DocumentEdit],
    *,
    label: str,
    edit_id: str,
    encoding: PositionEncoding,
    expires: float,
    checked: bool = True,
    versioned: bool = True,
) -> dict[str, Any]:
    """The params of ``workspace/applyEdit``.

    ``expires``: seconds since the epoch after which nobody waits any more, so that our clients leave it.
    Not ``checked``: nothing that LSP does not have (eglot fails on a field that it does not know).
    Not ``versioned``: the editor takes no edits that name document versions.
    """
    changes = [_document_change(edit, encoding) for edit in edits]
    unversioned = {one["textDocument"]["uri"]: one["edits"] for one in changes}
    plain = {
        "label": label,
        "edit": {"documentChanges": changes} if versioned else {"changes": unversioned},
    }
    if not checked:
        return plain
    return plain | {
        "coeditor": {
            "protocol": PROTOCOL,
            "edit_id": edit_id,
            "expires": int(expires * 1000),
            "documents": [
                {
                    "uri": edit.buffer.uri,
                    "before": edit.buffer.hash,
                    "after": hash_of(edit.after),
                    "save": edit.save,
                }
                for edit in edits
            ],
        },
    }


def _document_change(edit: DocumentEdit, encoding: PositionEncoding) -> dict[str, Any]:
    index = LineIndex(edit.buffer.text)
    return {
        "textDocument": {"uri": edit.buffer.uri, "version": edit.buffer.version},
        "edits": [text_edit(one, index, encoding) for one in whole_breaks(edit)],
    }


def whole_breaks(edit: DocumentEdit) -> list[Replacement]:
    """The replacements, none of which starts or ends between CR and LF: no LSP position is there."""
    text = edit.buffer.text
    if "\r\n" not in text:
        return list(edit.replacements)
    joined: list[Replacement] = []
    for one in edit.replacements:
        if joined and joined[-1].end == one.start and _cuts_break(text, one.start):
            last = joined.pop()
            one = Replacement(last.start, one.end, last.text + one.text)
        joined.append(one)
    return [_widened(text, one) for one in joined]


def _widened(text: str, one: Replacement) -> Replacement:
    start, end, new = one.start, one.end, one.text
    if _cuts_break(text, start):
        start, new = start - 1, "\r" + new
    if _cuts_break(text, end):
        end, new = end + 1, new + "\n"
    return Replacement(start, end, new)


def _cuts_break(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1] == "\r" and text[offset] == "\n"


def text_edit(one: Replacement, index: LineIndex, encoding: PositionEncoding) -> dict[str, Any]:
    """A replacement as LSP has it; ``index`` is that of the text before."""
    first, last = index.position_at(one.start, encoding), index.position_at(one.end, encoding)
    return {
        "range": {
            "start": {"line": first[0], "character": first[1]},
            "end": {"line": last[0], "character": last[1]},
        },
        "newText": one.text,
    }


def changes_from(raw: Iterable[object]) -> list[Change]:
    """The content changes of a didChange."""
    found = []
    for item in raw:
        fields = as_object(item)
        span = fields.get("range")
        text = fields.get("text")
        new = text if isinstance(text, str) else ""
        found.append(Change(_span(as_object(span)) if span is not None else None, new))
    return found


def _span(raw: Json) -> tuple[Position, Position]:
    return _position(as_object(raw.get("start"))), _position(as_object(raw.get("end")))


def _position(raw: Json) -> Position:
    return as_int(raw.get("line")), as_int(raw.get("character"))


def state_from(raw: Json) -> DocumentState:
    """A ``coeditor/documentState``."""
    encoding = raw.get("encoding")
    return DocumentState(
        version=as_int(raw.get("version")),
        dirty=raw.get("dirty") is True,
        encoding=wire_name(encoding) if isinstance(encoding, str) else None,
        readonly=raw.get("readonly") is True,
        untitled=raw.get("untitled") is True,
        attended=raw.get("attended") is not False,
    )


def answer_from(raw: object) -> EditAnswer:
    """What an editor answered to ``workspace/applyEdit``."""
    fields = as_object(raw)
    ours = as_object(fields.get("coeditor"))
    documents = [document_from(as_object(item)) for item in as_list(ours.get("documents"))]
    refused = [as_object(item) for item in as_list(ours.get("refused"))]
    return EditAnswer(
        applied=fields.get("applied") is True,
        reason=as_text(fields.get("failureReason")),
        documents={one.uri: one for one in documents},
        refused={as_text(one.get("uri")): as_text(one.get("why")) for one in refused},
    )


def document_from(raw: Json) -> EditedDocument:
    """One document of an answer."""
    return EditedDocument(
        uri=as_text(raw.get("uri")),
        version=as_int(raw.get("version")),
        hash=as_text(raw.get("hash")),
        dirty=raw.get("dirty") is True,
        saved=raw.get("saved") is True,
        formatted=raw.get("formatted") is True,
        reason=as_text(raw.get("reason")),
    )
