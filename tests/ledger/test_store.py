"""The SQLite file: private, migrated, set aside when it is damaged, refused when it is newer."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ledger.errors import Code, CoeditorError
from ledger.ledger import Ledger
from ledger.ranges import LineRanges
from ledger.schema import MIGRATIONS
from ledger.session import UNSEEN, Present
from ledger.store import Database
from ledger.types import Caller, FileRecord, FileState, LineEdit, ScopeKey, TargetKey, token_of

CALLER = Caller(ScopeKey("S1"), "c1", "t1")
A = TargetKey("/w/a")
TOKEN = token_of("a\n")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "folder" / "ledger.db"


def filled(path: Path) -> Ledger:
    """A ledger with one read and one applied edit."""
    ledger = Ledger.open(str(path))
    ledger.record_read(CALLER, A, TOKEN, 1, LineRanges.whole(1), text="a\n")
    edit_id = ledger.intend(CALLER, "edit", [record()])
    ledger.mark_applied(edit_id)
    return ledger


def record() -> FileRecord:
    return FileRecord(A, "/w/a", "update", None, FileState(TOKEN, None, "utf-8"))


def test_file_and_folder_are_for_this_user_only(path: Path) -> None:
    ledger = filled(path)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}
    ledger.close()


def test_an_old_file_that_others_could_read_is_made_private(path: Path) -> None:
    path.parent.mkdir(parents=True, mode=0o755)
    path.touch(0o644)
    Ledger.open(str(path)).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_schema_version_is_the_number_of_steps(path: Path) -> None:
    filled(path).close()
    with sqlite3.connect(path) as link:
        assert link.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert link.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    link.close()


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_the_file_of_an_older_coeditor_is_brought_on(path: Path, version: int) -> None:
    path.parent.mkdir(parents=True)
    link = sqlite3.connect(path)
    for statement in (each for step in MIGRATIONS[:version] for each in step):
        link.execute(statement)
    link.execute(f"PRAGMA user_version = {version}")
    link.commit()
    link.close()
    filled(path).close()
    again = Ledger.open(str(path))
    assert isinstance(again.observation(CALLER.scope, A), Present)
    assert [entry.state for entry in again.entries()] == ["applied"]
    assert again.take_notices() == []
    again.close()


def pages_written(path: Path) -> int:
    """So far, ahead of the file."""
    return (Path(f"{path}-wal").stat().st_size - 32) // (4096 + 24)


def test_an_edit_writes_few_pages_also_when_much_was_shown(path: Path) -> None:
    ledger = Ledger.open(str(path))
    ledger.record_read(CALLER, A, TOKEN, 200, LineRanges.whole(200), text="a\n")
    found: list[int] = []
    for number in range(100):
        before = pages_written(path)
        caller = replace(CALLER, call_id=f"call-{number:020}")
        edit_id = ledger.intend(caller, "edit", [record()], "{}")
        with ledger.step():
            ledger.mark_applied(edit_id, [record()], "{}")
            edit = LineEdit(1 + number * 37 % 200, 1, 1)
            ledger.record_own_edit(caller, A, token_of(str(number)), 200, [edit])
        found.append(pages_written(path) - before)
    ledger.close()
    assert len(encoded_state(path)) > 2000, "it does not stand in a page with others"
    # entries with three indexes and their counter, files with one, and on the way back entry, file and what was seen
    assert sorted(found)[50] <= 12


def encoded_state(path: Path) -> str:
    """The one observation as it is stored."""
    link = sqlite3.connect(path)
    [(state,)] = link.execute("SELECT state FROM observations").fetchall()
    link.close()
    return str(state)


def test_an_interrupted_first_start_is_finished(path: Path) -> None:
    path.parent.mkdir(parents=True)
    sqlite3.connect(path).close()
    ledger = filled(path)
    assert len(ledger.entries()) == 1
    ledger.close()


def test_two_processes_that_migrate_at_once_both_work(path: Path) -> None:
    one, two = Ledger.open(str(path)), Ledger.open(str(path))
    one.mark_applied(one.intend(CALLER, "edit", [record()]))
    assert len(two.entries()) == 1
    one.close()
    two.close()


def test_a_newer_schema_is_left_alone_and_work_goes_on(path: Path) -> None:
    filled(path).close()
    with sqlite3.connect(path) as link:
        link.execute("PRAGMA user_version = 999")
    link.close()
    before = path.read_bytes()
    ledger = Ledger.open(str(path))
    (notice,) = ledger.take_notices()
    assert "newer Coeditor" in notice
    assert ledger.entries() == []
    ledger.mark_applied(ledger.intend(CALLER, "edit", [record()]))
    ledger.close()
    again = Ledger.open(str(path))
    assert len(again.entries()) == 1
    again.close()
    assert path.read_bytes() == before


def nonsense(path: Path) -> None:
    path.write_bytes(b"this is not a database, whatever its name says\n" * 100)


def hole_in_the_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:6000])


@pytest.mark.parametrize("damage", [nonsense, hole_in_the_middle, cut_off])
def test_a_damaged_file_is_set_aside_and_work_goes_on(path: Path, damage: Callable[[Path], None]) -> None:
    filled(path).close()
    damage(path)
    ledger = Ledger.open(str(path))
    ledger.observation(CALLER.scope, A)
    ledger.mark_applied(ledger.intend(CALLER, "edit", [record()]))
    assert len(ledger.entries()) == 1
    assert any("set aside as ledger.db.damaged-1" in notice for notice in ledger.take_notices())
    assert ledger.take_notices() == []
    assert path.with_name("ledger.db.damaged-1").exists()
    ledger.close()


def test_damage_while_at_work_loses_the_history_and_keeps_what_memory_holds(path: Path) -> None:
    ledger = filled(path)
    under_way = ledger.intend(CALLER, "edit", [record()])
    ledger.compact()
    hole_in_the_middle(path)
    for number in range(200):
        ledger.record_read(CALLER, TargetKey(f"/w/{number}"), TOKEN, 1, LineRanges.whole(1))
    assert ledger.mark_applied(under_way).state == "applied"
    assert [entry.edit_id for entry in ledger.entries()] == [under_way]
    assert isinstance(ledger.observation(CALLER.scope, A), Present)
    ledger.close()
    again = Ledger.open(str(path))
    assert len(again.observations("S1")) == 201
    again.close()


def test_only_the_newest_damaged_files_stay(path: Path) -> None:
    for _ in range(4):
        filled(path).close()
        nonsense(path)
        Ledger.open(str(path)).close()
    assert len(list(path.parent.glob("*.damaged-*"))) == 2


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CoeditorError, match="folder cannot be used") as raised:
        Ledger.open(str(tmp_path / "file" / "ledger.db"))
    assert raised.value.code is Code.FS_IO


def test_a_failed_step_leaves_nothing_and_the_next_one_works() -> None:
    database = Database(None)

    def fail_half_way() -> None:
        with database.transaction():
            database.run("INSERT INTO sessions VALUES ('S', 1)")
            with database.transaction():
                database.run("INSERT INTO sessions VALUES ('T', 1)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert database.run("SELECT * FROM sessions") == []
    with database.transaction(durable=True):
        database.run("INSERT INTO sessions VALUES ('S', 1)")
    assert database.run("SELECT session FROM sessions") == [("S",)]
    with pytest.raises(CoeditorError, match="cannot be used"):
        database.run("SELECT nothing FROM nowhere")


def test_threads_do_not_see_each_others_half_steps() -> None:
    database = Database(None)
    seen: list[int] = []

    def work(name: int) -> None:
        for number in range(50):
            with database.transaction():
                database.run("INSERT INTO sessions VALUES (?, 1)", (f"{name}-{number}-a",))
                database.run("INSERT INTO sessions VALUES (?, 1)", (f"{name}-{number}-b",))
            seen.append(int(database.run("SELECT count(*) FROM sessions")[0][0] or 0) % 2)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [0] * 200
    assert database.run("SELECT count(*) FROM sessions") == [(400,)]


def test_observations_that_the_store_cannot_take_stay_and_go_with_the_next_write(path: Path) -> None:
    ledger = Ledger.open(str(path))
    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    ledger.record_absent(CALLER.scope, A)
    other.execute("DROP TABLE observations")
    ledger.record_read(CALLER, A, TOKEN, 1, LineRanges.whole(1))
    assert isinstance(ledger.observation(CALLER.scope, A), Present)
    with pytest.raises(CoeditorError):
        Database(str(path)).run("SELECT * FROM observations")
    first = MIGRATIONS[0]
    other.execute(next(statement for statement in first if "TABLE observations" in statement))
    ledger.record_absent(CALLER.scope, TargetKey("/w/b"))
    ledger.close()
    other.close()
    again = Ledger.open(str(path))
    assert isinstance(again.observation(CALLER.scope, A), Present)
    assert again.observation(ScopeKey("S2"), A) == UNSEEN
    again.close()
