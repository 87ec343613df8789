"""What an edit's outcome and the diagnostics tool say, with sources that behave and that do not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from editor_clients.diagnostic import Diagnostic, Severity
from editor_clients.language_servers import LanguageServers
from editor_clients.port import Replacement
from editor_clients.server_process import Limits
from editor_clients.source_reports import Comparison, SourceReport
from lsp_server.effects.diagnostics import (
    EditDiagnostics,
    FileEdit,
    current_diagnostics,
    edit_diagnostics,
    sorted_out,
)
from tests.editor_clients.language_server_scripts import (
    Start,
    scripted,
    starting,
    until,
    within,
)

NOTHING = {"error": 0, "warning": 0, "information": 0, "hint": 0}


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    async with starting(tmp_path) as made:
        yield made


def edit(before: str, old: str, new: str, path: str = "/w/a.txt") -> FileEdit:
    at = before.index(old)
    replacement = Replacement(at, at + len(old), new)
    return FileEdit(path, before, before[:at] + new + before[at + len(old) :], [replacement])


def lines(items: tuple[Diagnostic, ...]) -> list[tuple[int, str | None]]:
    return [(item.line, item.code) for item in items]


def finding(path: str, line: int, severity: Severity = "error", message: str = "is wrong") -> Diagnostic:
    return Diagnostic(path, line, 1, line, 3, severity, "E1", "scripted", message)


def outcome(
    edits: list[FileEdit], before: dict[str, list[Diagnostic]], after: dict[str, list[Diagnostic]]
) -> EditDiagnostics:
    compared = Comparison(
        "scripted",
        {path: SourceReport("scripted", "fresh", tuple(items)) for path, items in before.items()},
        {path: SourceReport("scripted", "fresh", tuple(items)) for path, items in after.items()},
    )
    return sorted_out(edits, [compared], lambda _: ())


@pytest.mark.parametrize("script", [{}, {"pull": True}, {"versioned": False, "delay": 0.02}], ids=str)
async def test_an_edit_tells_what_is_new_resolved_and_remaining(
    start: Start, script: dict[str, object]
) -> None:
    servers = start(scripted(**script))
    change = edit("BAD\nMEH\nBAD\n", "MEH\n", "ok\nnow BAD\n")
    found = await edit_diagnostics(servers, [change], deadline=within(10))
    shared = {"file_path": "/w/a.txt", "source": "scripted"}
    error = {"severity": "error", "code": "E1", "message": "found E1"}
    warning = {"severity": "warning", "code": "7", "message": "found 7"}
    assert found.to_object() == {
        "new": [{**shared, **error, "line": 3, "column": 5, "end_line": 3, "end_column": 7}],
        "resolved": [{**shared, **warning, "line": 2, "column": 1, "end_line": 2, "end_column": 3}],
        "remaining": {**NOTHING, "error": 2},
        "state": "fresh",
        "source": ["scripted"],
    }
    repair = edit(change.after or "", "now BAD", "good")
    repaired = await edit_diagnostics(servers, [repair], deadline=within(10))
    assert (repaired.new, lines(repaired.resolved), repaired.state) == ((), [(3, "E1")], "fresh")
    assert repaired.remaining == {**NOTHING, "error": 2}


async def test_lines_that_move_are_no_news(start: Start) -> None:
    servers = start(scripted())
    change = edit("BAD\n" * 20, "BAD\n", "a\nb\nc\nBAD\n")
    found = await edit_diagnostics(servers, [change], deadline=within(10))
    assert (found.new, found.resolved, found.remaining["error"]) == ((), (), 20)


async def test_the_report_is_for_the_text_after_each_edit(start: Start) -> None:
    """A source that takes 300 ms and names versions, asked after two edits in a row."""
    servers = start(scripted(delay=0.3))
    first = await edit_diagnostics(servers, [edit("ok\n", "ok", "BAD")], deadline=within(10))
    second = await edit_diagnostics(servers, [edit("BAD\n", "BAD", "ok")], deadline=within(10))
    assert (lines(first.new), first.state) == ([(1, "E1")], "fresh")
    assert (second.new, lines(second.resolved), second.state) == ((), [(1, "E1")], "fresh")
    pending = await edit_diagnostics(servers, [edit("ok\n", "ok", "BAD")], deadline=within(0.05))
    assert (pending.new, pending.resolved, pending.state) == ((), (), "none")
    assert pending.warnings == ("scripted has not answered yet.",)


async def test_an_error_that_comes_back_is_new(start: Start) -> None:
    servers = start(scripted())
    for before, after, expected in (("BAD\n", "ok\n", 0), ("ok\n", "BAD\n", 1)):
        found = await edit_diagnostics(servers, [edit(before, before, after)], deadline=within(10))
        assert len(found.new) == expected


async def test_without_a_baseline_nothing_is_called_new(start: Start) -> None:
    """The source crashes on the text before, and is there again for the text after."""
    servers = start(scripted(crash_on="DIE"))
    found = await edit_diagnostics(servers, [edit("DIE BAD\n", "DIE", "MEH")], deadline=within(10))
    assert (found.new, found.resolved, found.state) == ((), (), "partial")
    assert found.remaining == {**NOTHING, "error": 1, "warning": 1}
    assert (
        "scripted had no report about the text before; what it finds is counted as remaining."
        in found.warnings
    )


async def test_a_source_at_work_is_partial_until_its_work_ends(start: Start) -> None:
    servers = start(scripted(work=0.5))
    await edit_diagnostics(servers, [edit("ok\n", "ok", "fine")], deadline=within(10))
    early = await edit_diagnostics(servers, [edit("fine\n", "fine", "BAD")], deadline=within(0.2))
    assert (early.new, early.resolved, early.state) == ((), (), "partial")
    settled = await edit_diagnostics(servers, [edit("fine\n", "fine", "BAD BAD")], deadline=within(10))
    assert (len(settled.new), settled.state) == (2, "fresh")


@pytest.mark.parametrize(
    "script", [{"crash_at_start": True}, {"hang_at_start": True}, {"refuse_start": True}], ids=str
)
async def test_a_server_that_does_not_start_says_so_once_and_then_is_quiet(
    start: Start, tmp_path: Path, script: dict[str, object]
) -> None:
    servers = start(scripted(**script), limits=Limits(start=0.3, first_wait=60.0))
    outcomes = [
        await edit_diagnostics(servers, [edit(f"{number}\n", "\n", "!\n")], deadline=within(5))
        for number in range(3)
    ]
    assert [found.state for found in outcomes] == ["none"] * 3
    assert [len(found.warnings) for found in outcomes] == [1, 0, 0]


async def test_a_program_that_is_not_there_is_no_source(start: Start, tmp_path: Path) -> None:
    servers = LanguageServers(str(tmp_path), [scripted()], finder=lambda name, root: None)
    found = await edit_diagnostics(servers, [edit("ok\n", "ok", "BAD")], deadline=within(5))
    assert (found.state, found.sources, found.warnings) == ("none", (), ())
    await servers.close()


async def test_an_edit_that_is_only_tried_leaves_no_trace(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "log"
    servers = start(scripted(log=str(log)))
    change = edit("ok\n", "ok", "BAD")
    tried = await edit_diagnostics(servers, [change], deadline=within(10), happened=False)
    assert lines(tried.new) == [(1, "E1")]
    now = await current_diagnostics(servers, {"/w/a.txt": "ok\n"}, deadline=within(10))
    assert (now.items, now.state) == ((), "fresh")


async def test_a_moved_file_keeps_its_problems(start: Start) -> None:
    servers = start(scripted())
    await current_diagnostics(servers, {"/w/old.txt": "BAD\n"}, deadline=within(10))
    move = FileEdit("/w/new.txt", "BAD\n", "\nBAD\n", [Replacement(0, 0, "\n")], from_path="/w/old.txt")
    found = await edit_diagnostics(servers, [move], deadline=within(10))
    assert (found.new, found.resolved, found.remaining["error"], found.state) == ((), (), 1, "fresh")


@pytest.mark.parametrize(
    ("before", "after", "new", "resolved"), [(None, "BAD\n", 1, 0), ("BAD\n", None, 0, 1)]
)
async def test_files_that_come_and_go(
    start: Start, before: str | None, after: str | None, new: int, resolved: int
) -> None:
    servers = start(scripted())
    found = await edit_diagnostics(servers, [FileEdit("/w/a.txt", before, after)], deadline=within(10))
    assert (len(found.new), len(found.resolved), found.state) == (new, resolved, "fresh")


async def test_other_files_that_break_come_after_the_edited_one(start: Start) -> None:
    servers = start(scripted(pull=True, across_files=True))
    await current_diagnostics(servers, {"/w/1.txt": "ok\n", "/w/2.txt": "ok\n"}, deadline=within(10))
    found = await edit_diagnostics(servers, [edit("ok\n", "ok", "BAD", "/w/z.txt")], deadline=within(10))
    assert [item.file_path for item in found.new] == ["/w/z.txt", "/w/1.txt", "/w/2.txt"]
    assert found.state == "fresh"


def test_a_flood_is_bounded_and_counted() -> None:
    """250 errors, one of them new, 900 new warnings, and 40 other files with an error each."""
    path = "/w/a.txt"
    old = [finding(path, line) for line in range(1, 250)]
    warnings = [finding(path, line, "warning") for line in range(1, 901)]
    others = {f"/w/other{number:02}.txt": [finding(f"/w/other{number:02}.txt", 1)] for number in range(40)}
    found = outcome(
        [FileEdit(path, "x\n", "y\n")],
        {path: old, **{other: [] for other in others}},
        {path: [*warnings, *old, finding(path, 999)], **others},
    )
    assert (found.new[0].line, found.new[0].severity, found.new[0].file_path) == (999, "error", path)
    assert len(found.new) == 10
    assert len({item.file_path for item in found.new}) <= 6
    assert found.remaining == {**NOTHING, "error": 249}
    assert found.warnings == (
        "35 errors, 896 warnings more are new and not listed; the diagnostics tool shows them.",
        "40 other files have new problems; 5 are named.",
    )
    assert len(json.dumps(found.to_object())) < 4_000


def test_resolved_ones_are_bounded_and_messages_cut() -> None:
    path = "/w/a.txt"
    long = [finding(path, line, message="very " * 200 + "wrong") for line in range(1, 9)]
    found = outcome([FileEdit(path, "x\n", "y\n")], {path: long}, {path: []})
    assert len(found.resolved) == 5
    assert found.warnings == ("3 errors more are resolved and not listed.",)
    assert all(len(str(row["message"])) == 300 for row in found.to_object()["resolved"])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("severity", "expected"), [(None, ["E1", "7"]), ("warning", ["E1", "7"]), ("error", ["E1"])]
)
async def test_the_tool_lists_what_holds_now(
    start: Start, severity: Severity | None, expected: list[str]
) -> None:
    servers = start(scripted())
    texts = {"/w/a.txt": "MEH\n", "/w/b.txt": "BAD\n", "/w/notes.unknown": "BAD\n"}
    found = await current_diagnostics(servers, texts, severity=severity, deadline=within(10))
    assert [item.code for item in found.items] == expected
    assert (found.state, found.sources) == ("fresh", ("scripted",))
    assert found.to_object()["items"] == [item.to_object() for item in found.items]


async def test_the_tool_adds_what_is_said_about_other_files(start: Start) -> None:
    servers = start(scripted(elsewhere="file:///w/b.txt"))
    await current_diagnostics(servers, {"/w/a.txt": "ok\n"}, deadline=within(10))
    await until(lambda: bool(servers.elsewhere()))
    found = await current_diagnostics(servers, {"/w/a.txt": "ok\n"}, elsewhere=True, deadline=within(10))
    assert [(item.file_path, item.code) for item in found.items] == [("/w/b.txt", "E2")]


async def test_the_tool_is_honest_about_silence(start: Start) -> None:
    mute = start(scripted(silent=True))
    found = await current_diagnostics(mute, {"/w/a.txt": "BAD\n"}, deadline=within(0.2))
    assert (found.items, found.state, found.sources) == ((), "none", ())
    assert found.warnings
    nothing = await current_diagnostics(mute, {}, deadline=within(0.2))
    assert (nothing.items, nothing.state) == ((), "none")


async def test_the_tool_bounds_its_list(start: Start) -> None:
    servers = start(scripted(flood=10_000))
    found = await current_diagnostics(servers, {"/w/a.txt": "BAD\n"}, deadline=within(20))
    assert (found.items[0].severity, len(found.items), found.truncated) == ("error", 50, True)
    assert found.warnings == ("9951 warnings more are not listed; ask for one file or a severity.",)
