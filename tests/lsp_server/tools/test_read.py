"""Reads: windows, the short answer for what is known, and what cannot be read."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk


async def test_a_read_tells_where_the_text_is_and_how_it_is_written(walk: Walk) -> None:
    walk.put("a.py", b"\xef\xbb\xbfx = 1\r\ny\r\n")
    found = await walk.read("a.py")
    version = found.pop("version")
    assert 0 < len(version) <= 80
    assert found == {
        "ok": True,
        "text": "1\tx = 1\n2\ty",
        "unchanged": False,
        "start_line": 1,
        "end_line": 2,
        "total_lines": 2,
        "authority": "disk",
        "unsaved": False,
        "encoding": "utf-8-bom",
        "eol": "crlf",
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("first", "second", "unchanged"),
    [
        ({}, {}, True),
        ({}, {"offset": 3, "limit": 2}, True),
        ({"limit": 5}, {"offset": 2, "limit": 3}, True),
        ({"limit": 5}, {"offset": 5, "limit": 2}, False),
        ({}, {"refresh": True}, False),
        ({"offset": 9}, {"offset": 9, "limit": 500}, True),
    ],
)
async def test_what_was_shown_is_not_sent_again(
    walk: Walk, first: dict[str, Any], second: dict[str, Any], unchanged: bool
) -> None:
    walk.put("a.py", "".join(f"{n}\n" for n in range(1, 11)))
    await walk.read("a.py", **first)
    found = await walk.read("a.py", **second)
    assert found["unchanged"] is unchanged
    assert ("text" in found) is not unchanged
    if unchanged:
        assert len(json.dumps(found)) < 220


async def test_another_scope_and_another_session_are_shown_the_text(walk: Walk) -> None:
    walk.put("a.py", "x\n")
    await walk.read("a.py")
    assert (await walk.read("a.py", scope="sub"))["unchanged"] is False
    assert (await walk.read("a.py", session="other"))["unchanged"] is False


async def test_after_a_change_the_text_comes_again(walk: Walk) -> None:
    path = walk.put("a.py", "x\n")
    await walk.read("a.py")
    path.write_text("y\n")
    found = await walk.read("a.py")
    assert (found["unchanged"], found["text"]) == (False, "1\ty")


async def test_after_an_own_edit_what_was_written_is_known(walk: Walk) -> None:
    walk.put("a.py", "x\n")
    await walk.read("a.py")
    await walk.edit("a.py", "x", "y")
    assert (await walk.read("a.py"))["unchanged"] is True


@pytest.mark.parametrize(
    ("offset", "limit", "data"),
    [(0, 1, False), (1, 0, False), (-1, 1, False), (4, 1, True)],
)
async def test_windows_that_cannot_be(walk: Walk, offset: int, limit: int, data: bool) -> None:
    walk.put("a.py", "1\n2\n3\n")
    found = await walk.read("a.py", offset=offset, limit=limit)
    assert found["code"] == "INVALID_ARGUMENT"
    assert (found["data"].get("total_lines") == 3) is data


async def test_an_empty_file_has_no_lines_and_can_be_overwritten(walk: Walk) -> None:
    walk.put("a.py", "")
    found = await walk.read("a.py")
    assert (found["start_line"], found["end_line"], found["total_lines"], found["text"]) == (1, 0, 0, "")
    assert (await walk.read("a.py"))["unchanged"] is True
    assert (await walk.write("a.py", "x\n"))["ok"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("folder", "FS_NOT_REGULAR_FILE"),
        (".", "FS_NOT_REGULAR_FILE"),
        ("pipe", "FS_NOT_REGULAR_FILE"),
        ("binary", "FS_NOT_TEXT"),
        ("a.py/x", "FS_NOT_FOUND"),
        ("gone", "FS_NOT_FOUND"),
        ("../elsewhere", "FS_DENIED"),
        ("", "INVALID_ARGUMENT"),
    ],
)
async def test_what_cannot_be_read(walk: Walk, name: str, code: str) -> None:
    walk.put("folder/x", "x\n")
    walk.put("a.py", "x\n")
    walk.put("binary", b"a\0b")
    os.mkfifo(walk.root / "pipe")
    found = await walk.read(name)
    assert found["code"] == code


async def test_links_in_a_loop_are_refused_at_once(walk: Walk) -> None:
    (walk.root / "one").symlink_to("two")
    (walk.root / "two").symlink_to("one")
    assert (await walk.read("one"))["ok"] is False


async def test_a_file_over_the_limit_is_refused_with_the_limit(make_walk: MakeWalk) -> None:
    walk = make_walk({"limits": {"file_bytes": 100}})
    walk.put("a.txt", "x" * 101)
    found = await walk.read("a.txt")
    assert (found["code"], found["data"]["limit"]) == ("FS_TOO_LARGE", 100)


async def test_a_cut_line_never_counts_as_read(make_walk: MakeWalk) -> None:
    walk = make_walk({"read_chars": 1_000})
    walk.put("a.js", "a" * 5_000 + "\n")
    found = await walk.read("a.js")
    assert found["truncated"] is True
    assert len(found["text"]) <= 1_000
    assert (await walk.read("a.js"))["unchanged"] is False
    assert (await walk.write("a.js", "b\n"))["code"] == "FS_PARTIALLY_OBSERVED"


async def test_the_version_is_that_of_the_text_alone(walk: Walk) -> None:
    walk.put("a.py", "x\n")
    walk.put("b.py", b"\xef\xbb\xbfx\n")
    walk.put("c.py", "x\r\n")
    versions = [(await walk.read(name))["version"] for name in ("a.py", "b.py", "c.py")]
    assert versions[0] == versions[1] != versions[2]
