"""Whatever a file system holds, through the tools: what is edited keeps what it is, what cannot be is refused."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import stat
import struct
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk

BEFORE, AFTER = "one\ntwo\n", "one\n2\n"


async def edited(walk: Walk, name: str) -> dict[str, Any]:
    await walk.read(name)
    return await walk.edit(name, "two", "2")


def access_list(user: int) -> bytes:
    """A POSIX access list that lets one more user read."""
    rows = [(1, 6, -1), (2, 4, user), (4, 4, -1), (16, 6, -1), (32, 0, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *row) for row in rows)


def set_attribute(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"this file system keeps no {name}: {error}")


def set_immutable(path: Path, how: str) -> bool:
    """Whether it was done."""
    program = shutil.which("chattr")
    return program is not None and not subprocess.run([program, how, path], capture_output=True).returncode


async def test_mode_owner_attributes_and_access_list_survive(walk: Walk) -> None:
    path = walk.put("a.sh", BEFORE, 0o4751)
    set_attribute(path, "user.note", b"keep \0 me")
    set_attribute(path, "system.posix_acl_access", access_list(65534))
    if os.geteuid() == 0:
        os.chown(path, 12345, 54321)
        path.chmod(0o4751)
    was = path.stat()
    listed = os.getxattr(path, "system.posix_acl_access")
    done = await edited(walk, "a.sh")
    assert done["ok"] is True, done
    now = path.stat()
    assert (now.st_mode, now.st_uid, now.st_gid) == (was.st_mode, was.st_uid, was.st_gid)
    assert os.getxattr(path, "user.note") == b"keep \0 me"
    assert os.getxattr(path, "system.posix_acl_access") == listed
    assert path.read_text() == AFTER


async def test_an_immutable_file_is_refused_and_stays(walk: Walk) -> None:
    path = walk.put("fixed.txt", BEFORE)
    if not set_immutable(path, "+i"):
        pytest.skip("no file can be made immutable here")
    try:
        await walk.read("fixed.txt")
        for tool in ("edit", "write"):
            refused = await (
                walk.edit("fixed.txt", "two", "2") if tool == "edit" else walk.write("fixed.txt", AFTER)
            )
            assert refused["code"] == "FS_IO", refused
            assert path.read_text() == BEFORE
        patch = "*** Begin Patch\n*** Delete File: fixed.txt\n*** End Patch\n"
        assert (await walk.call("apply_patch", patch=patch))["ok"] is False
        assert path.read_text() == BEFORE
        assert sorted(one.name for one in walk.root.iterdir() if one.name.startswith(".coeditor")) == []
    finally:
        set_immutable(path, "-i")
    assert (await edited(walk, "fixed.txt"))["ok"] is True


async def test_a_read_only_file_keeps_its_mode(walk: Walk) -> None:
    path = walk.put("a.txt", BEFORE, 0o444)
    done = await edited(walk, "a.txt")
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    # Who may not write a file may still be allowed to replace it; what is refused says so and changes nothing.
    assert path.read_text() == (AFTER if done["ok"] else BEFORE)
    assert done["ok"] or done["code"] == "FS_IO"


async def test_links_lead_to_what_is_written_and_stay_links(walk: Walk) -> None:
    path = walk.put("real/a.txt", BEFORE)
    (walk.root / "link").symlink_to("real/a.txt")
    os.link(path, walk.root / "hard.txt")
    inode = path.stat().st_ino
    assert (await edited(walk, "link"))["ok"] is True
    assert (walk.root / "link").is_symlink()
    assert (walk.root / "hard.txt").stat().st_ino == path.stat().st_ino == inode
    assert walk.text("hard.txt") == AFTER


async def test_dangling_links(walk: Walk, tmp_path: Path) -> None:
    (walk.root / "inside").symlink_to("made/later.txt")
    (walk.root / "outside").symlink_to(tmp_path / "elsewhere.txt")
    (walk.root / "loop").symlink_to("loop")
    assert (await walk.read("inside"))["code"] == "FS_NOT_FOUND"
    assert (await walk.write("inside", "text\n"))["ok"] is True
    assert (walk.root / "inside").is_symlink()
    assert walk.text("made/later.txt") == "text\n"
    assert (await walk.write("outside", "text\n"))["code"] == "FS_DENIED"
    assert not (tmp_path / "elsewhere.txt").exists()
    assert (await walk.write("loop", "text\n"))["ok"] is False
    assert (walk.root / "loop").is_symlink()


async def test_folders_and_files_in_the_way(walk: Walk) -> None:
    walk.put("folder/a.txt", BEFORE)
    walk.put("file", BEFORE)
    rows: list[tuple[str, dict[str, Any], str]] = [
        ("write", {"file_path": "folder", "content": "x\n"}, "FS_NOT_REGULAR_FILE"),
        ("read", {"file_path": "folder"}, "FS_NOT_REGULAR_FILE"),
        ("write", {"file_path": "file/below.txt", "content": "x\n"}, "FS_NOT_FOUND"),
        ("read", {"file_path": "file/below.txt"}, "FS_NOT_FOUND"),
        ("edit", {"file_path": "file/below.txt", "old_string": "", "new_string": "x"}, "FS_NOT_FOUND"),
    ]
    for tool, arguments, code in rows:
        found = await walk.call(tool, **arguments)
        assert found["code"] == code, found
    assert walk.there() == {"folder/a.txt": BEFORE.encode(), "file": BEFORE.encode()}


async def test_names_in_both_forms_of_unicode_are_two_files(walk: Walk) -> None:
    composed, decomposed = (unicodedata.normalize(form, "häß-é.txt") for form in ("NFC", "NFD"))
    walk.put(composed, BEFORE)
    if (walk.root / decomposed).exists():
        pytest.skip("this file system has one name for both forms")
    assert (await walk.read(decomposed))["code"] == "FS_NOT_FOUND"
    assert (await walk.write(decomposed, "other\n"))["ok"] is True
    done = await edited(walk, composed)
    assert done["changed_files"][0]["file_path"].endswith(composed)
    assert (walk.text(composed), walk.text(decomposed)) == (AFTER, "other\n")


@pytest.mark.parametrize(
    "name", ["n" * 255, "ü" * 127 + "x", "a b\tc\\d\"e'.txt", " lead", "-rf", "line\nbreak"]
)
async def test_odd_and_long_names(walk: Walk, name: str) -> None:
    assert (await walk.write(name, BEFORE))["ok"] is True
    done = await edited(walk, name)
    assert done["ok"] is True, done
    assert walk.there() == {name: AFTER.encode()}


async def test_a_name_that_is_too_long_is_refused(walk: Walk) -> None:
    for name in ("n" * 256, "/".join(["d" * 200] * 30)):
        refused = await walk.write(name, "x\n")
        assert refused["ok"] is False
        assert refused["code"] in ("FS_IO", "FS_NOT_FOUND", "INVALID_ARGUMENT"), refused
    assert walk.there() == {}


async def test_a_sparse_file_is_read_as_what_it_is(walk: Walk) -> None:
    with walk.put("sparse.bin", "head\n").open("r+b") as file:
        file.truncate(1 << 20)
    assert (await walk.read("sparse.bin"))["code"] == "FS_NOT_TEXT"
    with walk.put("huge.txt", "head\n").open("r+b") as file:
        file.truncate(1 << 40)
    refused = await walk.read("huge.txt")
    assert (refused["code"], refused["data"]["limit_name"]) == ("FS_TOO_LARGE", "file_bytes")
    assert (await walk.write("huge.txt", "x\n"))["ok"] is False


async def test_64_mib_can_be_edited_and_no_more(make_walk: MakeWalk) -> None:
    walk = make_walk({"read_first": False})
    line = b"0123456789abcde\n"
    size = 64 << 20
    body = line * (size // len(line) - 1) + b"the last line..\n"
    path = walk.put("large.txt", body)
    done = await walk.edit("large.txt", "the last line..", "the new end....")
    assert done["ok"] is True, done
    assert path.read_bytes() == body.replace(b"the last line..", b"the new end....")
    over = await walk.edit("large.txt", "the new end....", "the new end.....")
    assert (over["code"], over["data"]["limit"]) == ("FS_TOO_LARGE", size), over
    with path.open("ab") as file:
        file.write(b"x")
    refused = await walk.edit("large.txt", "the new end....", "x")
    assert (refused["code"], refused["data"]["limit_name"]) == ("FS_TOO_LARGE", "file_bytes"), refused


async def test_special_files_are_refused_at_once(walk: Walk) -> None:
    """Nobody writes into the pipe or answers on the socket: whoever opened them would wait for ever."""
    os.mkfifo(walk.root / "pipe")
    names = ["pipe", "socket"]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("read", {}),
        ("write", {"content": "x\n"}),
        ("edit", {"old_string": "a", "new_string": "b"}),
    ]
    with socket.socket(socket.AF_UNIX) as held:
        held.bind(str(walk.root / "socket"))
        if os.geteuid() == 0:
            os.mknod(walk.root / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 5))
            names.append("device")
        for name in names:
            for tool, more in calls:
                async with asyncio.timeout(30):
                    found = await walk.call(tool, file_path=name, **more)
                assert found["code"] == "FS_NOT_REGULAR_FILE", (name, tool, found)
            patch = f"*** Begin Patch\n*** Delete File: {name}\n*** End Patch\n"
            async with asyncio.timeout(30):
                assert (await walk.call("apply_patch", patch=patch))["code"] == "FS_NOT_REGULAR_FILE"
    assert stat.S_ISFIFO((walk.root / "pipe").stat().st_mode)


@pytest.mark.parametrize("end", ["/", "//", "/.", "/sub/.."])
@pytest.mark.parametrize("scheme", [False, True], ids=["path", "uri"])
async def test_a_path_that_ends_as_a_folders_names_no_file(walk: Walk, scheme: bool, end: str) -> None:
    walk.put("a.txt", BEFORE)
    walk.put("folder/a.txt", BEFORE)
    await walk.read("a.txt")
    before = walk.there()

    def spelled(name: str) -> str:
        return f"file://{walk.root}/{name}{end}" if scheme else name + end

    async def codes(name: str) -> list[Any]:
        path = spelled(name)
        found = [
            await walk.write(path, "x\n"),
            await walk.edit(path, "", "x\n"),
            await walk.edit(path, "two", "2"),
            await walk.patch(f"*** Add File: {path}", "+x"),
            await walk.patch("*** Update File: a.txt", f"*** Move to: {path}", "@@", "-two", "+2"),
            await walk.patch(f"*** Move File: a.txt -> {path}"),
            await walk.call("edit_notebook", file_path=path, mode="insert", new_source="x"),
            await walk.call("edit_notebook", file_path=path, mode="insert", new_source="x", cell_id="#1"),
        ]
        return [one.get("code") for one in found]

    assert set(await codes("new")) == {"FS_NOT_REGULAR_FILE"}
    assert set(await codes("folder")) == {"FS_NOT_REGULAR_FILE"}
    assert set(await codes("a.txt")) == {"FS_NOT_FOUND"}
    assert (await walk.read(spelled("a.txt")))["code"] == "FS_NOT_FOUND"
    assert (await walk.read(spelled("new")))["code"] == "FS_NOT_FOUND"
    assert (await walk.read(spelled("folder")))["code"] == "FS_NOT_REGULAR_FILE"
    assert walk.there() == before
    assert (await walk.call("glob", pattern="*.txt", path=spelled("folder")))["paths"] == [
        str(walk.root / "folder/a.txt")
    ]
