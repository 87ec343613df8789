"""What could not be read again is not written: the refusal comes while every file is as it was."""

from __future__ import annotations

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk

LATIN = "root = true\n[*.txt]\ncharset = latin1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
async def test_a_nul_character_is_not_written(walk: Walk, encoding: str) -> None:
    walk.put("a.py", "one\ntwo\n".encode(encoding))
    await walk.read("a.py")
    before = walk.there()
    for found in (
        await walk.edit("a.py", "two", "t\0wo"),
        await walk.write("a.py", "\0"),
        await walk.write("new.py", "x\0y\n"),
        await walk.edit("new.py", "", "\0"),
        await walk.patch("*** Add File: new.py", "+x\0y"),
        await walk.patch("*** Update File: a.py", "@@", "-two", "+t\0wo", validate_only=True),
    ):
        assert (found["code"], found["data"]) == ("FS_NOT_TEXT", {"reason": "nul"})
        assert walk.there() == before
    assert (await walk.call("history"))["edits"] == []
    assert (await walk.edit("a.py", "two", "2"))["ok"]


@pytest.mark.parametrize(("characters", "fits"), [("x" * 60, True), ("x" * 61, False), ("é" * 31, False)])
async def test_a_file_does_not_grow_over_what_can_be_read(
    make_walk: MakeWalk, characters: str, fits: bool
) -> None:
    walk = make_walk({"limits": {"file_bytes": 60}})
    walk.put("a.py", "a")
    await walk.read("a.py")
    before = walk.there()
    for found in (
        await walk.write("new.py", characters),
        await walk.patch("*** Delete File: a.py", "*** Add File: sub/b.py", f"+{characters[:-1]}"),
        await walk.edit("c.py", "", characters),
    ):
        if fits:
            assert found["ok"]
        else:
            assert found["code"] == "FS_TOO_LARGE"
            assert (found["data"]["limit"], found["data"]["limit_name"]) == (60, "file_bytes")
            assert walk.there() == before


@pytest.mark.parametrize(
    ("name", "data", "old", "new"),
    [
        ("a.txt", b"x\xe9\n", "é", "Ã©"),
        ("a.bin", b"A\xff\xfeB\n", "A", ""),
    ],
)
async def test_bytes_that_would_read_as_another_text_are_not_written(
    walk: Walk, name: str, data: bytes, old: str, new: str
) -> None:
    walk.put(".editorconfig", LATIN)
    walk.put(name, data)
    await walk.read(name)
    before = walk.there()
    assert (await walk.edit(name, old, new))["code"] == "FS_ENCODING"
    assert walk.there() == before


async def test_what_could_not_be_told_before_may_become_utf8(walk: Walk) -> None:
    path = walk.put("a.txt", b"\xff caf\xc3\xa9\nx\n")
    await walk.read("a.txt")
    assert (await walk.edit("a.txt", "\xff ", ""))["ok"]
    assert path.read_bytes() == b"caf\xc3\xa9\nx\n"
    assert (await walk.read("a.txt", refresh=True))["encoding"] == "utf-8"
    assert (await walk.edit("a.txt", "café", "thé"))["ok"]
