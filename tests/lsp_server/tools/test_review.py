"""The review: what agents changed, kept or undone hunk by hunk."""

from __future__ import annotations

import asyncio
import subprocess
from typing import Any

import pytest

from tests.lsp_server.tools.conftest import Walk, person

LINES = "".join(f"line {number}\n" for number in range(1, 41))


async def hunks(walk: Walk, **arguments: Any) -> list[dict[str, Any]]:
    """All that is pending."""
    found = await person(walk, "review", **arguments)
    rows = [hunk for file in found["files"] for hunk in file["hunks"]]
    assert found["pending"] == len(rows)
    return rows


async def reviews(walk: Walk) -> dict[str, str]:
    """The review of each edit in the history."""
    return {row["edit_id"]: row["review"] for row in (await person(walk, "history"))["edits"]}


async def three_edits(walk: Walk) -> list[str]:
    walk.put("a.py", LINES)
    await walk.read("a.py")
    found = []
    for number in (5, 20, 35):
        answer = await walk.edit("a.py", f"line {number}\n", f"LINE {number}\nmore\n", turn=f"t{number}")
        found.append(answer["edit_id"])
    return found


async def test_pending_hunks_are_listed_with_what_made_them(walk: Walk) -> None:
    ids = await three_edits(walk)
    rows = await hunks(walk)
    assert [(row["start_line"], row["end_line"], row["before"]) for row in rows] == [
        (5, 6, "line 5\n"),
        (21, 22, "line 20\n"),
        (37, 38, "line 35\n"),
    ]
    assert [row["edits"][0]["edit_id"] for row in rows] == ids
    assert rows[0]["edits"][0]["turn"] == "t5"
    assert all(row["undoable"] for row in rows)
    assert len(await hunks(walk, turns=["t20"])) == 1
    assert await hunks(walk, sessions=["other"]) == []
    assert await hunks(walk, file_paths=["a.py"]) == rows


async def test_one_is_kept_one_undone_and_one_still_pending(walk: Walk) -> None:
    ids = await three_edits(walk)
    first, second, third = await hunks(walk)
    assert (await person(walk, "review/keep", hunks=[first["hunk"]]))["kept"] == [first["hunk"]]
    undone = await person(walk, "review/undo", hunks=[second["hunk"]])
    assert (undone["applied"], "+line 20\n" in undone["diff"]) == ("applied", True)
    assert walk.text("a.py") == LINES.replace("line 5\n", "LINE 5\nmore\n").replace(
        "line 35\n", "LINE 35\nmore\n"
    )
    assert [row["hunk"] for row in await hunks(walk)] == [third["hunk"]]
    found = await reviews(walk)
    assert [found[one] for one in ids] == ["kept", "undone", "pending"]


async def test_all_of_a_turn_and_all_of_a_file(walk: Walk) -> None:
    await three_edits(walk)
    assert (await person(walk, "review/undo", turns=["t35"]))["ok"]
    assert len(await hunks(walk)) == 2
    assert (await person(walk, "review/undo", file_paths=["a.py"]))["ok"]
    assert walk.text("a.py") == LINES
    assert await hunks(walk) == []
    assert (await person(walk, "review/undo"))["code"] == "FS_NO_CHANGE"


async def test_an_undone_hunk_can_be_had_back(walk: Walk) -> None:
    await three_edits(walk)
    text = walk.text("a.py")
    undone = await person(walk, "review/undo")
    assert walk.text("a.py") == LINES
    assert (await person(walk, "rewind", to=undone["edit_id"]))["ok"]
    assert walk.text("a.py") == text
    assert len(await hunks(walk)) == 3


async def test_several_edits_of_the_same_lines_are_one_hunk(walk: Walk) -> None:
    walk.put("a.py", LINES)
    await walk.read("a.py")
    await walk.edit("a.py", "line 5\n", "five\n")
    await walk.edit("a.py", "five\n", "FIVE\n")
    rows = await hunks(walk)
    assert [(row["before"], len(row["edits"])) for row in rows] == [("line 5\n", 2)]
    assert (await person(walk, "review/undo", hunks=[rows[0]["hunk"]]))["ok"]
    assert walk.text("a.py") == LINES


