"""What holds for every ``EditorClient``: compare and swap, all or nothing, and only what was read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey, token_of
from tests.contract.benches import KINDS, PLAIN, Bench, creation


@pytest.fixture(params=[*KINDS, *PLAIN])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    return {**KINDS, **PLAIN}[request.param](tmp_path)


@pytest.fixture(params=list(KINDS))
def saving(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    """A bench whose edits of clean files are on disk afterwards."""
    return KINDS[request.param](tmp_path)


TEXTS = [
    pytest.param("one\ntwo\nthree\n", "one\n2\nthree\n", id="plain"),
    pytest.param("one\r\ntwo\r\nthree", "one\r\n2\r\nthree", id="crlf and no final newline"),
    pytest.param(
        "one\ftwo\nthree\u2028four\nfive\n", "one\ftwo\nthree\u2028four\n5\n", id="other separators"
    ),
    pytest.param("a😀b\nc😀d\n", "a😀b\nc😀D\n", id="emoji before the place"),
    pytest.param("one\rtwo\rthree\r", "one\r2\rthree\r", id="lone cr"),
    pytest.param("a\r\nb\r\n", "a\nb\r\n", id="crlf becomes lf"),
    pytest.param("a\nb\n", "a\r\nb\n", id="lf becomes crlf"),
    pytest.param("", "first\n", id="an empty file is filled"),
    pytest.param("gone\n", "", id="a file is emptied"),
]


async def test_current_text_token_and_absence(bench: Bench) -> None:
    target = bench.file("a.txt", "x\ny\n")
    found = await bench.seen(target)
    assert (found.text, found.token, found.unsaved, found.diverged) == (
        "x\ny\n",
        token_of("x\ny\n"),
        False,
        False,
    )
    assert await bench.client.current(bench.key("none.txt")) is None


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        pytest.param("binary", b"a\0b", Code.FS_NOT_TEXT, id="binary"),
        pytest.param("big", b"x" * ((1 << 20) + 1), Code.FS_TOO_LARGE, id="too large"),
    ],
)
async def test_what_is_no_text_is_an_error(bench: Bench, name: str, content: bytes, code: Code) -> None:
    target = bench.file(name, content)
    with pytest.raises(CoeditorError) as caught:
        await bench.client.current(target)
    assert caught.value.code is code


@pytest.mark.parametrize(("before", "after"), TEXTS)
async def test_an_update_gives_exactly_the_text(bench: Bench, before: str, after: str) -> None:
    target = bench.file("a.txt", before)
    applied = await bench.client.apply([await bench.update(target, after)])
    assert await bench.now(target) == after
    made = applied.current[target]
    assert made is not None
    assert (made.text, made.token) == (after, token_of(after))


@pytest.mark.parametrize(("before", "after"), TEXTS)
async def test_an_update_of_a_clean_file_is_saved(saving: Bench, before: str, after: str) -> None:
    target = saving.file("a.txt", before)
    applied = await saving.client.apply([await saving.update(target, after)])
    assert saving.on_disk(target) == after.encode("utf-8")
    assert applied.saved[target] is True
    assert not applied.warnings


async def test_a_byte_order_mark_stays(saving: Bench) -> None:
    target = saving.file("a.txt", b"\xef\xbb\xbfone\ntwo\n")
    assert await saving.now(target) == "one\ntwo\n"
    await saving.client.apply([await saving.update(target, "one\n2\n")])
    assert saving.on_disk(target) == b"\xef\xbb\xbfone\n2\n"


async def test_another_text_than_the_one_meant_is_stale(bench: Bench) -> None:
    target = bench.file("a.txt", "x\n")
    first, second = await bench.update(target, "first\n"), await bench.update(target, "second\n")
    await bench.client.apply([first])
    with pytest.raises(CoeditorError) as caught:
        await bench.client.apply([second])
    assert caught.value.code is Code.FS_STALE_VERSION
    assert caught.value.data["target"] == target
    assert await bench.now(target) == "first\n"


async def test_the_same_text_again_is_the_one_meant(bench: Bench) -> None:
    target = bench.file("a.txt", "x\n")
    change = await bench.update(target, "y\n")
    for text in ("z\n", "x\n"):
        await bench.client.apply([await bench.update(target, text)])
    await bench.client.apply([change])
    assert await bench.now(target) == "y\n"


async def test_create_delete_and_move(saving: Bench) -> None:
    target, moved = saving.key("new/a.txt"), saving.key("b.txt")
    await saving.client.apply([creation(target, "x\n")])
    assert await saving.now(target) == "x\n"
    with pytest.raises(CoeditorError) as caught:
        await saving.client.apply([creation(target, "y\n")])
    assert caught.value.code is Code.FS_ALREADY_EXISTS
    await saving.client.apply([await saving.move(target, moved, "moved\n")])
    assert (await saving.now(target), await saving.now(moved)) == (None, "moved\n")
    await saving.client.apply([await saving.deletion(moved)])
    assert await saving.now(moved) is None


async def test_files_that_may_be_open_are_deleted_and_moved_when_clean(saving: Bench) -> None:
    gone, old = saving.file("gone.txt", "g\n"), saving.file("old.txt", "o\n")
    new = saving.key("new.txt")
    await saving.client.apply([await saving.deletion(gone), await saving.move(old, new, "n\n")])
    assert [await saving.now(each) for each in (gone, old, new)] == [None, None, "n\n"]
    assert saving.on_disk(new) == b"n\n"


async def test_several_updates_are_one(saving: Bench) -> None:
    targets = [saving.file(f"{name}.txt", f"{name}\n") for name in "abc"]
    applied = await saving.client.apply([await saving.update(each, "new\n") for each in targets])
    assert [saving.on_disk(each) for each in targets] == [b"new\n"] * 3
    assert all(applied.saved.values())


async def test_one_stale_text_of_several_leaves_all(bench: Bench) -> None:
    targets = [bench.file(f"{name}.txt", f"{name}\n") for name in "abc"]
    changes = [await bench.update(each, "new\n") for each in targets]
    await bench.client.apply([await bench.update(targets[1], "other\n")])
    with pytest.raises(CoeditorError):
        await bench.client.apply(changes)
    assert [await bench.now(each) for each in targets] == ["a\n", "other\n", "c\n"]


async def test_a_creation_that_lost_its_race_takes_everything_back(bench: Bench) -> None:
    target = bench.file("a.txt", "a\n")
    taken = bench.key("taken.txt")
    changes = [await bench.update(target, "new\n"), creation(taken, "mine\n")]
    bench.write(taken, "theirs\n")
    with pytest.raises(CoeditorError) as caught:
        await bench.client.apply(changes)
    assert caught.value.code in (Code.FS_ALREADY_EXISTS, Code.FS_TRANSACTION_FAILED)
    assert await bench.now(target) == "a\n"
    assert bench.on_disk(target) == b"a\n"
    assert bench.on_disk(taken) == b"theirs\n"


async def test_mixed_changes_are_applied_together(saving: Bench) -> None:
    target, gone = saving.file("a.txt", "a\n"), saving.file("gone.txt", "g\n")
    new = saving.key("sub/new.txt")
    changes = [await saving.update(target, "A\n"), creation(new, "n\n"), await saving.deletion(gone)]
    applied = await saving.client.apply(changes)
    assert [saving.on_disk(each) for each in (target, new, gone)] == [b"A\n", b"n\n", None]
    assert applied.saved[target] is True
    assert applied.current[gone] is None


async def test_outside_the_workspace_is_denied(bench: Bench, tmp_path: Path) -> None:
    outside = TargetKey(str(tmp_path / "outside.txt"))
    with pytest.raises(CoeditorError) as caught:
        await bench.client.apply([creation(outside, "x\n")])
    assert caught.value.code is Code.FS_DENIED


def test_describe_names_the_editor_or_nobody(bench: Bench) -> None:
    found = bench.client.describe()
    assert (found["name"] is None) is (bench.editor is None)
    assert {"open", "unsaved", "mode"} <= set(found)
