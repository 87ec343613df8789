"""The mirror holds what the editor holds, whatever is typed, in every position encoding."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lsp_wire import changes_from
from editor_clients.overlay import Buffer, Change, DocumentState, Overlay, Synced
from editor_clients.pieces import Pieces
from editor_clients.port import CurrentText
from editor_clients.standing import as_seen_by, followed, standing, synced_at_opening
from ledger.types import TargetKey, token_of
from tests.editor_clients.text_strategies import ODD
from tests.fakes.editor import Document, Encoding, ScriptedEditor

URI = "file:///w/a%20b.txt"
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
PIECES = st.sampled_from(
    [*ODD, "a", "b", " ", "\x1f", "👩\u200d👧", "\U0010ffff", "line one\n", "", "word word"]
)
TEXTS = st.lists(PIECES, max_size=30).map("".join)


def mirrored(editor: ScriptedEditor, overlay: Overlay) -> None:
    """Connect the editor's notifications to the mirror, through JSON as on the wire."""

    def send(method: str, params: dict[str, Any]) -> None:
        sent = json.loads(json.dumps(params))
        document = sent.get("textDocument", {})
        if method == "textDocument/didOpen":
            overlay.open(document["uri"], TargetKey("/w/a"), document["version"], document["text"])
        elif method == "textDocument/didChange":
            assert overlay.change(document["uri"], document["version"], changes_from(sent["contentChanges"]))

    editor.send = send


@given(
    text=TEXTS,
    steps=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), TEXTS), max_size=12),
    data=st.data(),
)
def test_mirror_equals_the_editors_text_after_any_typing(
    text: str, steps: list[tuple[float, int, str]], data: st.DataObject
) -> None:
    editor = ScriptedEditor(encoding=data.draw(st.sampled_from(ENCODINGS)))
    overlay = Overlay(editor.encoding)
    mirrored(editor, overlay)
    document = editor.open_untitled("x", text)
    for place, deleted, typed in steps:
        type_at(editor, document, int(place * len(document.text)), deleted, typed)
        if data.draw(st.integers(0, 5)) == 0:
            editor.undo(document)
        held = overlay.find(document.uri)
        assert held is not None
        assert (held.text, held.version, held.sound) == (document.text, document.version, True)


def type_at(editor: ScriptedEditor, document: Document, at: int, deleted: int, typed: str) -> None:
    """No LSP position is between CR and LF: an editor's cursor is never there either."""
    text = document.text
    start, end = min(at, len(text)), min(at + deleted, len(text))
    start -= text[max(start - 1, 0) : start + 1] == "\r\n"
    end += end > 0 and text[end - 1 : end + 1] == "\r\n"
    editor.type(document, start, typed, delete=end - start)


@given(text=TEXTS, spans=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), TEXTS), max_size=4))
def test_several_changes_in_one_notification_are_made_one_after_the_other(
    text: str, spans: list[tuple[int, int, str]]
) -> None:
    editor = ScriptedEditor()
    overlay = Overlay()
    mirrored(editor, overlay)
    document = editor.open_untitled("x", text)
    editor.manners.coalesce = True
    editor.hold()
    for at, deleted, typed in spans:
        type_at(editor, document, at, deleted, typed)
    editor.release()
    held = overlay.find(document.uri)
    assert held is not None
    assert held.text == document.text


@pytest.mark.parametrize(
    ("text", "span", "new", "after"),
    [
        pytest.param("a\nb\n", ((1, 9), (1, 9)), "!", "a\nb!\n", id="past the end of a line"),
        pytest.param("a\r\nb", ((0, 9), (0, 9)), "!", "a!\r\nb", id="past the end of a line with crlf"),
        pytest.param("a\nb", ((7, 0), (9, 9)), "!", "a\nb!", id="past the end of the text"),
        pytest.param("a\fb\nc", ((1, 0), (1, 1)), "d", "a\fb\nd", id="a form feed ends no line"),
        pytest.param("a\u2028b\nc", ((1, 0), (1, 1)), "d", "a\u2028b\nd", id="nor does a line separator"),
        pytest.param("a\rb", ((1, 0), (1, 1)), "c", "a\rc", id="a lone cr does"),
        pytest.param("x😀y", ((0, 2), (0, 3)), "", "xy", id="inside a character means its start"),
    ],
)
def test_positions_are_clamped_as_lsp_says(
    text: str, span: tuple[tuple[int, int], tuple[int, int]], new: str, after: str
) -> None:
    overlay = Overlay("utf-16")
    overlay.open(URI, None, 1, text)
    buffer = overlay.change(URI, 2, [Change(span, new)])
    assert buffer is not None
    assert (buffer.text, buffer.sound) == (after, True)


