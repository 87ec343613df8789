"""A scripted editor with every manner there is: nothing typed is lost, nothing is called applied that is not there."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from editor_clients.editor_link import DOCUMENT_TEXT
from editor_clients.port import Applied, FileChange, Replacement
from ledger.errors import Code, CoeditorError
from ledger.types import ReplaceIfVersion, TargetKey, token_of
from tests.contract.benches import Bench, attached, creation
from tests.fakes.editor import Manners, ScriptedEditor, uri_of

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"

WAYS = [
    pytest.param(True, "answer-first", id="ours, answer first"),
    pytest.param(True, "change-first", id="ours, change first"),
    pytest.param(False, "answer-first", id="plain, answer first"),
    pytest.param(False, "change-first", id="plain, change first"),
]


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    extras: bool
    order: Literal["answer-first", "change-first"]
    extras, order = getattr(request, "param", (True, "answer-first"))
    return attached(tmp_path, ScriptedEditor(extras=extras, manners=Manners(order=order)))


every_way = pytest.mark.parametrize(
    "bench", [pytest.param(way.values, id=way.id) for way in WAYS], indirect=True
)
plain = pytest.mark.parametrize("bench", [pytest.param((False, "answer-first"), id="plain")], indirect=True)


def manners(bench: Bench) -> Manners:
    assert bench.editor is not None
    return bench.editor.manners


def typing(bench: Bench, target: TargetKey, at: int, text: str) -> None:
    assert bench.editor is not None
    bench.editor.type(bench.document(target), at, text)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - the editor acts by itself
            await asyncio.sleep(0.01)


async def refused(bench: Bench, *changes: FileChange) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        await bench.client.apply(changes)
    return caught.value


async def edited(bench: Bench, target: TargetKey, after: str = AFTER) -> Applied:
    return await bench.client.apply([await bench.update(target, after)])


@every_way
async def test_typing_before_the_edit_lands_is_stale_and_stays(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    change = await bench.update(target, AFTER)
    manners(bench).before_apply = lambda: typing(bench, target, 0, "typed ")
    error = await refused(bench, change)
    assert error.code is Code.FS_STALE_VERSION
    found = await bench.seen(target)
    assert (found.text, found.unsaved) == ("typed " + BEFORE, True)
    assert bench.on_disk(target) == BEFORE.encode()


@every_way
@pytest.mark.parametrize("coalesce", [False, True])
@pytest.mark.parametrize("at", [0, len(AFTER)])
async def test_typing_right_after_the_edit_is_not_the_agents(
    bench: Bench, at: int, *, coalesce: bool
) -> None:
    target = bench.file("a.txt", BEFORE)
    manners(bench).after_apply = lambda: typing(bench, target, at, "typed")
    manners(bench).coalesce = coalesce
    applied = await edited(bench, target)
    made = applied.current[target]
    assert made is not None
    assert made.text == AFTER
    found = await bench.seen(target)
    assert found.text == AFTER[:at] + "typed" + AFTER[at:]
    assert found.unsaved


@every_way
async def test_a_refusal_changes_nothing(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    change = await bench.update(target, AFTER)
    manners(bench).refuse = "the editor is busy"
    error = await refused(bench, change)
    assert error.code is Code.FS_EDITOR_REFUSED
    assert "busy" in error.message
    assert (bench.document(target).text, bench.on_disk(target)) == (BEFORE, BEFORE.encode())


@every_way
async def test_silence_is_unconfirmed(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    change = await bench.update(target, AFTER)
    manners(bench).silent.add("workspace/applyEdit")
    assert (await refused(bench, change)).code is Code.FS_UNCONFIRMED


@plain
async def test_an_edit_that_comes_after_it_was_given_up_is_taken_back(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    change = await bench.update(target, AFTER)
    manners(bench).late = 2.0
    assert (await refused(bench, change)).code is Code.FS_UNCONFIRMED
    assert bench.document(target).text == BEFORE
    manners(bench).late = 0.0
    await until(lambda: bench.document(target).undo == [BEFORE, AFTER])
    assert bench.document(target).text == BEFORE


@plain
async def test_an_edit_that_was_sent_again_stays(bench: Bench) -> None:
    """The first try comes late and is no longer meant; the second one makes the same text, and is."""
    target = bench.file("a.txt", BEFORE)
    change = await bench.update(target, AFTER)
    manners(bench).silent.add("workspace/applyEdit")
    assert (await refused(bench, change)).code is Code.FS_UNCONFIRMED
    manners(bench).silent.clear()
    await edited(bench, target)
    await asyncio.sleep(0)
    assert (bench.document(target).text, len(bench.document(target).undo)) == (AFTER, 1)


async def test_an_editor_that_dies_before_the_disk_had_its_part_undoes_all(bench: Bench) -> None:
    target, made = bench.file("a.txt", BEFORE), bench.key("made.txt")
    change = await bench.update(target, AFTER)
    manners(bench).order = "change-first"
    manners(bench).after_apply = bench.die
    error = await refused(bench, change, creation(made, "made\n"))
    assert (error.code, error.data["rolled_back"]) == (Code.FS_TRANSACTION_FAILED, True)
    assert (bench.on_disk(target), bench.on_disk(made)) == (BEFORE.encode(), None)


async def test_an_editor_that_dies_after_it_leaves_the_rest_to_the_disk(bench: Bench) -> None:
    target, other, made = bench.file("a.txt", BEFORE), bench.file("b.txt", BEFORE), bench.key("made.txt")
    changes = [await bench.update(target, AFTER), await bench.update(other, AFTER), creation(made, "made\n")]
    manners(bench).before_save = bench.die
    applied = await bench.client.apply(changes)
    assert [bench.on_disk(one) for one in (target, other, made)] == [
        AFTER.encode(),
        AFTER.encode(),
        b"made\n",
    ]
    assert applied.saved == {target: True, other: True, made: True}


@every_way
async def test_an_edit_that_is_seen_needs_no_answer(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    manners(bench).mute.add("workspace/applyEdit")
    manners(bench).order = "change-first"
    applied = await edited(bench, target)
    made = applied.current[target]
    assert made is not None
    assert made.text == AFTER == bench.document(target).text


@every_way
async def test_a_yes_without_the_text_is_unconfirmed(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    change = await bench.update(target, AFTER)
    manners(bench).lies = True
    assert (await refused(bench, change)).code is Code.FS_UNCONFIRMED
    assert bench.document(target).text == BEFORE


@plain
async def test_an_editor_that_skips_one_of_several_documents_gets_the_others_taken_back(bench: Bench) -> None:
    one, two = bench.file("a.txt", BEFORE), bench.file("b.txt", BEFORE)
    changes = [await bench.update(one, AFTER), await bench.update(two, AFTER)]
    manners(bench).skips_stale = True
    manners(bench).before_apply = lambda: typing(bench, two, 0, "typed ")
    error = await refused(bench, *changes)
    assert (error.code, error.data["target"]) == (Code.FS_STALE_VERSION, two)
    assert [bench.document(each).text for each in (one, two)] == [BEFORE, "typed " + BEFORE]


@plain
async def test_an_editor_that_knows_nothing_of_us_keeps_the_edit_unsaved_and_it_is_said(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    applied = await edited(bench, target)
    assert applied.saved[target] is False
    assert any("not saved" in note for note in applied.warnings)
    assert (bench.document(target).text, bench.on_disk(target)) == (AFTER, BEFORE.encode())
    found = await bench.seen(target)
    assert (found.text, found.unsaved, found.diverged) == (AFTER, True, False)


async def test_the_persons_unsaved_text_is_edited_and_not_saved(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    typing(bench, target, 0, "typed ")
    applied = await edited(bench, target, "typed " + AFTER)
    assert applied.saved[target] is False
    assert any("unsaved changes before" in note for note in applied.warnings)
    assert bench.on_disk(target) == BEFORE.encode()


async def test_typing_during_the_save_is_not_the_agents(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    manners(bench).before_save = lambda: typing(bench, target, 0, "typed ")
    applied = await edited(bench, target)
    made = applied.current[target]
    assert made is not None
    assert made.text == AFTER
    assert applied.saved[target] is False
    assert await bench.now(target) == "typed " + AFTER
    assert bench.on_disk(target) == BEFORE.encode()


async def test_a_save_that_fails_is_said(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    manners(bench).save_fails = "the disk is full"
    applied = await edited(bench, target)
    assert applied.saved[target] is False
    assert any("the disk is full" in note for note in applied.warnings)
    assert (await bench.seen(target)).unsaved


@pytest.mark.parametrize("order", ["answer-first", "change-first"])
@pytest.mark.parametrize("mixed", [False, True])
async def test_the_formatters_part_is_told_apart(tmp_path: Path, order: str, *, mixed: bool) -> None:
    editor = ScriptedEditor(manners=Manners(order=order, formatter=lambda text: text.replace("2", "II")))  # type: ignore[arg-type]
    bench = attached(tmp_path, editor)
    target = bench.file("a.txt", BEFORE)
    changes = [await bench.update(target, AFTER)]
    changes += [creation(bench.key("new.txt"), "n\n")] if mixed else []
    applied = await bench.client.apply(changes)
    formatted = "one\nII\nthree\n"
    assert applied.formatted[target] == (AFTER, formatted)
    made = applied.current[target]
    assert made is not None
    assert (made.text, applied.saved[target]) == (formatted, True)
    assert bench.on_disk(target) == formatted.encode()
    assert (await bench.seen(target)).token == made.token


@every_way
async def test_typing_that_is_undone_again_is_no_change(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    change = await bench.update(target, AFTER)
    typing(bench, target, 0, "x")
    assert bench.editor is not None
    bench.editor.undo(bench.document(target))
    await bench.client.apply([change])
    assert await bench.now(target) == AFTER


async def test_a_reload_is_asked_for_before_anything_is_said(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    bench.write(target, "external\n")
    found = await bench.seen(target)
    assert (found.text, found.authority, found.unsaved) == ("external\n", "editor", False)
    applied = await edited(bench, target, "external\nmore\n")
    assert applied.saved[target] is True


@plain
async def test_a_reload_that_comes_by_itself_is_awaited(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    bench.write(target, "external\n")
    assert bench.editor is not None
    asyncio.get_running_loop().call_later(0.05, bench.editor.reload, bench.document(target))
    found = await bench.seen(target)
    assert (found.text, found.authority) == ("external\n", "editor")


@plain
async def test_a_clean_document_that_does_not_reload_leaves_the_truth_to_the_disk(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    bench.write(target, "external\n")
    found = await bench.seen(target)
    assert (found.text, found.authority) == ("external\n", "disk")
    applied = await edited(bench, target, "external\nmore\n")
    assert bench.on_disk(target) == b"external\nmore\n"
    assert bench.document(target).text == BEFORE
    assert any("not reloaded" in note for note in applied.warnings)


@every_way
async def test_a_disk_write_below_unsaved_text_has_diverged(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    typing(bench, target, 0, "typed ")
    bench.write(target, "external\n")
    found = await bench.seen(target)
    assert (found.text, found.unsaved, found.diverged) == ("typed " + BEFORE, True, True)
    assert found.disk_token == token_of("external\n")


@every_way
async def test_typing_after_a_reload_has_not_diverged(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    bench.write(target, "external\n")
    assert bench.editor is not None
    bench.editor.reload(bench.document(target))
    typing(bench, target, 0, "typed ")
    found = await bench.seen(target)
    assert (found.unsaved, found.diverged) == (True, False)


@every_way
async def test_a_disk_write_between_look_and_edit_is_stale(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    change = await bench.update(target, AFTER)
    bench.write(target, "external\n")
    assert (await refused(bench, change)).code is Code.FS_STALE_VERSION
    assert bench.document(target).text == BEFORE
    assert bench.on_disk(target) == b"external\n"


async def test_a_disk_write_between_edit_and_save_wins_and_the_edit_is_taken_back(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    change = await bench.update(target, AFTER)
    manners(bench).before_save = lambda: bench.write(target, "external\n")
    assert (await refused(bench, change)).code is Code.FS_STALE_VERSION
    assert bench.on_disk(target) == b"external\n"
    found = await bench.seen(target)
    assert (found.text, found.unsaved) == ("external\n", False)


@every_way
async def test_what_was_typed_over_is_not_taken_back(bench: Bench) -> None:
    target, taken = bench.file("a.txt", BEFORE), bench.key("taken.txt")
    change = await bench.update(target, AFTER)
    bench.write(taken, "theirs\n")
    manners(bench).after_apply = lambda: typing(bench, target, 0, "typed ")
    error = await refused(bench, change, creation(taken, "mine\n"))
    assert error.code is Code.FS_TRANSACTION_FAILED
    assert error.data["rolled_back"] is False
    assert error.data["not_restored"] == [{"file_path": target, "snapshot": token_of(BEFORE)}]
    assert error.data["cause"]["code"] == Code.FS_ALREADY_EXISTS
    assert bench.document(target).text == "typed " + AFTER
    assert bench.on_disk(taken) == b"theirs\n"


@every_way
@pytest.mark.parametrize("how", ["delete", "move"])
async def test_unsaved_documents_are_neither_deleted_nor_moved(bench: Bench, how: str) -> None:
    target = bench.file("a.txt", BEFORE)
    typing(bench, target, 0, "typed ")
    to = bench.key("b.txt")
    change = await bench.deletion(target) if how == "delete" else await bench.move(target, to)
    assert (await refused(bench, change)).code is Code.FS_UNSAVED_CHANGES
    assert bench.on_disk(target) == BEFORE.encode()
    assert bench.on_disk(to) is None


async def test_untitled_documents_are_edited_and_stay_unsaved(bench: Bench) -> None:
    assert bench.editor is not None
    document = bench.editor.open_untitled("Untitled-1", BEFORE)
    target = TargetKey("untitled:Untitled-1")
    found = await bench.seen(target)
    assert (found.text, found.unsaved, found.authority) == (BEFORE, True, "editor")
    applied = await edited(bench, target)
    assert (document.text, applied.saved[target]) == (AFTER, False)


@pytest.mark.parametrize("spelled", ["percent", "link", "upper scheme"])
async def test_other_spellings_of_a_uri_are_the_same_target(bench: Bench, spelled: str) -> None:
    target = TargetKey(str(bench.folder / "a b+c.txt"))
    path = Path(target)
    bench.write(target, BEFORE)
    os.symlink(path, bench.folder / "link.txt")
    uri = {
        "percent": "file://" + "".join(f"%{byte:02x}" for byte in str(path).encode()).replace("%2f", "/"),
        "link": uri_of(bench.folder / "link.txt"),
        "upper scheme": uri_of(path).replace("file:", "FILE:"),
    }[spelled]
    assert bench.editor is not None
    document = bench.editor.open(path, uri=uri)
    assert (await bench.seen(target)).authority == "editor"
    await edited(bench, target)
    assert document.text == AFTER


@every_way
async def test_of_two_documents_of_one_file_the_unsaved_one_counts(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    os.symlink(target, bench.folder / "link.txt")
    assert bench.editor is not None
    other = bench.editor.open(bench.folder / "link.txt")
    bench.editor.type(other, 0, "typed ")
    assert await bench.now(target) == "typed " + BEFORE
    typing(bench, target, 0, "else ")
    with pytest.raises(CoeditorError) as caught:
        await bench.client.current(target)
    assert caught.value.code is Code.FS_UNSAVED_CHANGES


@every_way
async def test_two_clean_documents_of_one_file_follow_each_other(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    os.symlink(target, bench.folder / "link.txt")
    assert bench.editor is not None
    bench.editor.open(bench.folder / "link.txt")
    await edited(bench, target)
    assert await bench.now(target) == AFTER


async def test_a_mirror_that_may_be_wrong_asks_for_the_text(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    assert bench.editor is not None
    document = bench.document(target)
    bad = {"range": {"start": {"line": 1, "character": 2}, "end": {"line": 0, "character": 0}}, "text": "x"}
    document.version, document.text = 2, "only the editor knows\n"
    named = {"uri": document.uri, "version": 2}
    bench.editor.send("textDocument/didChange", {"textDocument": named, "contentChanges": [bad]})
    assert await bench.now(target) == "only the editor knows\n"
    assert DOCUMENT_TEXT in [method for method, _ in bench.editor.asked]


@plain
async def test_a_mirror_that_may_be_wrong_and_cannot_ask_says_so(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    assert bench.editor is not None
    document = bench.document(target)
    bad = {"range": {"start": {"line": 1, "character": 2}, "end": {"line": 0, "character": 0}}, "text": "x"}
    named = {"uri": document.uri, "version": 2}
    bench.editor.send("textDocument/didChange", {"textDocument": named, "contentChanges": [bad]})
    with pytest.raises(CoeditorError) as caught:
        await bench.client.current(target)
    assert caught.value.code is Code.FS_EDITOR_REFUSED
    bench.editor.save(document)
    assert await bench.now(target) == BEFORE


async def test_text_that_the_encoding_cannot_hold_is_refused(bench: Bench) -> None:
    target = bench.key("a.txt")
    bench.write(target, "naïve\n".encode("cp1252"))
    assert bench.editor is not None
    document = bench.editor.open(Path(target), text="naïve\n", encoding="cp1252")
    found = await bench.seen(target)
    assert (found.text, found.encoding, found.unsaved) == ("naïve\n", "windows-1252", False)
    error = await refused(bench, await bench.update(target, "naïve 😀\n"))
    assert error.code is Code.FS_ENCODING
    assert document.text == "naïve\n"


async def test_what_an_editor_shows_wrongly_is_edited_on_disk(bench: Bench) -> None:
    """Bytes that are no UTF-8 show as U+FFFD in some editors; a save from there would destroy them."""
    target = bench.key("a.txt")
    bench.write(target, b"one\xff\ntwo\n")
    assert bench.editor is not None
    bench.editor.open(Path(target), text="one\ufffd\ntwo\n", clean=True)
    found = await bench.seen(target)
    assert (found.authority, found.encoding) == ("disk", "unknown-8bit")
    await edited(bench, target, found.text.replace("two", "2"))
    assert bench.on_disk(target) == b"one\xff\n2\n"


async def test_line_endings_that_an_editor_made_alike_stay_mixed_on_disk(bench: Bench) -> None:
    target = bench.key("a.txt")
    bench.write(target, "one\r\ntwo\nthree\n")
    assert bench.editor is not None
    bench.editor.open(Path(target), text="one\ntwo\nthree\n", clean=True)
    await edited(bench, target, "one\r\n2\nthree\n")
    assert bench.on_disk(target) == b"one\r\n2\nthree\n"


async def test_closing_a_document_gives_the_text_back_to_the_disk(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    typing(bench, target, 0, "typed ")
    assert bench.editor is not None
    bench.editor.close(bench.document(target))
    found = await bench.seen(target)
    assert (found.text, found.authority, found.unsaved) == (BEFORE, "disk", False)


async def test_whoever_follows_hears_of_every_change_of_a_buffer(bench: Bench) -> None:
    target = bench.file("a.txt", BEFORE)
    bench.moved.clear()
    typing(bench, target, 0, "x")
    assert bench.moved == [target]


@every_way
async def test_two_edits_of_neighbouring_places_in_one_workspace_edit(bench: Bench) -> None:
    target = bench.file("a.txt", "a\r\nb\r\nc\r\n")
    before = await bench.seen(target)
    after = "A\nB\r\nc\r\n"
    parts = (Replacement(0, 1, "A"), Replacement(1, 3, "\n"), Replacement(3, 4, "B"))
    await bench.client.apply(
        [FileChange(target, "update", ReplaceIfVersion(before.token), before, after, parts)]
    )
    assert bench.document(target).text == after
