"""What an agent's shell command changed, as an edit of its session."""

from __future__ import annotations

import asyncio
import subprocess
from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk
from tests.lsp_server.tools.git import Git, repository


@pytest.fixture
def tracking(make_walk: MakeWalk) -> Walk:
    return make_walk({"track_external": True})


async def began(walk: Walk, call_id: str = "c", **more: Any) -> dict[str, Any]:
    return await walk.call("shell_began", call_id=call_id, command="make it so", **more)


async def ended(walk: Walk, call_id: str = "c", **more: Any) -> dict[str, Any]:
    return await walk.call("shell_ended", call_id=call_id, **more)


async def test_changes_are_an_edit_that_can_be_looked_at_and_rewound(tracking: Walk) -> None:
    walk = tracking
    walk.put("a.py", "one\ntwo\n")
    walk.put("gone.py", b"caf\xe9\n", 0o640)
    walk.put("same.py", "same\n")
    assert (await began(walk))["tracking"]
    walk.put("a.py", "one\nTWO\n")
    walk.put("sub/new.py", "new\n")
    walk.put("same.py", "same\n")
    (walk.root / "gone.py").unlink()
    found = await ended(walk)
    rows = {row["file_path"].rpartition("/")[2]: row["operation"] for row in found["changed_files"]}
    assert rows == {"a.py": "update", "new.py": "create", "gone.py": "delete"}
    row = (await walk.call("history"))["edits"][0]
    assert (row["edit_id"], row["tool"], row["origin"]) == (found["edit_id"], "shell", "shell")
    assert "-two\n+TWO\n" in (await walk.call("diff", since=found["edit_id"]))["diff"]
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]
    assert walk.there() == {"a.py": b"one\ntwo\n", "gone.py": b"caf\xe9\n", "same.py": b"same\n"}
    assert (walk.root / "gone.py").stat().st_mode & 0o777 == 0o640


async def test_nothing_changed_is_nothing_recorded(tracking: Walk) -> None:
    tracking.put("a.py", "one\n")
    await began(tracking)
    assert await ended(tracking) == {"ok": True, "changed_files": []}
    assert (await tracking.call("history"))["edits"] == []


async def test_without_the_setting_nothing_is_tracked(walk: Walk) -> None:
    walk.put("a.py", "one\n")
    assert await began(walk) == {"ok": True, "tracking": False}
    walk.put("a.py", "two\n")
    assert (await ended(walk))["changed_files"] == []


async def test_another_agents_edit_meanwhile_is_not_the_commands(tracking: Walk) -> None:
    walk = tracking
    walk.put("a.py", "a\n")
    walk.put("b.py", "b\nx\n")
    await walk.read("a.py", session="other")
    await walk.read("b.py", session="other")
    await began(walk)
    await walk.edit("a.py", "a", "A", session="other")
    await walk.edit("b.py", "b", "B", session="other")
    walk.put("b.py", "B\nX\n")
    found = await ended(walk)
    assert [row["file_path"].rpartition("/")[2] for row in found["changed_files"]] == ["b.py"]
    diff = await walk.call("rewind", to=found["edit_id"], dry_run=True)
    assert "-X\n+x\n" in diff["diff"]
    assert "-B\n" not in diff["diff"]


async def test_ignored_files_are_not_looked_at(tracking: Walk) -> None:
    walk = tracking
    await asyncio.to_thread(subprocess.run, ["git", "init", "-q"], cwd=walk.root, check=True)
    walk.put(".gitignore", "build/\n")
    await began(walk)
    walk.put("build/out.o", "x\n")
    walk.put("binary.o", b"\0\1")
    found = await ended(walk)
    assert found["changed_files"] == []
    assert ["binary.o" in one for one in found["warnings"]] == [True]


async def test_switching_a_branch_is_no_edit(tracking: Walk) -> None:
    walk = tracking

    def branches() -> Git:
        git = repository(walk.root)
        git.commit("x")
        git("checkout", "-q", "-b", "side")
        walk.put("a.py", "side\n")
        git.commit("y")
        git("checkout", "-q", "main")
        return git

    walk.put("a.py", "main\n")
    walk.put("b.py", "b\n")
    git = await asyncio.to_thread(branches)
    await began(walk)
    await asyncio.to_thread(git, "checkout", "-q", "side")
    walk.put("b.py", "B\n")
    found = await ended(walk)
    assert [row["file_path"].rpartition("/")[2] for row in found["changed_files"]] == ["b.py"]


async def test_two_commands_at_once_each_have_their_own(tracking: Walk) -> None:
    walk = tracking
    walk.put("a.py", "a\n")
    await began(walk, "one")
    await began(walk, "two", session="other")
    walk.put("a.py", "A\n")
    assert len((await ended(walk, "one"))["changed_files"]) == 1
    assert (await ended(walk, "two", session="other"))["changed_files"] == []
