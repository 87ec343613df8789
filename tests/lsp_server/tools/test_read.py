"""Reads: windows, the short answer for what is known, and what cannot be read."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from lsp_server.wire.texts import content_text
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
        assert len(json.dumps(found, separators=(",", ":"))) < 200
        assert len(content_text("read", found)) < 200


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


async def test_a_read_after_a_change_says_which_lines_changed(walk: Walk) -> None:
    walk.put("a.py", "1\n2\n3\n4\n5\n")
    assert "changed_lines" not in await walk.read("a.py")
    walk.put("a.py", "0\n1\n2\n3\n5\n")
    found = await walk.read("a.py")
    assert found["changed_lines"] == [[1, 1], [5, 5]]


CHANGED = {
    "rewritten": ("1\n2\nx\ny\n5\n6\n", "LINES 1-2\n3\tx\n4\ty\nLINES 5-6", [[3, 4]]),
    "added": ("1\n2\n3\n4\n5\n6\nx\n", "LINES 1-6\n7\tx", [[7, 7]]),
    "gone": (
        "1\n5\n6\n",
        "LINE 1\n[coeditor: 3 lines that stood before line 2 are gone]\nLINES 2-3",
        [[2, 2]],
    ),
    "gone at the end": (
        "1\n2\n3\n4\n",
        "LINES 1-4\n[coeditor: 2 lines that stood before line 5 are gone]",
        [[4, 4]],
    ),
    "several": ("x\n2\n3\n4\n5\ny\n", "1\tx\nLINES 2-5\n6\ty", [[1, 1], [6, 6]]),
}


@pytest.mark.parametrize("name", CHANGED)
async def test_changed_only_shows_what_changed(walk: Walk, name: str) -> None:
    after, text, spans = CHANGED[name]
    walk.put("a.py", "1\n2\n3\n4\n5\n6\n")
    await walk.read("a.py")
    walk.put("a.py", after)
    found = await walk.read("a.py", changed_only=True)
    shown = found["text"].replace("[coeditor: lines ", "LINES ").replace("[coeditor: line ", "LINE ")
    assert shown.replace(" did not change]", "") == text
    assert (found["changed_lines"], found["unchanged"], found["truncated"]) == (spans, False, False)
    # What was shown before and did not change is known still: the whole text may be overwritten.
    assert (await walk.read("a.py", changed_only=True))["unchanged"] is True
    assert (await walk.write("a.py", "all\n"))["ok"] is True


async def test_changed_only_of_what_did_not_change_is_short(walk: Walk) -> None:
    walk.put("a.py", "1\n2\n3\n4\n")
    await walk.read("a.py")
    assert (await walk.read("a.py", changed_only=True))["unchanged"] is True
    walk.put("a.py", "1\n2\n3\nx\n")
    assert (await walk.read("a.py", changed_only=True, limit=2))["unchanged"] is True
    # The change is beyond the window; it was not shown by that.
    assert (await walk.read("a.py", changed_only=True))["text"].endswith("4\tx")


async def test_changed_only_without_anything_to_compare_shows_all(walk: Walk) -> None:
    walk.put("a.py", "1\n2\n")
    found = await walk.read("a.py", changed_only=True)
    assert found["text"] == "1\t1\n2\t2"
    walk.put("a.py", "")
    assert (await walk.read("a.py", changed_only=True))["total_lines"] == 0


async def test_changed_lines_that_do_not_fit_are_left_for_the_next_read(make_walk: MakeWalk) -> None:
    walk = make_walk({"read_chars": 1_000})
    lines = [f"{number} {'-' * 90}" for number in range(1, 6)]
    walk.put("a.py", "\n".join(lines))
    await walk.read("a.py")
    after = [f"{number} {'x' * 90}" if number % 2 else f"{number} {'-' * 90}" for number in range(1, 41)]
    walk.put("a.py", "\n".join(after))
    seen: dict[int, str] = {}
    offset = 1
    for _ in range(20):
        found = await walk.read("a.py", changed_only=True, offset=offset)
        for row in found["text"].split("\n"):
            if not row.startswith("[coeditor: "):
                number, text = row.split("\t", 1)
                seen[int(number)] = text
        if not found["truncated"]:
            break
        offset = found["end_line"] + 1
    assert [seen[number] for number in sorted(seen)] == [
        line for number, line in enumerate(after, 1) if number % 2 or number > 5
    ]
    assert (await walk.write("a.py", "all\n"))["ok"] is True


async def test_changed_only_leaves_out_what_was_never_shown_and_does_not_claim_it(walk: Walk) -> None:
    walk.put("a.py", "1\n2\n3\n4\n5\n6\n")
    await walk.read("a.py", limit=2)
    walk.put("a.py", "1\nx\n3\n4\n5\n6\n")
    found = await walk.read("a.py", changed_only=True)
    assert "2\tx" in found["text"]
    assert "3\t3" not in found["text"]
    assert (await walk.write("a.py", "all\n"))["data"]["missing"] == [[3, 6]]