async def test_what_the_agent_took_back_itself_is_not_pending(walk: Walk) -> None:
    walk.put("a.py", LINES)
    await walk.read("a.py")
    edit = await walk.edit("a.py", "line 5\n", "five\n")
    await walk.call("rewind", to=edit["edit_id"])
    assert await hunks(walk) == []


async def test_a_persons_edit_to_a_hunk_keeps_the_rest_of_it_and_leaves_the_others(walk: Walk) -> None:
    ids = await three_edits(walk)
    path = walk.root / "a.py"
    path.write_text(walk.text("a.py").replace("LINE 20\n", "mine 20\n"))
    assert [row["start_line"] for row in await hunks(walk)] == [5, 37]
    assert (await reviews(walk))[ids[1]] == "kept"
    assert (await person(walk, "review/undo"))["ok"]
    assert walk.text("a.py") == LINES.replace("line 20\n", "mine 20\nmore\n")


async def test_a_hunk_that_was_put_back_by_hand_is_undone(walk: Walk) -> None:
    ids = await three_edits(walk)
    path = walk.root / "a.py"
    path.write_text(walk.text("a.py").replace("LINE 20\nmore\n", "line 20\n"))
    assert [row["start_line"] for row in await hunks(walk)] == [5, 36]
    assert (await reviews(walk))[ids[1]] == "undone"


async def test_a_persons_line_elsewhere_stays_and_one_next_to_it_is_a_conflict(walk: Walk) -> None:
    await three_edits(walk)
    path = walk.root / "a.py"
    path.write_text("mine\n" + walk.text("a.py").replace("line 21\n", "mine 21\n"))
    rows = await hunks(walk)
    assert [(row["start_line"], row["undoable"]) for row in rows] == [(6, True), (22, False), (38, True)]
    found = await person(walk, "review/undo", hunks=[rows[1]["hunk"]])
    assert (found["code"], found["data"]["files"][0]["lines"]) == ("FS_REWIND_CONFLICT", [[22, 23]])
    assert (await person(walk, "review/undo", hunks=[rows[0]["hunk"], rows[2]["hunk"]]))["ok"]
    assert walk.text("a.py").startswith("mine\nline 1\n")
    assert "line 5\n" in walk.text("a.py")
    assert "mine 21\n" in walk.text("a.py")


async def test_a_hunk_that_changed_since_it_was_shown_is_not_undone(walk: Walk) -> None:
    await three_edits(walk)
    rows = await hunks(walk)
    await walk.edit("a.py", "LINE 5\n", "Line five\n")
    before = walk.text("a.py")
    found = await person(walk, "review/undo", hunks=[rows[0]["hunk"], rows[1]["hunk"]])
    assert found["code"] == "INVALID_ARGUMENT"
    assert walk.text("a.py") == before


async def test_two_agents_share_a_hunk(walk: Walk) -> None:
    walk.put("a.py", LINES)
    await walk.read("a.py")
    await walk.read("a.py", session="other")
    await walk.edit("a.py", "line 5\n", "five\n")
    await walk.read("a.py", session="other")
    await walk.edit("a.py", "five\n", "five and more\n", session="other")
    found = await person(walk, "review/undo", sessions=["other"])
    assert (found["code"], found["data"]["files"][0]["moved_by"]) == ("FS_REWIND_CONFLICT", "session:s")
    assert "still pending" in (await person(walk, "review/keep", sessions=["other"]))["warnings"][0]
    assert (await person(walk, "review/undo", file_paths=["a.py"]))["ok"]
    assert walk.text("a.py") == LINES


@pytest.mark.parametrize("content", ["made\n", ""])
async def test_a_created_file_is_one_hunk(walk: Walk, content: str) -> None:
    await walk.write("new.py", content)
    rows = await hunks(walk)
    assert [row["kind"] for row in rows] == ["create"]
    assert (await person(walk, "review/undo"))["ok"]
    assert walk.there() == {}
    assert await hunks(walk) == []


