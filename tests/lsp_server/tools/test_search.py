"""``glob`` and ``grep`` over a whole service, with every search engine."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from editor_clients.search_engine import Hit, PythonEngine, Query, Ripgrep
from ledger.types import TargetKey
from lsp_server.service import CallContext
from lsp_server.tools import search
from tests.lsp_server.tools.conftest import MakeWalk, Walk

BESIDE = os.path.join(os.path.dirname(sys.executable), "rg")


@pytest.fixture(params=["ripgrep", "python"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "ripgrep" and not os.access(BESIDE, os.X_OK):
        pytest.skip("ripgrep is not installed beside this Python")
    found = Ripgrep(BESIDE) if request.param == "ripgrep" else PythonEngine()
    monkeypatch.setattr(search, "find_engine", lambda: found)


async def forever() -> list[list[Hit]]:
    never: asyncio.Future[list[list[Hit]]] = asyncio.get_running_loop().create_future()
    return await never


def aged(path: Path, seconds: int) -> None:
    os.utime(path, (seconds, seconds))


async def test_glob_newest_first_and_by_path_on_ties(walk: Walk) -> None:
    for name, seconds in (("a.py", 10), ("b.py", 30), ("sub/c.py", 10), ("sub/d.ts", 40), ("Z.py", 10)):
        aged(walk.put(name, ""), seconds)
    found = await walk.call("glob", pattern="*.py")
    assert found["paths"] == [str(walk.root / name) for name in ("b.py", "Z.py", "a.py", "sub/c.py")]
    assert (found["truncated"], found["total"]) == (False, 4)
    few = await walk.call("glob", pattern="**/*.py", limit=2)
    assert few == {"ok": True, "paths": found["paths"][:2], "truncated": True, "total": None}


async def test_glob_spells_paths_as_asked(walk: Walk) -> None:
    walk.put("real/a.py", "")
    (walk.root / "link").symlink_to("real")
    found = await walk.call("glob", pattern="*.py", path="link")
    assert found["paths"] == [str(walk.root / "link" / "a.py")]
    found = await walk.call("glob", pattern=str(walk.root / "real" / "*.py"))
    assert found["paths"] == [str(walk.root / "real" / "a.py")]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "gone"}, "FS_NOT_FOUND"),
        ({"path": "/"}, "FS_DENIED"),
        ({"path": "a.py"}, "INVALID_ARGUMENT"),
        ({"pattern": "[a"}, "INVALID_ARGUMENT"),
    ],
)
async def test_glob_refuses(walk: Walk, arguments: dict[str, Any], code: str) -> None:
    walk.put("a.py", "")
    found = await walk.call("glob", **({"pattern": "*"} | arguments))
    assert found["code"] == code


async def test_grep_in_path_order_with_context_and_no_line_twice(walk: Walk) -> None:
    walk.put("b/c.py", "x\n")
    walk.put("b.py", "1\n2 x\n3\n4 x\n5\n6\n7 x\n")
    found = await walk.call("grep", pattern="x", context=1)
    rows = [{**row, "file_path": row["file_path"].removeprefix(f"{walk.root}/")} for row in found["matches"]]
    assert rows == [
        {"file_path": "b.py", "line": 2, "text": "2 x", "before": ["1"], "after": ["3"]},
        {"file_path": "b.py", "line": 4, "text": "4 x", "after": ["5"]},
        {"file_path": "b.py", "line": 7, "text": "7 x", "before": ["6"]},
        {"file_path": "b/c.py", "line": 1, "text": "x"},
    ]
    assert found["truncated"] is False


async def test_grep_over_line_ends(walk: Walk) -> None:
    walk.put("a.py", "def f(\r\n    a,\r\n):\r\n    pass\r\n")
    found = await walk.call("grep", pattern=r"def f\((?s:.)*?\)", multiline=True)
    (row,) = found["matches"]
    assert (row["line"], row["end_line"], row["text"]) == (1, 3, "def f(\n    a,\n):")


@pytest.mark.parametrize(("limit", "count", "truncated"), [(1, 1, True), (3, 3, False), (2, 2, True)])
async def test_grep_stops_at_the_limit(walk: Walk, limit: int, count: int, truncated: bool) -> None:
    walk.put("a", "x\n")
    walk.put("b", "x\nx\n")
    found = await walk.call("grep", pattern="x", limit=limit)
    assert (len(found["matches"]), found["truncated"]) == (count, truncated)


async def test_grep_answers_within_the_characters_of_a_result(make_walk: MakeWalk) -> None:
    walk = make_walk({"read_chars": 1_000})
    walk.put("a", ("x" * 90 + "\n") * 50)
    found = await walk.call("grep", pattern="x")
    assert found["truncated"] is True
    assert 3 < len(found["matches"]) <= 1_000 // 90
    found = await walk.call("grep", pattern="x", multiline=True)
    assert (found["truncated"], len(found["matches"])) == (True, 1)
    assert len(found["matches"][0]["text"]) <= 1_000


async def test_lines_shown_count_as_shown_and_no_others(walk: Walk) -> None:
    for name in ("a.py", "b.py"):
        walk.put(name, "w\nq = 1\nw\n")
    await walk.call("grep", pattern="q")
    done = await walk.edit("a.py", "q = 1", "q = 2")
    assert (done["ok"], done["warnings"]) == (True, [])
    warned = await walk.edit("b.py", "q = 1\nw", "q = 1\nv")
    assert "not shown" in warned["warnings"][0]
    refused = await walk.write("a.py", "all\n")
    assert refused["code"] == "FS_PARTIALLY_OBSERVED"


async def test_a_line_that_is_cut_does_not_count(walk: Walk) -> None:
    walk.put("a.js", "short\n" + "é" * 3_000 + "needle" + "-" * 3_000 + "\n")
    found = await walk.call("grep", pattern="needle", context=1)
    (row,) = found["matches"]
    assert row["cut_lines"] == [2]
    assert len(row["text"]) == 1_000
    assert "needle" in row["text"]
    refused = await walk.call("edit", file_path="a.js", start_line=2, end_line=2, new_string="x")
    assert refused["data"]["reason"] == "not_read"
    done = await walk.call("edit", file_path="a.js", start_line=1, end_line=1, new_string="x")
    assert done["ok"] is True


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("grün\n".encode("utf-16"), "grün"),
        ("\ufeffgrün\n".encode(), "grün"),
        ("grün\n".encode("latin-1"), "grün"),
        (b"gr\xc3\xbcn\r\n", "grün"),
        ("x\rgrün\r".encode(), "grün"),
        ("grün".encode("utf-32"), "grün"),
    ],
)
async def test_texts_are_searched_as_the_person_sees_them(walk: Walk, content: bytes, text: str) -> None:
    walk.put("a.txt", content)
    found = await walk.call("grep", pattern=r"^\w{2}ün$")
    assert [row["text"] for row in found["matches"]] == [text]


async def test_binary_ignored_closed_and_linked_files_are_not_searched(make_walk: MakeWalk) -> None:
    walk = make_walk({"forbidden": ["secret"]})
    for name in ("a.bin", "ignored", "secret", ".git/x"):
        walk.put(name, "needle\0" if name == "a.bin" else "needle\n")
    walk.put(".gitignore", "ignored\n")
    walk.put(".hidden", "needle\n")
    (walk.root / "link").symlink_to(".hidden")
    found = await walk.call("grep", pattern="needle")
    assert [row["file_path"] for row in found["matches"]] == [str(walk.root / ".hidden")]
    assert (await walk.call("glob", pattern="secret"))["paths"] == []


async def test_one_file_is_searched_whatever_ignores_it(walk: Walk) -> None:
    walk.put(".gitignore", "*\n")
    walk.put("a.py", "x = 1\n")
    found = await walk.call("grep", pattern="x", path="a.py")
    assert [row["line"] for row in found["matches"]] == [1]
    walk.put("b.bin", "x\0")
    refused = await walk.call("grep", pattern="x", path="b.bin")
    assert refused["code"] == "FS_NOT_TEXT"


async def test_grep_glob_keeps_to_fitting_files(walk: Walk) -> None:
    for name in ("a.py", "b.ts", "sub/c.py"):
        walk.put(name, "x\n")
    for pattern, count in (("*.py", 2), ("!*.py", 1), ("sub/*", 1), ("*.{ts,py}", 3)):
        found = await walk.call("grep", pattern="x", glob=pattern)
        assert len(found["matches"]) == count


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"a\nb", "[z-a]", "a\0"])
async def test_grep_refuses_a_pattern_that_is_none(walk: Walk, pattern: str) -> None:
    found = await walk.call("grep", pattern=pattern)
    assert found["code"] == "INVALID_ARGUMENT"


async def test_a_cancelled_grep_answers_nothing_and_records_nothing(
    walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk.put("a", "x\n")
    walk.put("b", "x\n")
    at_work = asyncio.Event()

    class Slow(PythonEngine):
        async def lines(self, query: Query, texts: Sequence[str], most: int) -> list[list[Hit]]:
            at_work.set()
            return await forever()

    monkeypatch.setattr(search, "find_engine", Slow)
    context = CallContext(walk.caller("s"), "mcp", str(walk.root))
    work = asyncio.ensure_future(walk.app.call("grep", {"pattern": "x"}, context))
    await at_work.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert (await walk.edit("a", "x", "y"))["code"] == "FS_NOT_OBSERVED"


async def test_a_search_out_of_time_is_an_error(make_walk: MakeWalk, monkeypatch: pytest.MonkeyPatch) -> None:
    walk = make_walk({"limits": {"search_seconds": 1}})
    walk.put("a", "x\n")

    class Stuck(PythonEngine):
        async def lines(self, query: Query, texts: Sequence[str], most: int) -> list[list[Hit]]:
            return await forever()

    monkeypatch.setattr(search, "find_engine", Stuck)
    found = await walk.call("grep", pattern="x")
    assert (found["code"], found["data"]["limit_name"]) == ("FS_TIMEOUT", "search_seconds")


async def test_another_text_than_the_scope_knows_does_not_make_it_current(walk: Walk) -> None:
    walk.put("a", "x = 1\n")
    await walk.read("a")
    walk.put("a", "x = 2\n")
    await walk.call("grep", pattern="x")
    assert (await walk.edit("a", "x = 2", "x = 3"))["code"] == "FS_STALE_VERSION"


async def test_open_documents_are_searched_whether_or_not_the_disk_has_a_hit(
    walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which documents are open comes from the client; their text is its current text."""
    walk.put("a", "nothing\n")
    key = TargetKey(str(walk.root / "a"))
    asked: list[str] = []

    class Recording(PythonEngine):
        async def candidates(self, query: Query, paths: Sequence[str]) -> set[str]:
            asked.extend(paths)
            return set()

    monkeypatch.setattr(walk.app.workspace.client, "open_targets", lambda: frozenset({key}))
    monkeypatch.setattr(search, "find_engine", Recording)
    found = await walk.call("grep", pattern="noth")
    assert [row["line"] for row in found["matches"]] == [1]
    assert str(key) not in asked
