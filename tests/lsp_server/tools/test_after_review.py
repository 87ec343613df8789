"""What a session's end, a later edit or a file that comes back must not do to what was kept, shown or deleted."""

from __future__ import annotations

from typing import Any

from tests.lsp_server.tools.conftest import MakeWalk, Walk, person


async def edited(walk: Walk) -> dict[str, Any]:
    """``f`` from v0 to v1; the hunk that the person looks at."""
    walk.put("f", "v0\n")
    await walk.read("f")
    assert (await walk.edit("f", "v0", "v1"))["ok"]
    (hunk,) = (await person(walk, "review"))["files"][0]["hunks"]
    return dict(hunk)


async def test_what_was_kept_stays_after_the_sessions_end_and_a_restart(make_walk: MakeWalk) -> None:
    walk = make_walk()
    shown = await edited(walk)
    before = (walk.root / "f").stat()
    assert (await person(walk, "review/keep", hunks=[shown["hunk"]]))["ok"]
    assert (await walk.call_event("sessionEnded", {"session": "s"}))["ok"]
    await walk.app.close()
    later = make_walk()
    assert (await person(later, "review"))["pending"] == 0
    assert (await person(later, "review/undo"))["code"] == "FS_NO_CHANGE"
    assert later.text("f") == "v1\n"
    assert ((later.root / "f").stat().st_ino, (later.root / "f").stat().st_mtime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
    ), "nobody has written it"


async def test_a_view_of_the_first_edit_undoes_nothing_of_a_second(walk: Walk) -> None:
    shown = await edited(walk)
    assert (await walk.edit("f", "v1", "v2"))["ok"]
    refused = await person(walk, "review/undo", hunks=[shown["hunk"]])
    assert refused["code"] == "INVALID_ARGUMENT"
    assert walk.text("f") == "v2\n"
    (hunk,) = (await person(walk, "review"))["files"][0]["hunks"]
    assert (hunk["before"], hunk["after"], len(hunk["edits"])) == ("v0\n", "v2\n", 2)
    assert (await person(walk, "review/undo", hunks=[hunk["hunk"]]))["ok"]
    assert walk.text("f") == "v0\n"


async def test_a_deleted_file_that_comes_back_is_there_for_the_agent_too(walk: Walk) -> None:
    walk.put("old.rs", "old\n")
    await walk.read("old.rs")
    assert (await walk.patch("*** Delete File: old.rs"))["ok"]
    walk.put("old.rs", "old\n")  # a view that was left open was saved
    refused = await walk.patch("*** Add File: old.rs", "+new")
    assert refused["code"] == "FS_ALREADY_EXISTS"
    assert (await walk.read("old.rs"))["text"] == "1\told"
    back = await walk.call("rewind", to=(await walk.call("history"))["edits"][0]["edit_id"])
    assert back["code"] == "FS_REWIND_CONFLICT"
    assert walk.text("old.rs") == "old\n"