def test_a_change_that_does_not_fit_makes_the_text_unknown_until_it_is_told_again() -> None:
    overlay = Overlay()
    overlay.open(URI, None, 1, "abc")
    backwards = overlay.change(URI, 2, [Change(((0, 2), (0, 1)), "x")])
    assert backwards is not None
    assert (backwards.sound, backwards.text) == (False, "abc")
    later = overlay.change(URI, 3, [Change(((0, 0), (0, 0)), "y")])
    assert later is not None
    assert (later.sound, later.text) == (False, "abc")
    whole = overlay.change(URI, 4, [Change(None, "whole"), Change(((0, 0), (0, 1)), "W")])
    assert whole is not None
    assert (whole.sound, whole.text) == (True, "Whole")


@pytest.mark.parametrize("version", [3, 2])
def test_a_change_without_a_new_version_is_not_made_on_a_guess(version: int) -> None:
    """What an editor tells that opens a document with the first key in it, and then sends that key."""
    overlay = Overlay()
    overlay.open(URI, None, 3, "ab")
    again = overlay.change(URI, version, [Change(((0, 1), (0, 1)), "b")])
    assert again is not None
    assert (again.sound, again.text) == (False, "ab")
    told = overlay.set_text(URI, 5, "ab")
    assert told is not None
    later = overlay.change(URI, 9, [Change(((0, 2), (0, 2)), "c")])
    assert later is not None
    assert (later.sound, later.text) == (True, "abc"), "versions may leave numbers out"


def test_a_change_that_is_in_a_told_text_already_is_not_made_again() -> None:
    overlay = Overlay()
    overlay.open(URI, None, 1, "abc")
    overlay.set_text(URI, 3, "abcxy")
    late = overlay.change(URI, 3, [Change(((0, 4), (0, 4)), "y")])
    assert late is not None
    assert (late.text, late.version) == ("abcxy", 3)
    later = overlay.change(URI, 4, [Change(((0, 5), (0, 5)), "z")])
    assert later is not None
    assert later.text == "abcxyz"


def test_halves_of_a_character_that_come_one_by_one_are_joined() -> None:
    overlay = Overlay()
    overlay.open(URI, None, 1, "ab")
    half = overlay.change(URI, 2, [Change(((0, 1), (0, 1)), "\ud83d")])
    assert half is not None
    assert half.has_halves
    full = overlay.change(URI, 3, [Change(((0, 2), (0, 2)), "\ude00")])
    assert full is not None
    assert (full.text, full.has_halves) == ("a😀b", False)


def test_documents_of_one_target_under_two_uris_are_both_kept() -> None:
    overlay = Overlay()
    target = TargetKey("/w/a")
    first = overlay.open("file:///w/a", target, 1, "x")
    second = overlay.open("file:///w/link", target, 1, "x")
    assert overlay.of(target) == [first, second]
    again = overlay.open("file:///w/a", target, 1, "y")
    assert again.epoch > second.epoch
    assert overlay.close("file:///w/link") == second
    assert overlay.of(target) == [again]
    assert overlay.change("file:///w/link", 2, []) is None


def test_a_document_is_found_by_the_target_that_it_has_now() -> None:
    overlay, old, new = Overlay(), TargetKey("/w/a"), TargetKey("/w/b")
    first = overlay.open("file:///w/a", old, 1, "x")
    second = overlay.open("file:///w/b", new, 1, "y")
    assert overlay.targets() == {old, new}
    moved = overlay.put(replace(first, target=new))
    assert overlay.of(old) == []
    assert overlay.targets() == {new}
    assert overlay.of(new) == [moved, second], "the one opened first before the others"
    nameless = overlay.put(replace(second, target=None))
    assert overlay.of(new) == [moved]
    assert overlay.close("file:///w/b") == nameless
    assert overlay.close("file:///w/a") == moved
    assert overlay.of(new) == []
    assert overlay.targets() == frozenset()


