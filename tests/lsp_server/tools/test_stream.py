"""A patch in pieces comes to what it comes to as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk

PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
-a
+A
*** Add File: new/b.txt
+b
*** End Patch
"""


async def begin(walk: Walk, **who: Any) -> str:
    name = (await walk.call("apply_patch/begin", **who))["stream"]
    assert isinstance(name, str)
    return name


async def feed(walk: Walk, stream: str, pieces: Iterable[str], **who: Any) -> dict[str, Any]:
    """The last answer."""
    found: dict[str, Any] = {}
    for piece in pieces:
        found = await walk.call("apply_patch/append", stream=stream, text=piece, **who)
    return found


async def commit(walk: Walk, stream: str, **more: Any) -> dict[str, Any]:
    return await walk.call("apply_patch/commit", stream=stream, **more)


@pytest.mark.parametrize("size", [1, 7, 1_000])
async def test_pieces_of_any_size(walk: Walk, size: int) -> None:
    walk.put("a.txt", "a\n")
    await walk.read("a.txt")
    stream = await begin(walk)
    pieces = [PATCH[at : at + size] for at in range(0, len(PATCH), size)]
    progress = await feed(walk, stream, pieces)
    assert progress == {
        "ok": True,
        "files": 2,
        "chunks": 1,
        "lines": 3,
        "complete": True,
        "path": "new/b.txt",
    }
    found = await commit(walk, stream)
    assert [row["operation"] for row in found["changed_files"]] == ["update", "create"]
    assert walk.there() == {"a.txt": b"A\n", "new/b.txt": b"b\n"}
    (entry,) = (await walk.call("history"))["edits"]
    assert (entry["edit_id"], entry["tool"]) == (found["edit_id"], "apply_patch")
    assert (await commit(walk, stream))["code"] == "INVALID_ARGUMENT"
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]
    assert walk.there() == {"a.txt": b"a\n"}


async def test_progress_names_what_is_being_written(walk: Walk) -> None:
    stream = await begin(walk)
    lines = PATCH.splitlines(keepends=True)
    told = [await feed(walk, stream, [line]) for line in lines]
    assert [one.get("path") for one in told] == [None, *["a.txt"] * 4, *["new/b.txt"] * 3]
    assert [one["complete"] for one in told] == [False] * 7 + [True]


async def test_a_plan_and_then_the_change(walk: Walk) -> None:
    walk.put("a.txt", "a\n")
    await walk.read("a.txt")
    stream = await begin(walk)
    await feed(walk, stream, [PATCH])
    planned = await commit(walk, stream, validate_only=True)
    assert (planned["applied"], walk.text("a.txt")) == ("planned", "a\n")
    assert (await commit(walk, stream))["applied"] == "applied"
    assert walk.text("a.txt") == "A\n"


async def test_a_refusal_at_the_commit_leaves_the_stream_for_a_second_one(walk: Walk) -> None:
    walk.put("a.txt", "a\n")
    stream = await begin(walk)
    await feed(walk, stream, [PATCH])
    assert (await commit(walk, stream))["code"] == "FS_NOT_OBSERVED"
    await walk.read("a.txt")
    assert (await commit(walk, stream))["ok"]


async def test_an_early_refusal_stays_and_touches_nothing(walk: Walk) -> None:
    stream = await begin(walk)
    await feed(walk, stream, ["*** Begin Patch\n*** Add File: b.txt\n+b\n"])
    for text in ("no plus\n", "+c\n"):
        found = await walk.call("apply_patch/append", stream=stream, text=text)
        assert (found["code"], found["data"]["line"]) == ("FS_INVALID_PATCH", 4)
    assert (await commit(walk, stream))["code"] == "FS_INVALID_PATCH"
    assert walk.there() == {}


async def test_an_unfinished_patch_is_refused_at_the_commit(walk: Walk) -> None:
    stream = await begin(walk)
    await feed(walk, stream, ["*** Begin Patch\n*** Add File: b.txt\n+b\n"])
    assert (await commit(walk, stream))["code"] == "FS_INVALID_PATCH"


async def test_limits_hold(make_walk: MakeWalk) -> None:
    walk = make_walk({"limits": {"patch_bytes": 40}})
    stream = await begin(walk)
    found = await feed(walk, stream, ["*** Begin Patch\n", "x" * 40])
    assert (found["code"], found["data"]["limit"]) == ("FS_TOO_LARGE", 40)


async def test_another_session_has_no_part_in_it(walk: Walk) -> None:
    stream = await begin(walk)
    assert (await feed(walk, stream, ["x"], session="other"))["code"] == "INVALID_ARGUMENT"
    assert (await commit(walk, stream, session="other"))["code"] == "INVALID_ARGUMENT"
    assert (await feed(walk, stream, ["*** Begin Patch\n"], scope="sub"))["ok"]


@pytest.mark.parametrize(
    ("step", "arguments", "argument"),
    [
        ("append", {"text": "x"}, "stream"),
        ("append", {"stream": "s"}, "text"),
        ("append", {"stream": 1, "text": "x"}, "stream"),
        ("commit", {}, "stream"),
        ("commit", {"stream": "s", "validate_only": "yes"}, "validate_only"),
        ("begin", {"patch": "x"}, "patch"),
    ],
)
async def test_arguments_are_checked(walk: Walk, step: str, arguments: dict[str, Any], argument: str) -> None:
    found = await walk.call(f"apply_patch/{step}", **arguments)
    assert (found["code"], found["data"]["argument"]) == ("INVALID_ARGUMENT", argument)
