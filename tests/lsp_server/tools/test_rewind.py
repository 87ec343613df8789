"""Rewinds: the reverse of what was done, sparing what others did since."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from ledger.errors import Code, CoeditorError
from ledger.types import Entry
from tests.lsp_server.tools.conftest import MakeWalk, Walk
from tests.lsp_server.tools.git import repository


async def edits(walk: Walk, name: str, *texts: str, turn: str | None = None) -> list[str]:
    """Edit one line through ``texts``; the edit ids."""
    await walk.read(name)
    found = []
    for old, new in pairwise(texts):
        answer = await walk.edit(name, old, new, turn=turn)
        found.append(answer["edit_id"])
    return found


async def test_to_an_edit_takes_it_and_all_later_ones_back(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    ids = await edits(walk, "a.py", "v0", "v1", "v2", "v3")
    found = await walk.call("rewind", to=ids[1])
    assert found["applied"] == "applied"
    assert walk.text("a.py") == "v1\n"
    states = {row["edit_id"]: row["state"] for row in (await walk.call("history"))["edits"]}
    assert [states[one] for one in ids] == ["applied", "rewound", "rewound"]
    assert states[found["edit_id"]] == "applied"
    assert (await walk.edit("a.py", "v1", "w"))["ok"]


async def test_a_rewind_can_be_taken_back(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    ids = await edits(walk, "a.py", "v0", "v1", "v2")
    back = await walk.call("rewind", to=ids[0])
    assert walk.text("a.py") == "v0\n"
    assert (await walk.call("rewind", to=back["edit_id"]))["ok"]
    assert walk.text("a.py") == "v2\n"


async def test_to_a_turn(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    await edits(walk, "a.py", "v0", "v1", turn="t1")
    await walk.edit("a.py", "v1", "v2", turn="t2")
    await walk.write("b.py", "b\n", turn="t2")
    await walk.edit("a.py", "v2", "v3", turn="t3")
    assert (await walk.call("rewind", to="t2"))["ok"]
    assert walk.there() == {"a.py": b"v1\n"}


async def test_what_a_person_changed_far_away_stays(walk: Walk) -> None:
    lines = [f"line {n}\n" for n in range(1, 101)]
    path = walk.put("a.py", "".join(lines))
    ids = await edits(walk, "a.py", "line 10\n", "LINE 10\nmore\n")
    path.write_text(path.read_text().replace("line 90\n", "mine\n"))
    assert (await walk.call("rewind", to=ids[0]))["ok"]
    assert walk.text("a.py") == "".join(lines).replace("line 90\n", "mine\n")


async def test_what_a_person_added_stays_also_when_the_server_was_restarted(
    walk: Walk, make_walk: MakeWalk
) -> None:
    path = walk.put("a.py", "a\nb\nc\n")
    ids = await edits(walk, "a.py", "b", "B")
    path.write_text("a\nB\nc\nd\n")
    await walk.app.close()
    again = make_walk()
    assert (await again.call("rewind", to=ids[0]))["ok"]
    assert again.text("a.py") == "a\nb\nc\nd\n"


@pytest.mark.parametrize("mine", ["line 9\n", "line 11\n"])
async def test_an_adjoining_change_is_a_conflict_with_its_place(walk: Walk, mine: str) -> None:
    lines = [f"line {n}\n" for n in range(1, 21)]
    path = walk.put("a.py", "".join(lines))
    ids = await edits(walk, "a.py", "line 10\n", "LINE 10\n")
    path.write_text(path.read_text().replace(mine, "mine\n"))
    before = path.read_bytes()
    found = await walk.call("rewind", to=ids[0])
    number = int(mine.split()[1])
    assert found["code"] == "FS_REWIND_CONFLICT"
    assert found["data"]["files"] == [
        {"file_path": str(path), "lines": [[number, number]], "moved_by": "external"}
    ]
    assert path.read_bytes() == before


async def test_one_conflict_and_no_file_is_touched(walk: Walk) -> None:
    walk.put("a.py", "a\n")
    path = walk.put("b.py", "b\n")
    await walk.read("a.py")
    await walk.read("b.py")
    found = await walk.patch(
        "*** Update File: a.py", "@@", "-a", "+A", "*** Update File: b.py", "@@", "-b", "+B"
    )
    path.write_text("B and mine\n")
    assert (await walk.call("rewind", to=found["edit_id"]))["code"] == "FS_REWIND_CONFLICT"
    assert walk.there() == {"a.py": b"A\n", "b.py": b"B and mine\n"}
    assert (await walk.call("rewind", to=found["edit_id"], file_path="a.py"))["ok"]
    assert walk.text("a.py") == "a\n"


async def test_a_created_file_goes_only_while_it_is_all_the_agents(walk: Walk) -> None:
    made = await walk.write("new.py", "mine\n")
    (walk.root / "new.py").write_text("mine\nand yours\n")
    assert (await walk.call("rewind", to=made["edit_id"]))["code"] == "FS_REWIND_CONFLICT"
    (walk.root / "new.py").write_text("mine\n")
    assert (await walk.call("rewind", to=made["edit_id"]))["ok"]
    assert walk.there() == {}


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        (b"\xef\xbb\xbfecho\r\n", 0o755),
        (b"caf\xe9\n", 0o600),
        ("\ufeffgr\u00fc\u00dfe\n".encode("utf-16-be"), 0o644),
        (b"", 0o644),
        (b"no end", 0o644),
    ],
)
async def test_a_deleted_file_comes_back_with_bytes_and_mode(walk: Walk, content: bytes, mode: int) -> None:
    path = walk.put("x.sh", content, mode)
    await walk.read("x.sh")
    found = await walk.patch("*** Delete File: x.sh")
    assert found["ok"], found
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]
    assert path.read_bytes() == content
    assert path.stat().st_mode & 0o777 == mode


async def test_a_move_goes_back_with_what_was_written_since(walk: Walk) -> None:
    lines = "".join(f"{n}\n" for n in range(1, 31))
    walk.put("a.txt", lines)
    await walk.read("a.txt")
    found = await walk.patch("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-10", "+ten")
    path = walk.root / "b.txt"
    path.write_text(path.read_text() + "mine\n")
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]
    assert walk.there() == {"a.txt": (lines + "mine\n").encode()}


async def test_dry_run_shows_and_touches_nothing(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    ids = await edits(walk, "a.py", "v0", "v1")
    found = await walk.call("rewind", to=ids[0], dry_run=True)
    assert (found["applied"], "+v0" in found["diff"]) == ("planned", True)
    assert walk.text("a.py") == "v1\n"
    assert (await walk.edit("a.py", "v1", "v2"))["ok"]


async def test_another_sessions_edit_is_not_ones_own_to_take_back(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    ids = await edits(walk, "a.py", "v0", "v1")
    assert (await walk.call("rewind", to=ids[0], session="other"))["code"] == "INVALID_ARGUMENT"
    assert (await walk.call("rewind", to="no-such-edit"))["code"] == "INVALID_ARGUMENT"


async def test_nothing_left_to_take_back(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    ids = await edits(walk, "a.py", "v0", "v1")
    await walk.call("rewind", to=ids[0])
    assert (await walk.call("rewind", to=ids[0]))["code"] == "FS_NO_CHANGE"


async def test_another_agents_later_lines_stay(walk: Walk) -> None:
    lines = "".join(f"line {n} end\n" for n in range(1, 21))
    walk.put("a.py", lines)
    ids = await edits(walk, "a.py", "line 3 end", "three")
    await walk.read("a.py", session="other")
    await walk.edit("a.py", "line 15 end", "fifteen", session="other")
    assert (await walk.call("rewind", to=ids[0]))["ok"]
    assert walk.text("a.py") == lines.replace("line 15 end", "fifteen")


async def test_one_hunk_of_an_edit_by_its_number(walk: Walk) -> None:
    lines = "".join(f"line {n} end\n" for n in range(1, 41))
    walk.put("a.py", lines)
    walk.put("b.py", "b\n")
    await walk.read("a.py")
    await walk.read("b.py")
    found = await walk.patch(
        "*** Update File: a.py",
        "@@",
        "-line 5 end",
        "+five",
        "@@",
        "-line 30 end",
        "+thirty",
        "*** Update File: b.py",
        "@@",
        "-b",
        "+B",
    )
    edit = found["edit_id"]
    assert (await walk.call("rewind", to=f"{edit}#2"))["ok"]
    assert walk.text("a.py") == lines.replace("line 5 end", "five")
    assert (await walk.call("rewind", to=f"{edit}#3"))["ok"]
    assert walk.text("b.py") == "b\n"
    assert (await walk.call("rewind", to=f"{edit}#4"))["code"] == "INVALID_ARGUMENT"
    assert (await walk.call("history"))["edits"][-1]["state"] == "applied"
    # What is back already is no conflict for the rest.
    assert (await walk.call("rewind", to=edit))["ok"]
    assert walk.there() == {"a.py": lines.encode(), "b.py": b"b\n"}


async def test_to_the_start_of_a_session(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    await edits(walk, "a.py", "v0", "v1", "v2")
    await walk.write("b.py", "b\n")
    assert (await walk.call("rewind", to="s"))["ok"]
    assert walk.there() == {"a.py": b"v0\n"}
    assert (await walk.call("rewind", to="s", session="other"))["code"] == "INVALID_ARGUMENT"


async def test_a_name_that_nothing_has_is_told_the_callers_newest_edit(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    *_, newest = await edits(walk, "a.py", "v0", "v1", "v2")
    await walk.write("b.py", "b\n", session="other")
    told = (await walk.call("rewind", to="last"))["message"]
    assert "called 'last'" in told
    assert told.endswith(f"Your newest edit is {newest}.")
    assert walk.text("a.py") == "v2\n"
    assert "newest" not in (await walk.call("rewind", to="last", session="third"))["message"]


async def test_folders_that_an_edit_made_go_with_its_file_when_they_are_empty(walk: Walk) -> None:
    made = await walk.write("one/two/new.py", "x\n")
    assert (await walk.call("rewind", to=made["edit_id"]))["ok"]
    assert not (walk.root / "one").exists()
    made = await walk.write("one/two/new.py", "x\n")
    walk.put("one/mine.py", "y\n")
    back = await walk.call("rewind", to=made["edit_id"])
    assert walk.there() == {"one/mine.py": b"y\n"}
    assert not (walk.root / "one" / "two").exists()
    (walk.root / "old").mkdir()
    again = await walk.write("old/new.py", "z\n")
    assert (await walk.call("rewind", to=again["edit_id"]))["ok"]
    assert (walk.root / "old").is_dir()
    assert (await walk.call("rewind", to=back["edit_id"]))["ok"]
    assert walk.text("one/two/new.py") == "x\n"


async def test_what_was_put_back_by_hand_is_no_conflict(walk: Walk) -> None:
    lines = "".join(f"line {n} end\n" for n in range(1, 41))
    path = walk.put("a.py", lines)
    await walk.read("a.py")
    found = await walk.patch(
        "*** Update File: a.py", "@@", "-line 5 end", "+five", "@@", "-line 30 end", "+thirty"
    )
    path.write_text(path.read_text().replace("five", "line 5 end"))
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]
    assert walk.text("a.py") == lines


async def test_an_edit_of_another_branch_is_not_taken_back_on_this_one(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    walk.put("b.py", "b\n")
    git = await asyncio.to_thread(repository, walk.root)
    await asyncio.to_thread(git.commit, "x")
    ids = await edits(walk, "a.py", "v0", "v1", "v2")
    await asyncio.to_thread(git, "checkout", "-q", "-b", "side")
    # The same commit: nothing moved below the edit.
    assert (await walk.call("rewind", to=ids[1]))["ok"]
    await asyncio.to_thread(git, "commit", "-q", "-a", "-m", "y")
    found = await walk.call("rewind", to=ids[0])
    assert (found["code"], found["data"]["reason"]) == ("FS_REWIND_CONFLICT", "branch_switched")
    assert found["data"]["files"][0]["moved_by"] == "git:checkout"
    assert "main" in found["message"]
    assert "side" in found["message"]
    assert walk.text("a.py") == "v1\n"
    await asyncio.to_thread(git, "checkout", "-q", "main")
    walk.put("a.py", "v1\n")
    assert (await walk.call("rewind", to=ids[0]))["ok"]


async def test_the_agent_hears_which_hunk_of_its_edit_was_put_back(walk: Walk) -> None:
    lines = "".join(f"line {n} end\n" for n in range(1, 41))
    path = walk.put("a.py", lines)
    walk.put("b.py", "b\n")
    await walk.read("a.py")
    found = await walk.patch(
        "*** Update File: a.py", "@@", "-line 5 end", "+five", "@@", "-line 30 end", "+thirty"
    )
    path.write_text(path.read_text().replace("thirty", "line 30 end"))
    walk.app.workspace.notices.touched(frozenset({str(path)}))
    notices = (await walk.read("b.py"))["notices"]
    assert [row["message"] for row in notices] == [f"Hunk 2 of your edit {found['edit_id']} was put back."]


async def test_a_rewind_whose_server_died_before_it_was_recorded_is_settled_at_the_next_start(
    walk: Walk, make_walk: MakeWalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk.put("a.py", "v0\n")
    walk.put("b.py", "b\n")
    await walk.read("a.py")
    await walk.read("b.py")
    found = await walk.patch(
        "*** Update File: a.py", "@@", "-v0", "+v1", "*** Update File: b.py", "@@", "-b", "+B"
    )

    def died(*_: object) -> Entry:
        raise CoeditorError(Code.FS_IO, "gone")

    monkeypatch.setattr(walk.app.workspace.ledger, "mark_applied", died)
    back = await walk.call("rewind", to=found["edit_id"])
    assert walk.there() == {"a.py": b"v0\n", "b.py": b"b\n"}
    await walk.app.close()
    again = make_walk()
    rows = {row["edit_id"]: row["state"] for row in (await again.call("history"))["edits"]}
    assert rows[back["edit_id"]] == "applied"
    assert again.there() == {"a.py": b"v0\n", "b.py": b"b\n"}
    assert (await again.call("rewind", to=found["edit_id"]))["code"] == "FS_NO_CHANGE"
    assert (await again.call("rewind", to=back["edit_id"]))["ok"]
    assert again.there() == {"a.py": b"v1\n", "b.py": b"B\n"}


async def test_a_rewind_that_came_to_nothing_in_one_file_is_taken_back_there_too(walk: Walk) -> None:
    done = []
    for name in ("a.txt", "b.txt"):
        walk.put(name, "v0\n")
        await walk.read(name)
        done.append((await walk.edit(name, "v0", "v1"))["edit_id"])
    both = (await walk.call("rewind", to=done[0]))["edit_id"]
    await walk.call("rewind", to=done[1])
    assert (walk.text("a.txt"), walk.text("b.txt")) == ("v1\n", "v0\n")
    await walk.call("rewind", to=both)
    assert (walk.text("a.txt"), walk.text("b.txt")) == ("v1\n", "v1\n")
    assert (await walk.call("rewind", to=done[0]))["ok"]
    assert (walk.text("a.txt"), walk.text("b.txt")) == ("v0\n", "v0\n")
