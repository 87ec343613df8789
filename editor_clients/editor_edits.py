"""Edits of open documents: one workspace edit, confirmed by what the editor shows afterwards, saved, or taken back.

Never: "applied" on an editor's word alone, or an edit laid over typing that nobody has seen.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from editor_clients.confirming import News, Watch
from editor_clients.editor_link import (
    APPLY_EDIT,
    DOCUMENT_TEXT,
    SAVE,
    AnswerError,
    EditorLink,
    SilentEditorError,
)
from editor_clients.loose_json import as_int, as_object
from editor_clients.lsp_wire import (
    DocumentEdit,
    EditAnswer,
    EditedDocument,
    answer_from,
    document_from,
    edit_params,
)
from editor_clients.notebook_edits import NotebookEdits
from editor_clients.notebooks import NotebookForm
from editor_clients.overlay import Buffer, Overlay, hash_of
from editor_clients.replacements import replacements_between
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an editor may take, in seconds. A person's prompt stops some editors for as long as it stands."""

    answer: float = 5.0
    """Until a request is answered."""
    confirm: float = 2.0
    """From the answer until the document shows the text."""
    refusal: float = 0.15
    """From a refusal until the typing that was the reason for it arrives."""
    files: float = 60.0
    """Until files are renamed: extensions change imports before, and a person may be asked about that."""
    reload: float = 0.5
    """Until an editor has reloaded a file that changed below it."""
    late: float = 60.0
    """How long an edit that was given up may still show up, and is taken back then."""


@dataclass(frozen=True, slots=True)
class Done:
    """One document after a confirmed edit."""

    edit: DocumentEdit
    told: EditedDocument | None
    """What the editor said of it, where it does."""
    text: str
    """With what the editor's formatter made of it."""


