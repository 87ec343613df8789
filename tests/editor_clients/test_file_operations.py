"""Files that are open are deleted and renamed by their editor, and all of a change happens, or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from editor_clients.attached import Attached
from editor_clients.headless import Headless
from editor_clients.port import Applied, FileChange
from editor_clients.recovery import recover
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey
from tests.contract.benches import Bench, attached, creation, joined
from tests.fakes.editor import Manners, ScriptedEditor, hash_of, uri_of

OURS, PLAIN = "coeditor/fileOperations", "workspace/applyEdit"
Order = Literal["answer-first", "change-first"]


def bench_of(base: Path, *, ours: bool = True, order: Order = "answer-first", **manners: Any) -> Bench:
    found = Manners(order=order)
    for name, value in manners.items():
        setattr(found, name, value)
    return attached(base, ScriptedEditor(extras=ours, manners=found))


def editor_of(bench: Bench) -> ScriptedEditor:
    assert bench.editor is not None
    return bench.editor


def tree(bench: Bench) -> dict[str, str]:
    """All files there are, ours included."""
    return {
        str(path.relative_to(bench.folder)): path.read_text()
        for path in bench.folder.rglob("*")
        if path.is_file()
    }


def shown(bench: Bench) -> dict[str, str]:
    return {Path(str(one.path)).name: one.text for one in editor_of(bench).documents.values()}


async def refused(bench: Bench, *changes: FileChange) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        await bench.client.apply(changes)
    return caught.value


every_editor = pytest.mark.parametrize(
    ("ours", "order"),
    [(True, "answer-first"), (True, "change-first"), (False, "answer-first"), (False, "change-first")],
)


@every_editor
@pytest.mark.parametrize("after", [None, "one\nand more\n"], ids=["as it is", "edited"])
async def test_a_renamed_file_keeps_its_document_and_its_undo(
    tmp_path: Path, after: str | None, order: Order, *, ours: bool
) -> None:
    bench = bench_of(tmp_path, ours=ours, order=order)
    old, new = bench.file("old.txt", "one\n"), bench.key("folder/new.txt")
    editor_of(bench).type(bench.document(old), 0, "x")
    editor_of(bench).undo(bench.document(old))
    applied = await bench.client.apply([await bench.move(old, new, after)])
    wanted = after or "one\n"
    assert shown(bench) == {"new.txt": wanted}
    found = applied.current[new]
    assert found is not None
    assert (found.text, found.authority, found.unsaved) == (wanted, "editor", not ours and after is not None)
    assert tree(bench) == {"folder/new.txt": wanted if ours else "one\n"}
    assert (OURS if ours else PLAIN) in [method for method, _ in editor_of(bench).asked]
    assert applied.saved[new] is not found.unsaved


@every_editor
async def test_a_deleted_file_takes_its_document_along(tmp_path: Path, order: Order, *, ours: bool) -> None:
    bench = bench_of(tmp_path, ours=ours, order=order)
    target = bench.file("a.txt", "one\n")
    applied = await bench.client.apply([await bench.deletion(target)])
    assert applied.current == {target: None}
    assert (tree(bench), shown(bench)) == ({}, {})
    assert await bench.client.current(target) is None


@pytest.mark.parametrize("ours", [True, False], ids=["ours", "plain"])
async def test_a_mixed_change_with_typing_in_between_happens_nowhere(tmp_path: Path, *, ours: bool) -> None:
    bench = bench_of(tmp_path, ours=ours)
    names = ("edited.txt", "moved.txt", "gone.txt")
    edited, moved, gone = (bench.file(name, f"{name}\n") for name in names)
    closed = bench.key("closed.txt")
    bench.write(closed, "closed\n")
    changes = [
        await bench.update(edited, "other\n"),
        await bench.update(closed, "other\n"),
        creation(bench.key("made/new.txt"), "new\n"),
        await bench.move(moved, bench.key("elsewhere.txt"), "moved and edited\n"),
        await bench.deletion(gone),
    ]
    before = tree(bench)
    editor_of(bench).manners.before_apply = lambda: setattr(
        editor_of(bench).manners,
        "before_apply",
        lambda: editor_of(bench).type(bench.document(gone), 0, "typed "),
    )
    error = await refused(bench, *changes)
    assert (error.code, error.data["cause"]["code"]) == (Code.FS_TRANSACTION_FAILED, Code.FS_STALE_VERSION)
    assert (error.data["rolled_back"], error.data["not_restored"]) == (True, [])
    assert tree(bench) == before
    assert not (bench.folder / "made").exists()
    wanted = {name: f"{name}\n" for name in names}
    assert shown(bench) == wanted | {"gone.txt": "typed gone.txt\n"}


@pytest.mark.parametrize(
    ("how", "word"),
    [
        pytest.param({"refuse": "a person said no"}, "a person said no", id="says no"),
        pytest.param({"forgets_file": True}, "as it was", id="says yes and leaves it"),
        pytest.param({"silent": {OURS}}, "did not answer", id="says nothing"),
        pytest.param({"fails": {OURS}}, "failed", id="fails"),
    ],
)
async def test_what_the_editor_does_not_make_does_not_happen(
    tmp_path: Path, how: dict[str, Any], word: str
) -> None:
    bench = bench_of(tmp_path, **how)
    target, closed = bench.file("a.txt", "one\n"), bench.key("closed.txt")
    bench.write(closed, "closed\n")
    error = await refused(bench, await bench.deletion(target))
    assert error.code is Code.FS_EDITOR_REFUSED
    assert word in error.message
    error = await refused(bench, await bench.update(closed, "other\n"), await bench.deletion(target))
    assert (error.code, error.data["rolled_back"]) == (Code.FS_TRANSACTION_FAILED, True)
    assert tree(bench) == {"a.txt": "one\n", "closed.txt": "closed\n"}
    assert shown(bench) == {"a.txt": "one\n"}


@pytest.mark.parametrize(
    "how",
    [{"refuse": "not from a server"}, {"fails": {PLAIN}}, {"file_operations": ("create",)}],
    ids=["says no", "fails", "never said that it can"],
)
async def test_a_plain_editor_that_does_not_leaves_it_to_the_disk(
    tmp_path: Path, how: dict[str, Any]
) -> None:
    bench = bench_of(tmp_path, ours=False, **how)
    gone, old, new = bench.file("gone.txt", "gone\n"), bench.file("old.txt", "old\n"), bench.key("new.txt")
    await bench.client.apply([await bench.deletion(gone), await bench.move(old, new, "edited\n")])
    assert tree(bench) == {"new.txt": "edited\n"}
    assert await bench.client.current(gone) is None  # although its document still shows what it was
    assert await bench.now(new) == "edited\n"


async def test_a_second_editor_that_refuses_takes_back_what_the_first_made(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    old, gone = bench.file("old.txt", "old\n"), bench.file("gone.txt", "gone\n")
    other = ScriptedEditor(manners=Manners(refuse="no"))
    joined(bench, other)
    path = bench.folder / "there.txt"
    path.write_text("there\n")
    other.open(path)
    before = tree(bench)
    changes = [
        await bench.move(old, bench.key("new.txt")),
        await bench.deletion(gone),
        await bench.deletion(TargetKey(str(path))),
    ]
    error = await refused(bench, *changes)
    assert (error.code, error.data["rolled_back"]) == (Code.FS_TRANSACTION_FAILED, True)
    assert tree(bench) == before
    assert shown(bench)["old.txt"] == "old\n"


async def test_typing_right_after_a_rename_stays_where_it_was_typed(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, order="change-first")
    old, new = bench.file("old.txt", "one\n"), bench.key("new.txt")

    def typed() -> None:
        editor_of(bench).type(bench.document(new), 0, "typed ")

    shows = editor_of(bench).send

    def send(method: str, params: Any) -> None:
        shows(method, params)
        if method == "textDocument/didOpen" and params["textDocument"]["uri"] == uri_of(new):
            typed()

    editor_of(bench).send = send
    error = await refused(bench, await bench.move(old, new, "one\ntwo\n"))
    assert error.code is Code.FS_STALE_VERSION
    assert tree(bench) == {"old.txt": "one\n"}
    assert shown(bench) == {"old.txt": "typed one\n"}


async def test_imports_that_an_extension_puts_right_are_told(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    old, user = bench.file("old.py", "X = 1\n"), bench.file("user.py", "import old\n")

    def follow(before: Path, after: Path) -> None:
        editor_of(bench).type(bench.document(user), 7, after.stem, delete=len(before.stem))

    editor_of(bench).manners.before_rename = follow
    applied = await bench.client.apply([await bench.move(old, bench.key("new.py"))])
    assert shown(bench) == {"new.py": "X = 1\n", "user.py": "import new\n"}
    [warning] = applied.warnings
    assert "user.py" in warning


async def test_what_is_no_more_than_a_name_in_the_editor_is_for_the_disk(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    real = bench.file("real.txt", "one\n")
    link = bench.folder / "link.txt"
    link.symlink_to("real.txt")
    editor_of(bench).close(bench.document(real))
    editor_of(bench).open(link)
    await bench.client.apply([await bench.deletion(real)])
    assert OURS not in [method for method, _ in editor_of(bench).asked]
    assert tree(bench) == {}


async def test_a_rename_below_a_folder_with_another_name_is_spelled_as_the_editor_does(
    tmp_path: Path,
) -> None:
    bench = bench_of(tmp_path)
    bench.open_files = False
    old = bench.file("package/old.txt", "one\n")
    (tmp_path / "alias").symlink_to(bench.folder)
    editor_of(bench).open(tmp_path / "alias" / "package" / "old.txt")
    await bench.client.apply([await bench.move(old, bench.key("package/new.txt"))])
    assert list(editor_of(bench).documents) == [uri_of(tmp_path / "alias" / "package" / "new.txt")]
    assert tree(bench) == {"package/new.txt": "one\n"}


async def test_a_crash_before_it_is_kept_brings_back_what_the_editor_made(tmp_path: Path) -> None:
    folder, journals = tmp_path / "ws", tmp_path / "journals"
    folder.mkdir()
    walls = Walls([str(folder)])
    disk = Headless(walls, str(journals), file_limit=1 << 20, durability="fast")
    bench = Bench(folder, disk)
    gone, old, new = bench.file("gone.txt", "gone\n"), bench.file("old.txt", "old\n"), bench.key("new.txt")
    stays, other = bench.file("stays.txt", "stays\n"), bench.file("other.txt", "other\n")
    before = tree(bench)
    inode = (folder / "gone.txt").stat().st_ino
    changes = [
        await bench.update(other, "changed\n"),
        await bench.deletion(gone),
        await bench.move(old, new),
        await bench.deletion(stays),
    ]
    held = disk.begin(changes, led={gone, old, stays})
    assert held.led == {gone, old, stays}
    (folder / "gone.txt").unlink()
    (folder / "old.txt").rename(folder / "new.txt")
    assert held.left_to_do() == {stays}
    journal = held._transaction._journal
    assert journal is not None
    journal.close()  # as the end of the process does
    [found] = recover(str(journals), walls)
    assert (found.outcome, found.not_restored) == ("undone", ())
    assert tree(bench) == before
    assert (folder / "gone.txt").stat().st_ino == inode


async def test_our_clients_are_told_the_hash_and_how_long_it_counts(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    old = bench.file("old.txt", "one\n")
    assert isinstance(bench.client, Attached)
    done: Applied = await bench.client.apply([await bench.move(old, bench.key("new.txt"))], edit_id="e1")
    assert done.warnings == ()
    [params] = [params for method, params in editor_of(bench).asked if method == OURS]
    assert (params["protocol"], params["edit_id"]) == (1, "e1")
    assert params["operations"] == [
        {
            "kind": "rename",
            "uri": uri_of(bench.folder / "old.txt"),
            "new_uri": uri_of(bench.folder / "new.txt"),
            "before": hash_of("one\n"),
        }
    ]