def held(
    text: str, *, synced: Synced | None = None, dirty: bool | None = None, at: int = 1, version: int = 1
) -> Buffer:
    state = None if dirty is None else DocumentState(at, dirty)
    synced = synced or Synced(None, None)
    return Buffer(URI, TargetKey("/w/a"), 1, version, Pieces(text), state=state, synced=synced)


def disk(text: str) -> CurrentText:
    data = text.encode("utf-8")
    return CurrentText(text, token_of(text), "disk", "utf-8", disk_token=token_of(text), data=data)


STEP = Synced(token_of("old"), token_of("old"))


@pytest.mark.parametrize(
    ("buffer", "below", "unsaved", "moved"),
    [
        pytest.param(held("old", synced=STEP), "old", False, False, id="in step"),
        pytest.param(held("new", synced=STEP), "old", True, False, id="typed"),
        pytest.param(held("old", synced=STEP), "new", False, True, id="disk moved below a clean buffer"),
        pytest.param(held("typed", synced=STEP), "new", True, True, id="diverged"),
        pytest.param(held("new", synced=STEP), "new", False, False, id="reloaded, or saved"),
        pytest.param(
            held("new", synced=Synced(None, token_of("old"))), "old", True, False, id="restored unsaved"
        ),
        pytest.param(held("new", synced=STEP, dirty=True), "old", True, False, id="dirty, says the editor"),
        pytest.param(
            held("old", synced=STEP, dirty=True), "old", False, False, id="dirty but the disk's text"
        ),
        pytest.param(held("new", synced=STEP, dirty=False), "old", False, False, id="clean, says the editor"),
        pytest.param(
            held("new", synced=STEP, dirty=False, version=2),
            "old",
            True,
            False,
            id="clean at an older version",
        ),
        pytest.param(
            held("newer", synced=STEP, dirty=True, version=9),
            "old",
            True,
            False,
            id="dirty since an older version",
        ),
        pytest.param(held("typed"), None, True, False, id="new file with text"),
        pytest.param(held(""), None, False, False, id="new file without"),
        pytest.param(held("old", synced=STEP), None, False, True, id="the file vanished below"),
    ],
)
def test_saved_and_unsaved_are_told_apart(
    buffer: Buffer, below: str | None, *, unsaved: bool, moved: bool
) -> None:
    stands = standing(buffer, None if below is None else disk(below))
    assert (stands.unsaved, stands.disk_moved) == (unsaved, moved)
    assert stands.in_step is (below == buffer.text)


def test_endings_that_an_editor_made_alike_are_nobodys_unsaved_work() -> None:
    below = disk("a\r\nb\n")
    buffer = held("a\nb\n", synced=synced_at_opening(held("a\nb\n"), below))
    stands = standing(buffer, below)
    assert (stands.in_step, stands.unsaved, stands.disk_moved) == (False, False, False)


def test_the_last_time_in_step_is_remembered() -> None:
    buffer = held("new", synced=STEP)
    assert followed(buffer, disk("new")).synced == Synced(token_of("new"), token_of("new"))
    assert followed(buffer, disk("other")).synced == STEP


def test_the_disk_is_decoded_as_the_editor_decodes_it() -> None:
    raw = "naïve".encode("cp1252")
    below = CurrentText("na\xefve", token_of("na\xefve"), "disk", "unknown-8bit", data=raw)
    state = DocumentState(1, dirty=False, encoding="windows-1252")
    buffer = Buffer(URI, TargetKey("/w/a"), 1, 1, Pieces("naïve"), state=state)
    seen = as_seen_by(buffer, below)
    assert seen is not None
    assert (seen.text, seen.encoding) == ("naïve", "windows-1252")
    assert standing(buffer, seen).in_step
