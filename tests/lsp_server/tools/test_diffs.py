"""Diffs of single edits, turns and sessions, and against git's HEAD."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import Any

from lsp_server.service import CallContext
from tests.lsp_server.tools.conftest import Walk
from tests.lsp_server.tools.git import repository

LINES = "".join(f"line {number} end\n" for number in range(1, 41))


def git(folder: Path, *words: str, stdin: bytes = b"") -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, input=stdin)


async def apply(folder: Path, diff: str) -> None:
    await asyncio.to_thread(git, folder, "apply", "-", stdin=diff.encode())


def there(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


async def diff(walk: Walk, **more: Any) -> str:
    found = await walk.call("diff", **more)
    assert found["ok"], found
    return str(found["diff"])


async def test_one_edit_one_turn_and_a_range_without_what_others_did(walk: Walk) -> None:
    path = walk.put("a.py", LINES)
    await walk.read("a.py")
    first = await walk.edit("a.py", "line 5 end", "five", turn="t1")
    path.write_text("mine\n" + path.read_text())
    await walk.read("a.py")
    second = await walk.edit("a.py", "line 20 end", "twenty", turn="t2")
    await walk.read("a.py", session="other")
    await walk.edit("a.py", "line 30 end", "thirty", session="other")
    await walk.read("a.py")
    third = await walk.edit("a.py", "line 39 end", "last", turn="t2")
    one = await diff(walk, since=f"{second['edit_id']}..{second['edit_id']}")
    assert [line for line in one.splitlines() if line[:1] in "+-"][2:] == ["-line 20 end", "+twenty"]
    turn = await diff(walk, since="t2..t2")
    assert [line for line in turn.splitlines() if line[:1] in "+-"][2:] == [
        "-line 20 end",
        "+twenty",
        "-line 39 end",
        "+last",
    ]
    assert await diff(walk, since=f"{first['edit_id']}..{third['edit_id']}") == await diff(walk, since="s..s")
    assert "mine" not in await diff(walk, since="s..s")
    found = await walk.call("diff", since=f"{second['edit_id']}..{first['edit_id']}")
    assert found["code"] == "INVALID_ARGUMENT"


async def test_a_range_over_created_moved_and_deleted_files(walk: Walk, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name, text in (("m.py", LINES), ("d.py", "d")):
        walk.put(name, text)
        (copy / name).write_text(text)
        await walk.read(name)
    await walk.patch("*** Update File: m.py", "*** Move to: sub/n.py", "@@", "-line 3 end", "+three")
    await walk.write("new.py", "")
    await walk.patch("*** Delete File: d.py")
    text = await diff(walk, since="s..s")
    assert "rename from m.py" in text
    await apply(copy, text)
    assert there(copy) == walk.there()


async def test_against_head_with_what_is_not_saved_anywhere_else(walk: Walk, tmp_path: Path) -> None:
    walk.put("a.py", b"\xef\xbb\xbfone\r\ntwo\r\n")
    walk.put("b.py", "b\n")
    await asyncio.to_thread(git, walk.root, "init", "-q", "-b", "main")
    await asyncio.to_thread(git, walk.root, "add", ".")
    await asyncio.to_thread(git, walk.root, "commit", "-q", "-m", "x")
    copy = tmp_path / "copy"
    await asyncio.to_thread(git, tmp_path, "clone", "-q", str(walk.root), str(copy))
    await walk.read("a.py")
    await walk.edit("a.py", "one", "ONE")
    await walk.write("new.py", "new")
    (walk.root / "b.py").write_text("B\n")
    text = await diff(walk, since="HEAD")
    assert "b.py" not in text
    assert "+B\n" in await diff(walk, since="HEAD", file_path="b.py")
    await apply(copy, text)
    assert there(copy) == {**walk.there_outside_git(), "b.py": b"b\n"}


async def test_a_text_that_became_binary(walk: Walk, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    await asyncio.to_thread(git, copy, "init", "-q")
    (copy / "a.py").write_text("one\n")
    path = walk.put("a.py", "one\n")
    await walk.read("a.py")
    edit = await walk.edit("a.py", "one", "ONE")
    path.write_bytes(bytes(range(256)) * 3)
    assert "Binary files a/a.py and b/a.py differ\n" in await diff(walk, since=edit["edit_id"])
    context = CallContext(walk.caller("s"), "cli", str(walk.root))
    text = (await walk.app.call("diff", {"since": edit["edit_id"]}, context))["diff"]
    assert "GIT binary patch" in text
    await apply(copy, text)
    assert there(copy) == walk.there()


async def test_a_person_sees_every_session(walk: Walk) -> None:
    walk.put("a.py", LINES)
    await walk.read("a.py")
    await walk.edit("a.py", "line 5 end", "five")
    context = CallContext(walk.caller("person"), "cli", str(walk.root), person=True)
    assert "+five" in (await walk.app.call("diff", {"since": "s"}, context))["diff"]
    assert (await walk.call("diff", since="s", session="other"))["code"] == "INVALID_ARGUMENT"


async def test_a_repository_that_is_made_later_is_found(walk: Walk) -> None:
    walk.put("a.py", "one\n")
    await walk.read("a.py")
    assert (await walk.edit("a.py", "one", "two"))["ok"]
    assert "no git repository" in str((await walk.call("diff", since="HEAD"))["warnings"])
    git = await asyncio.to_thread(repository, walk.root)
    await asyncio.to_thread(git.commit, "x")
    assert (await walk.edit("a.py", "two", "three"))["ok"]
    assert "-two\n+three\n" in (await walk.call("diff", since="HEAD"))["diff"]