async def test_a_created_file_in_which_a_person_wrote_is_kept(walk: Walk) -> None:
    await walk.write("new.py", "one\ntwo\nthree\n")
    walk.put("new.py", "one\nmine\nthree\n")
    assert await hunks(walk) == []
    assert walk.text("new.py") == "one\nmine\nthree\n"


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfold\r\n", b"caf\xe9\n", b""])
async def test_a_deleted_file_comes_back_byte_for_byte(walk: Walk, content: bytes) -> None:
    walk.put("old.py", content, 0o640)
    await walk.read("old.py")
    await walk.patch("*** Delete File: old.py")
    assert [row["kind"] for row in await hunks(walk)] == ["delete"]
    assert (await person(walk, "review/undo"))["ok"]
    assert walk.there() == {"old.py": content}
    assert (walk.root / "old.py").stat().st_mode & 0o777 == 0o640


async def test_a_move_is_undone_by_itself_or_with_its_lines(walk: Walk) -> None:
    walk.put("a.txt", LINES)
    await walk.read("a.txt")
    await walk.patch("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-line 10", "+ten")
    rows = await hunks(walk)
    assert [row["kind"] for row in rows] == ["move", "lines"]
    assert (await person(walk, "review/undo", hunks=[rows[1]["hunk"]]))["ok"]
    assert walk.there() == {"b.txt": LINES.encode()}
    assert (await person(walk, "review/undo"))["ok"]
    assert walk.there() == {"a.txt": LINES.encode()}
    assert await hunks(walk) == []


async def test_the_base_is_the_file_without_what_is_pending(walk: Walk) -> None:
    await three_edits(walk)
    (walk.root / "a.py").write_text("mine\n" + walk.text("a.py"))
    assert (await person(walk, "review/base", file_path="a.py"))["text"] == "mine\n" + LINES
    await walk.write("new.py", "x\n")
    assert (await person(walk, "review/base", file_path="new.py"))["text"] is None
    walk.put("plain.py", "y\n")
    assert (await person(walk, "review/base", file_path="plain.py"))["text"] == "y\n"


async def test_what_is_kept_stays_kept_over_a_restart(walk: Walk, make_walk: Any) -> None:
    await three_edits(walk)
    first, second, _ = await hunks(walk)
    await person(walk, "review/keep", hunks=[first["hunk"], second["hunk"]])
    await walk.app.close()
    again = make_walk()
    assert [row["start_line"] for row in await hunks(again)] == [37]
    assert (await person(again, "review/undo"))["ok"]
    assert "LINE 20\n" in again.text("a.py")


@pytest.mark.parametrize("edits_first", [False, True], ids=["in-a-repository", "before-git-init"])
async def test_a_commit_keeps_what_it_has(walk: Walk, edits_first: bool) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words],
            cwd=walk.root,
            check=True,
            capture_output=True,
        )

    walk.put("a.py", LINES)
    ids = await three_edits(walk) if edits_first else []
    await asyncio.to_thread(git, "init", "-q", "-b", "main")
    if not edits_first:
        await asyncio.to_thread(git, "add", ".")
        await asyncio.to_thread(git, "commit", "-q", "-m", "x")
        ids = await three_edits(walk)
    walk.put("gone.py", "x\n")
    assert len(await hunks(walk)) == 3
    whole = walk.text("a.py")
    (walk.root / "a.py").write_text(LINES.replace("line 20\n", "LINE 20\nmore\n"))
    await asyncio.to_thread(git, "add", "a.py")
    await asyncio.to_thread(git, "commit", "-q", "-m", "y")
    (walk.root / "a.py").write_text(whole)
    assert [row["start_line"] for row in await hunks(walk)] == [5, 37]
    assert [(await reviews(walk))[one] for one in ids] == ["pending", "kept", "pending"]


async def test_agents_look_at_their_own_and_decide_nothing(walk: Walk) -> None:
    await three_edits(walk)
    assert (await walk.call("review"))["pending"] == 3
    assert (await walk.call("review", session="other"))["pending"] == 0
    assert (await walk.call("review/keep"))["code"] == "FS_DENIED"
    assert (await walk.call("review/undo"))["code"] == "FS_DENIED"


async def test_a_dry_run_shows_what_an_undo_would_do(walk: Walk) -> None:
    await three_edits(walk)
    text = walk.text("a.py")
    found = await person(walk, "review/undo", dry_run=True)
    assert (found["applied"], "-LINE 5\n" in found["diff"]) == ("planned", True)
    assert walk.text("a.py") == text
    assert len(await hunks(walk)) == 3
