"""What recovery does with journals: those of the dead, the living, and strangers."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.recovery import Recovered, recover, recover_elsewhere, set_aside
from editor_clients.transaction_journal import Journal, Record
from editor_clients.transaction_steps import (
    Create,
    InPlace,
    Remove,
    Rename,
    Replace,
    Step,
    fingerprint_of,
    new_name,
)
from editor_clients.walls import Walls


class Scene:
    """A workspace, and what a process that died in the middle of a change left."""

    def __init__(self, base: Path) -> None:
        self.workspace = base / "workspace"
        self.journals = base / "journals"
        self.workspace.mkdir()
        self.walls = Walls([str(self.workspace)])

    def at(self, name: str) -> str:
        return str(self.workspace / name)

    def file(self, name: str, data: bytes) -> str:
        (self.workspace / name).write_bytes(data)
        return name

    def journal(self, phase: str, *steps: Step, folders: tuple[str, ...] = (), name: str = "t1") -> Journal:
        journal = Journal.begin(str(self.journals), name, Record(steps, folders), durable=False)
        for step in ("publishing", "done"):
            if journal.phase != phase:
                journal.advance(step)
        return journal

    def dead(self, phase: str, *steps: Step, folders: tuple[str, ...] = ()) -> None:
        self.journal(phase, *steps, folders=folders).close()

    def recover(self) -> list[Recovered]:
        return recover(str(self.journals), self.walls)

    def tree(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.workspace.rglob("*") if path.is_file()}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def replace_step(scene: Scene, name: str) -> Replace:
    return Replace(scene.at(name), new_name(), new_name(), fingerprint_of(b"new"))


def test_nothing_to_do(scene: Scene) -> None:
    assert scene.recover() == []


def test_staged_files_are_removed(scene: Scene) -> None:
    scene.file("a", b"old")
    step = replace_step(scene, "a")
    scene.file(step.stage, b"new")
    (scene.workspace / "made").mkdir()
    scene.dead("staging", step, Create(scene.at("made/b"), new_name(), "x"), folders=(scene.at("made"),))
    assert [item.outcome for item in scene.recover()] == ["undone"]
    assert os.listdir(scene.workspace) == ["a"]
    assert os.listdir(scene.journals) == []
    assert scene.recover() == []


def test_a_single_file_that_was_published_is_said_to_be(scene: Scene) -> None:
    scene.file("a", b"new")
    scene.dead("staging", replace_step(scene, "a"))
    assert [item.outcome for item in scene.recover()] == ["finished"]
    assert scene.tree() == {"a": b"new"}


def test_published_files_are_taken_back(scene: Scene) -> None:
    replaced, created = replace_step(scene, "a"), Create(scene.at("b"), new_name(), fingerprint_of(b"new"))
    removed = Remove(scene.at("c"), new_name())
    renamed = Rename(scene.at("d"), scene.at("e"), fingerprint_of(b"moved"))
    scene.file("a", b"new")
    scene.file(replaced.backup, b"old")
    scene.file("b", b"new")
    scene.file(removed.backup, b"gone")
    scene.file("e", b"moved")
    scene.dead("publishing", replaced, created, renamed, removed)
    (item,) = scene.recover()
    assert (item.outcome, item.not_restored) == ("undone", ())
    assert item.paths == tuple(scene.at(name) for name in "abdec")
    assert scene.tree() == {"a": b"old", "c": b"gone", "d": b"moved"}


def test_a_finished_change_only_loses_its_backups(scene: Scene) -> None:
    step, removed = replace_step(scene, "a"), Remove(scene.at("c"), new_name())
    scene.file("a", b"new")
    scene.file(step.backup, b"old")
    scene.file(removed.backup, b"gone")
    scene.dead("done", step, removed)
    assert [item.outcome for item in scene.recover()] == ["finished"]
    assert scene.tree() == {"a": b"new"}


def test_what_somebody_changed_since_is_left_and_the_old_text_is_kept(scene: Scene) -> None:
    replaced, removed = replace_step(scene, "a"), Remove(scene.at("c"), new_name())
    created = Create(scene.at("b"), new_name(), fingerprint_of(b"new"))
    for name, data in {"a": b"theirs", replaced.backup: b"old", "b": b"theirs", "c": b"theirs"}.items():
        scene.file(name, data)
    scene.file(removed.backup, b"gone")
    scene.dead("publishing", replaced, created, removed)
    (item,) = scene.recover()
    kept = {os.path.basename(lost.path): lost.snapshot for lost in item.not_restored}
    assert {name: path and Path(path).read_bytes() for name, path in kept.items()} == {
        "a": b"old",
        "b": None,
        "c": b"gone",
    }
    assert scene.tree() == {"a": b"theirs", "b": b"theirs", "c": b"theirs"}
    assert scene.recover() == []


@pytest.mark.parametrize(
    ("old", "new"), [(b"short", b"much longer than that"), (b"much longer than that", b"short"), (b"", b"x")]
)
def test_every_moment_of_writing_in_place_is_taken_back(scene: Scene, old: bytes, new: bytes) -> None:
    moments = {new[:cut] + old[cut:] for cut in range(len(new) + 1)}
    moments |= {old[:cut] + new[cut:] for cut in range(len(old) + 1)}
    for moment in sorted(moments):
        scene.file("a", moment)
        scene.dead("publishing", InPlace(scene.at("a"), "t1.old", "t1.new"))
        (scene.journals / "t1.old").write_bytes(old)
        (scene.journals / "t1.new").write_bytes(new)
        (item,) = scene.recover()
        assert (item.outcome, item.not_restored, scene.tree()) == ("undone", (), {"a": old})
        assert os.listdir(scene.journals) == []


def test_other_text_in_place_is_left(scene: Scene) -> None:
    scene.file("a", b"somebody wrote this")
    scene.dead("publishing", InPlace(scene.at("a"), "t1.old", "t1.new"))
    (scene.journals / "t1.old").write_bytes(b"old")
    (scene.journals / "t1.new").write_bytes(b"new new new new new new")
    (item,) = scene.recover()
    (lost,) = item.not_restored
    assert lost.snapshot is not None
    assert Path(lost.snapshot).read_bytes() == b"old"
    assert scene.tree() == {"a": b"somebody wrote this"}


def test_a_journal_of_the_living_is_left_alone(scene: Scene) -> None:
    scene.file("a", b"old")
    step = replace_step(scene, "a")
    scene.file(step.stage, b"new")
    journal = scene.journal("publishing", step)
    assert scene.recover() == []
    assert step.stage in scene.tree()
    journal.close()
    assert [item.outcome for item in scene.recover()] == ["undone"]


def test_whoever_needs_a_target_waits_for_the_recovery_that_another_process_began(scene: Scene) -> None:
    step = replace_step(scene, "a")
    scene.file("a", b"new")
    scene.file(step.backup, b"old")
    scene.dead("publishing", step)
    (path,) = scene.journals.iterdir()
    done: list[str] = []
    with open(path, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert recover(str(scene.journals), scene.walls, awaited=[scene.at("b")]) == []
        thread = threading.Thread(
            target=lambda: done.extend(
                item.outcome for item in recover(str(scene.journals), scene.walls, awaited=[scene.at("a")])
            )
        )
        thread.start()
        assert done == []
    thread.join()
    assert done == ["undone"]
    assert scene.tree() == {"a": b"old"}


def test_a_journal_cut_short_before_anything_happened_is_removed(scene: Scene) -> None:
    scene.journals.mkdir()
    for number, text in enumerate(["", '{"format": 1, "fol']):
        (scene.journals / f"t{number}.staging").write_text(text)
    assert scene.recover() == []
    assert os.listdir(scene.journals) == []


def test_a_journal_that_was_never_born_is_removed_in_time(scene: Scene) -> None:
    scene.journals.mkdir()
    for name, age in (("old", 3_600), ("young", 0)):
        path = scene.journals / f"{name}.newborn"
        path.touch()
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    assert scene.recover() == []
    assert os.listdir(scene.journals) == ["young.newborn"]


def broken(change: Callable[[dict[str, object]], object]) -> Callable[[bytes], bytes]:
    def apply(data: bytes) -> bytes:
        whole = json.loads(data)
        change(whole)
        return json.dumps(whole).encode() + b"\n"

    return apply


def first(field: str, value: object) -> Callable[[dict[str, object]], object]:
    def change(whole: dict[str, object]) -> None:
        steps = whole["steps"]
        assert isinstance(steps, list)
        steps[0][field] = value

    return change


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda data: data[:-20], "damaged"),
        (lambda data: b"\xff" + data, "damaged"),
        (lambda data: b"[" * 100_000, "damaged"),
        (lambda data: b"{}", "damaged"),
        (broken(lambda whole: whole.update(format=2)), "format 2"),
        (broken(lambda whole: whole.update(folder="/elsewhere")), "another place"),
        (broken(first("do", "format-disk")), "damaged"),
        (broken(first("path", "../../etc/passwd")), "not a path"),
        (broken(first("path", 7)), "not a path"),
        (broken(first("path", "/etc/passwd")), "outside"),
        (broken(first("stage", "important.txt")), "helper file"),
        (broken(first("stage", ".coeditor-/../../x")), "helper file"),
        (broken(first("extra", "x")), "damaged"),
    ],
)
def test_a_journal_that_cannot_be_trusted_blocks_and_changes_nothing(
    scene: Scene, spoil: Callable[[bytes], bytes], why: str
) -> None:
    scene.file("a", b"new")
    step = replace_step(scene, "a")
    scene.file(step.backup, b"old")
    scene.dead("publishing", step)
    (path,) = scene.journals.iterdir()
    path.write_bytes(spoil(path.read_bytes()))
    before = scene.tree()
    for _ in range(2):
        (item,) = scene.recover()
        assert item.outcome == "blocked"
        assert item.problem is not None
        assert why in item.problem
        assert "coeditor doctor --repair" in item.problem
        assert scene.tree() == before
    folder = set_aside(str(scene.journals), item.name)
    assert os.listdir(folder) == [path.name]
    assert scene.recover() == []


def test_a_protected_path_is_not_recovered_into(scene: Scene) -> None:
    (scene.workspace / ".git").mkdir()
    scene.dead("publishing", Create(scene.at(".git/config"), new_name(), fingerprint_of(b"x")))
    (item,) = scene.recover()
    assert (item.outcome, item.paths) == ("blocked", (scene.at(".git/config"),))


def test_a_folder_that_became_a_link_is_not_followed(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a").write_bytes(b"new")
    (scene.workspace / "sub").mkdir()
    scene.dead("publishing", Create(scene.at("sub/a"), new_name(), fingerprint_of(b"new")))
    (scene.workspace / "sub").rmdir()
    (scene.workspace / "sub").symlink_to(tmp_path / "outside")
    (item,) = scene.recover()
    assert item.outcome == "blocked"
    assert (tmp_path / "outside/a").exists()


def test_a_folder_that_is_gone_is_no_obstacle(scene: Scene) -> None:
    (scene.workspace / "sub").mkdir()
    scene.dead(
        "publishing", Create(scene.at("sub/a"), new_name(), "x"), Remove(scene.at("sub/b"), new_name())
    )
    (scene.workspace / "sub").rmdir()
    assert [item.outcome for item in scene.recover()] == ["undone"]


if os.geteuid() == 0:  # only root can give files away

    def test_a_journal_of_another_user_blocks(scene: Scene) -> None:
        scene.dead("publishing", replace_step(scene, "a"))
        (path,) = scene.journals.iterdir()
        os.chown(path, 1234, 1234)
        (item,) = scene.recover()
        assert item.problem is not None
        assert "another user" in item.problem


def test_journals_are_private(scene: Scene) -> None:
    scene.dead("staging", replace_step(scene, "a"))
    (path,) = scene.journals.iterdir()
    assert (path.stat().st_mode & 0o777, scene.journals.stat().st_mode & 0o777) == (0o600, 0o700)


@given(data=st.binary(max_size=200))
def test_no_bytes_make_it_crash_or_touch_a_file(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    scene = Scene(tmp_path_factory.mktemp("fuzz"))
    scene.file("a", b"a")
    scene.journals.mkdir()
    for phase in ("staging", "publishing", "done"):
        (scene.journals / f"t.{phase}").write_bytes(data)
    assert all(item.outcome == "blocked" for item in scene.recover())
    assert scene.tree() == {"a": b"a"}


def test_a_journal_of_another_workspace_folder_is_recovered_for_whoever_needs_its_target(
    scene: Scene,
) -> None:
    """Of nested folders either may be served by the process that died; the other one's walls hold then."""
    stage, backup = new_name(), new_name()
    (scene.workspace / "inner").mkdir()
    scene.file("inner/a", b"new")
    scene.file(f"inner/{backup}", b"old")
    path = scene.at("inner/a")
    step = Replace(path, stage, backup, fingerprint_of(b"new"))
    record = Record((step,), (), (str(scene.workspace),))
    journal = Journal.begin(str(scene.journals), "t1", record, durable=False)
    journal.advance("publishing")
    journal.close()
    made: list[Sequence[str]] = []

    def walls_of(roots: Sequence[str]) -> Walls:
        made.append(roots)
        return Walls(roots)

    assert recover_elsewhere(str(scene.journals), scene.at("inner/b"), walls_of) == []
    (found,) = recover_elsewhere(str(scene.journals), path, walls_of)
    assert (found.outcome, made) == ("undone", [(str(scene.workspace),)])
    assert scene.tree()["a"] == b"old"
    assert recover_elsewhere(str(scene.journals), path, walls_of) == []