class EditorEdits:
    """The editing side of one editor's documents."""

    def __init__(self, overlay: Overlay, link: EditorLink, patience: Patience, form: NotebookForm) -> None:
        self._overlay = overlay
        self._link = link
        self._patience = patience
        self._watches: dict[str, list[Watch]] = {}
        self._late: dict[str, asyncio.Task[None]] = {}
        """Edits that were given up, by the URI of each of their documents."""
        self.news = News()
        self.notebooks = NotebookEdits(
            overlay, link, form, self.news, answer=patience.answer, confirm=patience.confirm
        )

    def noted(self, uri: str, buffer: Buffer | None) -> None:
        """The document changed, was opened again or closed: whoever waits for it looks again."""
        for watch in self._watches.get(uri, ()):
            watch.note(buffer)
        self.news.tell()

    @contextmanager
    def watching(self, edits: Sequence[DocumentEdit]) -> Iterator[dict[str, Watch]]:
        """Watches of the edited documents, from before the edit is sent."""
        found = {edit.buffer.uri: Watch(edit.buffer, edit.after) for edit in edits}
        for uri, watch in found.items():
            self._watches.setdefault(uri, []).append(watch)
        try:
            yield found
        finally:
            for uri, watch in found.items():
                self._watches[uri].remove(watch)
                if not self._watches[uri]:
                    del self._watches[uri]

    async def apply(self, edits: Sequence[DocumentEdit], *, label: str, edit_id: str = "") -> list[Done]:
        """All of ``edits`` are in their documents, or none.

        Errors: FS_STALE_VERSION when a text moved (``data.target``), FS_EDITOR_REFUSED, FS_UNCONFIRMED when
        it was sent and its text never seen; ``data.not_restored`` when a part could not be taken back.
        """
        texts = [edit for edit in edits if edit.buffer.cells is None]
        done = await self._apply_texts(texts, label=label, edit_id=edit_id) if texts else []
        for edit in edits:
            if edit.buffer.cells is not None:
                try:
                    done.append(await self._apply_notebook(edit, label=label, edit_id=edit_id))
                except CoeditorError as error:
                    error.data |= _kept_data(await self.take_back(done))
                    raise
        by_uri = {one.edit.buffer.uri: one for one in done}
        return [by_uri[edit.buffer.uri] for edit in edits]

    async def _apply_notebook(self, edit: DocumentEdit, *, label: str, edit_id: str) -> Done:
        with self.watching([edit]) as watches:
            watch = watches[edit.buffer.uri]
            text, told = await self.notebooks.apply(edit, watch, label=label, edit_id=edit_id)
            return Done(edit, told, text)

    async def _apply_texts(self, edits: Sequence[DocumentEdit], *, label: str, edit_id: str) -> list[Done]:
        for edit in edits:
            self._forget_late(edit.buffer.uri)
        params = edit_params(
            edits,
            label=label,
            edit_id=edit_id,
            encoding=self._overlay.encoding,
            expires=time.time() + self._patience.answer,
            checked=self._link.abilities.checked_apply,
            versioned=self._link.abilities.document_changes,
        )
        with self.watching(edits) as watches:
            answer = await self._ask(params, watches)
            if answer is not None and not answer.applied:
                await self._refused(edits, watches, answer)
            done = await asyncio.gather(
                *(self._confirmed(edit, watches[edit.buffer.uri], answer) for edit in edits)
            )
            missing = [edit for edit, one in zip(edits, done, strict=True) if one is None]
            there = [one for one in done if one is not None]
            if not missing:
                return there
            self._expect_late(edits)
            await self._unconfirmed(
                missing[0], watches[missing[0].buffer.uri], there, answered=answer is not None
            )
        raise AssertionError("not reached")

    async def _ask(self, params: Mapping[str, object], watches: Mapping[str, Watch]) -> EditAnswer | None:
        """The editor's answer; None when there was none in time (its documents tell what came of the edit)."""
        try:
            return answer_from(await self._link.ask(APPLY_EDIT, params, patience=self._patience.answer))
        except SilentEditorError:
            return None
        except AnswerError as error:
            return EditAnswer(False, str(error), {}, {})

    async def _refused(
        self, edits: Sequence[DocumentEdit], watches: Mapping[str, Watch], answer: EditAnswer
    ) -> None:
        """Say why nothing was applied. Errors: always one, unless every text is there all the same."""
        await self.news.until(lambda: any(one.moved for one in watches.values()), self._patience.refusal)
        there = [
            Done(edit, None, edit.after) for edit in edits if watches[edit.buffer.uri].seen() is not None
        ]
        if len(there) == len(edits):
            return
        kept = await self.take_back(there)
        for edit in edits:
            watch = watches[edit.buffer.uri]
            changed = answer.refused.get(edit.buffer.uri) in ("changed", "closed")
            if watch.seen() is None and (changed or watch.moved):
                raise _moved(edit.buffer, kept)
        why = answer.reason or ", ".join(sorted(set(answer.refused.values()))) or "it gave no reason"
        first = edits[0].buffer
        raise CoeditorError(
            Code.FS_EDITOR_REFUSED,
            f"The editor did not apply the edit of {first.target}: {why}. Nothing was changed; read the file "
            "and try again, or ask the person.",
            data={"target": first.target, "reason": why, **_kept_data(kept)},
        )

    async def _confirmed(self, edit: DocumentEdit, watch: Watch, answer: EditAnswer | None) -> Done | None:
        """The edit as it is in the document now; None when it cannot be seen there."""
        told = answer.documents.get(edit.buffer.uri) if answer is not None else None
        formatted = told.hash if told is not None and told.formatted else None

        def found() -> str | None:
            return watch.with_hash(formatted) if formatted is not None else watch.seen()

        def is_over() -> bool:
            return watch.closed or self._link.is_gone or found() is not None

        if not await self.news.until(is_over, self._patience.confirm):
            await self.resync(edit.buffer.uri)
        text = found() or watch.seen()
        # Text that is neither the edit's nor the formatter's is the person's: the agent has not seen it.
        return Done(edit, told, text) if text is not None else None

    async def _unconfirmed(
        self, edit: DocumentEdit, watch: Watch, there: Sequence[Done], *, answered: bool
    ) -> None:
        """Take back what is there, then say what is not. Errors: always one."""
        kept = await self.take_back(there)
        if answered and watch.moved and watch.left_out():
            raise _moved(edit.buffer, kept)
        raise CoeditorError(
            Code.FS_UNCONFIRMED,
            f"The edit of {edit.buffer.target} was sent to the editor, which "
            f"{'said that it applied it' if answered else 'did not answer'}, but its text was not seen there. "
            "Read the file before going on.",
            data={"target": edit.buffer.target, **_kept_data(kept)},
        )

    def _expect_late(self, edits: Sequence[DocumentEdit]) -> None:
        """An editor that does not know of deadlines may still apply what nobody waits for any more."""
        task = asyncio.get_running_loop().create_task(self._take_back_late(edits))
        self._late |= {edit.buffer.uri: task for edit in edits}
        task.add_done_callback(lambda _: self._drop_late(task))

    async def _take_back_late(self, edits: Sequence[DocumentEdit]) -> None:
        with self.watching(edits) as watches:

            def there() -> list[Done]:
                shown = (edit for edit in edits if watches[edit.buffer.uri].latest.text == edit.after)
                return [Done(edit, None, edit.after) for edit in shown]

            if await self.news.until(lambda: bool(there()), self._patience.late):
                await self.news.until(lambda: len(there()) == len(edits), self._patience.refusal)
            found = there()
        if found:
            self._drop_late(asyncio.current_task())
            log.warning("an edit came after it was given up; it is taken back")
            await self.take_back(found)

    def _forget_late(self, uri: str) -> None:
        """The document is edited anew: what it holds from now on is meant."""
        task = self._late.get(uri)
        if task is not None:
            task.cancel()
            self._drop_late(task)

    def _drop_late(self, task: asyncio.Task[None] | None) -> None:
        self._late = {uri: one for uri, one in self._late.items() if one is not task}

    async def take_back(self, done: Sequence[Done]) -> list[TargetKey | None]:
        """Undo confirmed edits by their reverse; gives the targets that were changed since and were left.

        An editor that is gone took what was not saved with it: nothing is left to undo.
        """
        if not done or self._link.is_gone:
            return []
        edits, kept = [], []
        for one in done:
            now = self._overlay.find(one.edit.buffer.uri)
            if now is None or now.epoch != one.edit.buffer.epoch or now.text != one.text:
                kept.append(one.edit.buffer.target)
                continue
            before = one.edit.buffer.text
            edits.append(DocumentEdit(now, before, replacements_between(now.text, before), "never"))
        for edit in edits:
            try:
                await self.apply([edit], label="Coeditor: take back")
            except CoeditorError:
                kept.append(edit.buffer.target)
        return kept

    async def save(self, done: Sequence[Done]) -> list[Done]:
        """Save each document that wants it and was not saved with the edit, where the editor can."""
        return [await self._saved(one) for one in done]

    async def _saved(self, one: Done) -> Done:
        edit, uri = one.edit, one.edit.buffer.uri
        if edit.buffer.cells is not None:
            return await self._saved_notebook(one)
        if edit.save == "never" or (one.told is not None and one.told.saved) or not self._link.abilities.save:
            return one
        with self.watching([edit]) as watches:
            try:
                # By its hash, so that nothing is saved that the person typed in between.
                asked = {"uri": uri, "hash": hash_of(one.text)}
                found = await self._link.ask(SAVE, asked, patience=self._patience.answer)
            except (SilentEditorError, AnswerError) as error:
                reason = str(error) or "the editor did not answer"
                return Done(edit, EditedDocument(uri, 0, "", True, False, False, reason), one.text)
            told = document_from({"uri": uri, **as_object(found)})
            text = one.text
            if told.saved and told.hash not in ("", hash_of(text)):
                find = partial(watches[uri].with_hash, told.hash)
                await self.news.until(lambda: find() is not None, self._patience.confirm)
                text = find() or text
        return Done(edit, told, text)

    async def save_now(self, buffer: Buffer) -> EditedDocument:
        """Have the document saved, if it still holds this text; ``reason`` says why it was not."""
        uri, reason = buffer.uri, ""
        if buffer.is_untitled or not self._link.abilities.save:
            reason = "it has no file yet" if buffer.is_untitled else "this editor cannot be asked to save"
        else:
            try:
                asked: dict[str, object] = {"uri": uri, "hash": hash_of(buffer.text)}
                if buffer.cells is not None:
                    asked = self.notebooks.save_params(uri, buffer.text)
                found = as_object(await self._link.ask(SAVE, asked, patience=self._patience.answer))
                return document_from({"uri": uri, **found})
            except (SilentEditorError, AnswerError) as error:
                reason = str(error) or "the editor did not answer"
        return EditedDocument(
            uri, buffer.version, "", dirty=True, saved=False, formatted=False, reason=reason
        )

    async def _saved_notebook(self, one: Done) -> Done:
        """Save a notebook that was saved before the edit, and whose cells are those that the edit made."""
        edit, uri = one.edit, one.edit.buffer.uri
        was_clean = one.told is not None and not one.told.dirty
        wants = edit.save == "always" or (edit.save == "when-clean" and was_clean)
        if not wants or not self._link.abilities.notebooks:
            return one
        try:
            asked = self.notebooks.save_params(uri, one.text)
            found = await self._link.ask(SAVE, asked, patience=self._patience.answer)
        except (SilentEditorError, AnswerError) as error:
            found = {"dirty": True, "reason": str(error) or "the editor did not answer"}
        return Done(edit, document_from({"uri": uri, **as_object(found)}), one.text)

    async def resync(self, uri: str) -> Buffer | None:
        """Ask for the whole text, where the editor tells it; afterwards the mirror holds it."""
        if not self._link.abilities.document_text:
            return self._overlay.find(uri)
        try:
            found = as_object(
                await self._link.ask(DOCUMENT_TEXT, {"uri": uri}, patience=self._patience.answer)
            )
        except (SilentEditorError, AnswerError):
            return self._overlay.find(uri)
        text = found.get("text")
        before = self._overlay.find(uri)
        if not isinstance(text, str) or before is None or as_int(found.get("version")) < before.version:
            return before
        buffer = self._overlay.set_text(uri, as_int(found.get("version")), text)
        if buffer is not None and buffer.text != before.text:
            self.noted(uri, buffer)
        return buffer


def _moved(buffer: Buffer, kept: Sequence[TargetKey | None]) -> CoeditorError:
    return CoeditorError(
        Code.FS_STALE_VERSION,
        f"{buffer.target} changed in the editor at the moment of the edit. Read it again.",
        data={"target": buffer.target, **_kept_data(kept)},
    )


def _kept_data(kept: Sequence[TargetKey | None]) -> dict[str, object]:
    """What could not be taken back, since somebody typed over it."""
    return {"not_restored": [{"file_path": target} for target in kept]} if kept else {}
