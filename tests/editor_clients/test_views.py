"""Several editors on one folder: the one with unsaved text holds it, and two that differ are for the person."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from editor_clients.attached import Attached
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey
from tests.contract.benches import Bench, attached, joined
from tests.fakes.editor import Document, ScriptedEditor, uri_of

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"


class Two:
    """Two editors, of which both have the file open."""

    def __init__(
        self, base: Path, *, first: ScriptedEditor | None = None, second: ScriptedEditor | None = None
    ):
        self.first, self.second = first or ScriptedEditor(), second or ScriptedEditor()
        self.bench: Bench = attached(base, self.first, open_files=False)
        self.view = joined(self.bench, self.second)
        self.target = self.bench.file("a.txt", BEFORE)
        self.path = Path(self.target)
        self.here, self.there = self.first.open(self.path), self.second.open(self.path)

    @property
    def client(self) -> Attached:
        assert isinstance(self.bench.client, Attached)
        return self.bench.client

    def texts(self) -> tuple[str, str, str]:
        return self.here.text, self.there.text, self.path.read_text()

    async def edit(self, target: TargetKey | None = None) -> None:
        await self.client.apply([await self.bench.update(target or self.target, AFTER)])

    async def refused(self) -> CoeditorError:
        with pytest.raises(CoeditorError) as caught:
            await self.client.current(self.target)
        return caught.value


@pytest.fixture
def two(tmp_path: Path) -> Two:
    return Two(tmp_path)


async def reloaded(document: Document, text: str = AFTER) -> None:
    async with asyncio.timeout(10):
        while document.text != text:
            turned = asyncio.Event()
            asyncio.get_running_loop().call_soon(turned.set)
            await turned.wait()


async def test_an_edit_goes_through_one_editor_and_the_other_shows_it(two: Two) -> None:
    await two.edit()
    await reloaded(two.here)
    await reloaded(two.there)
    assert two.texts() == (AFTER, AFTER, AFTER)
    assert not two.here.dirty
    assert not two.there.dirty
    edited = [one for one in (two.first, two.second) if any(m == "workspace/applyEdit" for m, _ in one.asked)]
    assert len(edited) == 1


@pytest.mark.parametrize("who", ["first", "second"])
async def test_the_one_with_unsaved_text_holds_it(two: Two, who: str) -> None:
    editor, document = (two.first, two.here) if who == "first" else (two.second, two.there)
    editor.type(document, 0, "typed ")
    seen = await two.bench.seen(two.target)
    assert (seen.text, seen.unsaved, seen.authority) == ("typed " + BEFORE, True, "editor")
    after = "typed " + AFTER
    applied = await two.client.apply([await two.bench.update(two.target, after)])
    assert applied.saved[two.target] is False
    assert document.text == after
    other = two.there if who == "first" else two.here
    assert (other.text, two.path.read_text()) == (BEFORE, BEFORE)


async def test_two_different_unsaved_texts_are_for_the_person(two: Two) -> None:
    two.first.type(two.here, 0, "here ")
    two.second.type(two.there, 0, "there ")
    error = await two.refused()
    assert (error.code, error.data["reason"]) == (Code.FS_UNSAVED_CHANGES, "views")
    assert error.data["editors"] == ["Scripted", "Scripted"]
    assert two.texts() == ("here " + BEFORE, "there " + BEFORE, BEFORE)
    two.first.save(two.here)
    seen = await two.bench.seen(two.target)
    assert (seen.text, seen.diverged) == ("there " + BEFORE, True)
    two.second.undo(two.there)
    two.second.reload(two.there)
    assert await two.bench.now(two.target) == "here " + BEFORE


async def test_the_same_unsaved_text_in_both_stays_the_same(two: Two) -> None:
    for editor, document in ((two.first, two.here), (two.second, two.there)):
        editor.type(document, 0, "typed ")
    after = "typed " + AFTER
    await two.client.apply([await two.bench.update(two.target, after)])
    assert two.texts() == (after, after, BEFORE)
    assert (await two.bench.seen(two.target)).text == after


async def test_when_one_of_two_equal_ones_refuses_both_are_as_they_were(two: Two) -> None:
    for editor, document in ((two.first, two.here), (two.second, two.there)):
        editor.type(document, 0, "typed ")
    two.second.manners.refuse = "no"
    change = await two.bench.update(two.target, "typed " + AFTER)
    with pytest.raises(CoeditorError) as caught:
        await two.client.apply([change])
    assert caught.value.code is Code.FS_EDITOR_REFUSED
    assert two.texts() == ("typed " + BEFORE, "typed " + BEFORE, BEFORE)


async def test_a_change_of_files_in_different_editors_is_all_or_nothing(two: Two) -> None:
    mine, yours = two.bench.file("mine.txt", BEFORE), two.bench.file("yours.txt", BEFORE)
    here, there = two.first.open(Path(mine)), two.second.open(Path(yours))
    changes = [await two.bench.update(target, AFTER) for target in (mine, yours)]
    two.second.manners.refuse = "no"
    with pytest.raises(CoeditorError):
        await two.client.apply(changes)
    assert (here.text, there.text) == (BEFORE, BEFORE)
    two.second.manners.refuse = None
    applied = await two.client.apply([await two.bench.update(target, AFTER) for target in (mine, yours)])
    assert (here.text, there.text) == (AFTER, AFTER)
    assert all(applied.saved.values())


async def test_an_editor_that_can_save_is_preferred(tmp_path: Path) -> None:
    two = Two(tmp_path, second=ScriptedEditor(extras=False))
    await two.edit()
    assert (two.here.text, two.path.read_text()) == (AFTER, AFTER)
    assert not any(method == "workspace/applyEdit" for method, _ in two.second.asked)


@pytest.mark.parametrize("encodings", [("utf-8", "utf-16"), ("utf-16", "utf-32")])
async def test_each_editor_counts_columns_in_its_own_way(tmp_path: Path, encodings: tuple[str, str]) -> None:
    one, other = (ScriptedEditor(encoding=name) for name in encodings)  # type: ignore[arg-type]
    two = Two(tmp_path, first=one, second=other)
    text = "x = '😀é' + old\n"
    mine, yours = two.bench.file("mine.txt", text), two.bench.file("yours.txt", text)
    here, there = one.open(Path(mine)), other.open(Path(yours))
    for target in (mine, yours):
        await two.client.apply([await two.bench.update(target, text.replace("old", "new"))])
    assert here.text == there.text == text.replace("old", "new")
    other.type(there, 6, "😀")
    assert await two.bench.now(yours) == there.text


async def test_what_a_gone_editor_held_is_gone(two: Two) -> None:
    two.second.type(two.there, 0, "typed ")
    two.client.views.drop(two.view)
    assert await two.bench.now(two.target) == BEFORE
    assert two.target in two.bench.moved
    await two.edit()
    assert (two.here.text, two.path.read_text()) == (AFTER, AFTER)
    assert two.client.describe()["unsaved"] == []


async def test_an_edit_in_an_editor_that_goes_meanwhile_is_not_called_refused(two: Two) -> None:
    target = two.bench.file("b.txt", BEFORE)
    document = two.second.open(Path(target))
    two.second.manners.after_apply = lambda: two.client.views.drop(two.view)
    change = await two.bench.update(target, AFTER)
    with pytest.raises(CoeditorError) as caught:
        await two.client.apply([change])
    assert caught.value.code is Code.FS_UNCONFIRMED
    assert (document.text, two.bench.on_disk(target)) == (AFTER, AFTER.encode())


async def test_all_are_told_of(two: Two) -> None:
    two.second.type(two.there, 0, "typed ")
    found = two.client.describe()
    assert found["others"] == [{"name": "Scripted", "version": "1"}]
    assert found["open"] == found["unsaved"] == [str(two.target)]
    assert two.client.open_targets() == {two.target}
    assert uri_of(two.path) == two.here.uri
