"""What the language servers' front keeps to when servers are late, silent, wild or dead."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from editor_clients.language_servers import LanguageServers
from editor_clients.language_specs import ServerSpec
from editor_clients.server_process import Limits
from editor_clients.source_reports import Report, TextChange
from tests.editor_clients.language_server_scripts import (
    QUICK,
    Start,
    scripted,
    starting,
    until,
    within,
)


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    async with starting(tmp_path) as made:
        yield made


def codes(report: Report) -> list[str | None]:
    return [item.code for item in report.items]


async def logged(log: Path, method: str, *, times: int = 1) -> list[dict[str, object]]:
    """What a scripted server has received, as soon as ``method`` is there so often."""

    def rows() -> list[dict[str, object]]:
        return _rows(log) if log.exists() else []

    await until(lambda: sum(row["method"] == method for row in rows()) >= times)
    return rows()


async def logged_text(log: Path, text: str) -> None:
    """Return once a scripted server was shown ``text``."""
    await until(lambda: log.exists() and any(row["detail"] == text for row in _rows(log)))


def _rows(log: Path) -> list[dict[str, object]]:
    complete = log.read_text().rpartition("\n")[0].split("\n")
    return [json.loads(line) for line in complete if line]


def is_alive(pid: int) -> bool:
    """Whether a process runs (one that waits to be reaped does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def pid_of(servers: LanguageServers, number: int = 0) -> int:
    pid = servers.describe()[number]["pid"]
    assert isinstance(pid, int)
    return pid


@pytest.mark.parametrize(
    "script",
    [
        {},
        {"delay": 0.05},
        {"pull": True},
        {"pull": True, "delay": 0.05},
        {"versioned": False},
        {"versioned": False, "delay": 0.05},
        {"start_delay": 0.2},
        {"stderr": 2_000_000},
        {"encoding": "utf-8"},
        {"encoding": "utf-32"},
    ],
    ids=str,
)
async def test_each_report_is_about_the_text_shown_last(start: Start, script: dict[str, object]) -> None:
    servers = start(scripted(**script))
    for text, expected in (("ok\n", []), ("BAD\n", ["E1"]), ("ok\n", []), ("😀 BAD MEH\n", ["E1", "7"])):
        report = await servers.diagnostics("/w/a.txt", text, deadline=within(10))
        assert (report.state, report.sources, report.silent) == ("fresh", ("scripted",), ())
        assert codes(report) == expected
    first = report.items[0]
    assert (first.line, first.column, first.end_line, first.end_column) == (1, 3, 1, 5)
    assert (first.severity, first.source) == ("error", "scripted")


async def test_the_same_text_again_is_answered_from_what_is_known(start: Start, tmp_path: Path) -> None:
    servers = start(scripted(log=str(tmp_path / "log")))
    once = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert servers.known("/w/a.txt", "BAD\n") == once
    assert await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(0)) == once
    assert servers.known("/w/a.txt", "BAD \n").state == "none"
    rows = await logged(tmp_path / "log", "textDocument/didOpen")
    assert [row["method"] for row in rows] == ["initialize", "initialized", "textDocument/didOpen"]


async def test_a_silent_source_is_named_and_the_others_count(start: Start) -> None:
    servers = start(scripted("talks"), scripted("mute", silent=True))
    servers.warm("/w/a.txt", "BAD\n", patience=0.1)
    await until(lambda: servers.known("/w/a.txt", "BAD\n").sources == ("talks",))
    await until(lambda: all(one["running"] for one in servers.describe()))
    report = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(0.3))
    assert (report.state, report.sources, report.silent) == ("partial", ("talks",), ("mute",))
    assert codes(report) == ["E1"]
    assert report.notes == ("mute has not answered yet.",)


async def test_no_data_is_not_no_problems(start: Start) -> None:
    servers = start(scripted(silent=True))
    report = await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(0.3))
    assert (report.state, report.sources, report.items) == ("none", (), ())
    nobody = await servers.diagnostics("/w/a.unknown", "ok\n", deadline=within(0.3))
    assert (nobody.state, nobody.sources, nobody.silent) == ("none", (), ())


async def test_a_late_report_is_known_afterwards_and_told(tmp_path: Path) -> None:
    told: list[str] = []
    spec = scripted(delay=0.4)
    servers = LanguageServers(
        str(tmp_path), [spec], limits=QUICK, finder=lambda name, _: name, changed=told.append
    )
    try:
        await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
        report = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(0.05))
        assert (report.state, codes(report)) == ("none", [])
        await until(lambda: bool(told))
        assert told == ["/w/a.txt"]
        assert codes(servers.known("/w/a.txt", "BAD\n")) == ["E1"]
    finally:
        await servers.close()


async def test_a_report_about_the_text_before_is_not_taken_for_the_new_one(start: Start) -> None:
    servers = start(scripted(versioned=False, delay=0.25))
    for text in ("ok\n", "ok ok\n"):
        await servers.diagnostics("/w/a.txt", text, deadline=within(10))
    await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(0.15))
    report = await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    assert (report.state, codes(report)) == ("fresh", [])


async def test_an_unversioned_first_guess_is_outwaited(start: Start) -> None:
    servers = start(scripted(versioned=False, delay=0.02, repeat_after=0.2))
    report = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert (report.state, codes(report)) == ("fresh", ["E1"])


async def test_reports_during_announced_work_are_provisional(start: Start) -> None:
    servers = start(scripted(work=0.6))
    early = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(0.4))
    assert (early.state, early.items, early.silent) in (
        ("partial", (), ("scripted",)),  # it had started and said something
        ("none", (), ("scripted",)),
    )
    settled = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert (settled.state, codes(settled)) == ("fresh", ["E1"])


async def test_ten_thousand_diagnostics_are_borne(start: Start) -> None:
    servers = start(scripted(flood=10_000))
    report = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(20))
    assert (report.state, len(report.items)) == ("fresh", 10_001)
    assert report.items[0].code == "E1"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ({"crash_at_start": True}, "scripted ended when it was started: no such module"),
        ({"refuse_start": True}, "scripted refused to start: No licence."),
        ({"hang_at_start": True}, "scripted did not answer when it was started."),
    ],
)
async def test_a_server_that_does_not_start_is_said_once(
    start: Start, script: dict[str, object], said: str
) -> None:
    servers = start(scripted(**script), limits=Limits(start=0.5, first_wait=60.0))
    first = await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    second = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert (first.state, first.silent, first.notes) == ("none", ("scripted",), (said,))
    assert (second.state, second.silent, second.notes) == ("none", ("scripted",), ())


async def test_a_program_that_cannot_be_run_is_a_silent_source(start: Start, tmp_path: Path) -> None:
    servers = start(ServerSpec("gone", (str(tmp_path / "nothing"),), {".txt": "plaintext"}))
    report = await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    assert (report.state, report.notes) == ("none", ("gone cannot be started: No such file or directory.",))


async def test_a_server_that_always_crashes_is_left_alone_after_some_tries(
    start: Start, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    servers = start(scripted(crash_on="DIE", log=str(log)), limits=Limits(first_wait=0.0, failures=3))
    notes: list[str] = []
    for number in range(6):
        report = await servers.diagnostics("/w/a.txt", f"DIE {number}\n", deadline=within(10))
        assert report.state == "none"
        notes += report.notes
    assert log.read_text().count('"initialize"') == 3
    assert notes == [
        "scripted ended unexpectedly: it was too much",
        "scripted ended unexpectedly: it was too much It is not started again.",
    ]


async def test_a_crash_on_one_text_is_followed_by_a_fresh_start(start: Start) -> None:
    servers = start(scripted(crash_on="DIE"))
    assert (await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))).state == "fresh"
    crashed = await servers.diagnostics("/w/a.txt", "DIE\n", deadline=within(10))
    assert (crashed.state, crashed.silent) == ("none", ("scripted",))
    again = await servers.diagnostics("/w/a.txt", "BAD BAD\n", deadline=within(10))
    assert (again.state, codes(again)) == ("fresh", ["E1", "E1"])


async def test_after_a_failure_the_next_start_waits(start: Start) -> None:
    servers = start(scripted(crash_on="DIE"), limits=Limits(first_wait=60.0))
    await servers.diagnostics("/w/a.txt", "DIE\n", deadline=within(10))
    report = await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    assert (report.state, servers.describe()[0]["running"]) == ("none", False)


async def test_an_idle_server_is_stopped_and_starts_again_when_asked(start: Start) -> None:
    servers = start(scripted(), limits=Limits(idle=0.1))
    await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    pid = pid_of(servers)
    await until(lambda: not is_alive(pid))
    assert servers.describe() == [{"name": "scripted", "running": False, "documents": 0}]
    report = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert (report.state, codes(report)) == ("fresh", ["E1"])


async def test_documents_used_longest_ago_are_closed(start: Start, tmp_path: Path) -> None:
    servers = start(scripted(log=str(tmp_path / "log")), limits=Limits(documents=2))
    for name in ("a", "b", "a", "c"):
        await servers.diagnostics(f"/w/{name}.txt", "ok\n", deadline=within(10))
    assert servers.describe()[0]["documents"] == 2
    assert servers.known("/w/b.txt", "ok\n").state == "none"
    assert servers.known("/w/a.txt", "ok\n").state == "fresh"
    rows = await logged(tmp_path / "log", "textDocument/didClose")
    assert [row["uri"] for row in rows if row["method"] == "textDocument/didClose"] == ["file:///w/b.txt"]


async def test_a_text_over_the_limit_is_not_shown(start: Start) -> None:
    servers = start(scripted(), limits=Limits(document_characters=10))
    report = await servers.diagnostics("/w/a.txt", "x" * 11, deadline=within(10))
    assert (report.state, report.notes) == ("none", ("The text is too long for scripted.",))


@pytest.mark.parametrize("stubborn", [False, True])
async def test_closing_ends_the_server_and_its_children(start: Start, tmp_path: Path, stubborn: bool) -> None:
    noted = tmp_path / "child"
    servers = start(scripted(child=str(noted), ignore_exit=stubborn), limits=Limits(grace=0.2))
    await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    pids = [pid_of(servers), int(noted.read_text())]
    assert all(map(is_alive, pids))
    await servers.close()
    await until(lambda: not any(map(is_alive, pids)))
    after = await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(1))
    assert (after.state, after.sources) == ("none", ())


async def test_closing_while_a_server_starts_ends_it(start: Start, tmp_path: Path) -> None:
    noted = tmp_path / "child"
    servers = start(scripted(child=str(noted), hang_at_start=True))
    asking = asyncio.create_task(servers.diagnostics("/w/a.txt", "ok\n", deadline=within(60)))
    await until(lambda: noted.exists() and bool(noted.read_text()))
    await servers.close()
    assert (await asking).state == "none"
    await until(lambda: not is_alive(int(noted.read_text())))


def test_no_server_outlives_us(tmp_path: Path) -> None:
    """Our process is killed; a server that ignores the end of its input dies all the same."""
    program = textwrap.dedent("""
        import asyncio, sys
        from pathlib import Path
        from tests.editor_clients.language_server_scripts import scripted, servers_of, within

        async def main():
            servers = servers_of(scripted(ignore_exit=True), root=Path(sys.argv[1]))
            await servers.diagnostics("/w/a.txt", "ok", deadline=within(20))
            print(servers.describe()[0]["pid"], flush=True)
            await asyncio.Event().wait()

        asyncio.run(main())
    """)
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as ours:
        assert ours.stdout is not None
        pid = int(ours.stdout.readline())
        assert is_alive(pid)
        ours.kill()
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, 0)
    asyncio.run(until(lambda: not is_alive(pid)))


async def test_a_cancelled_question_leaves_everything_usable(start: Start) -> None:
    servers = start(scripted(delay=0.1))
    for _ in range(5):
        asking = asyncio.create_task(servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10)))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    report = await servers.diagnostics("/w/a.txt", "BAD BAD\n", deadline=within(10))
    assert (report.state, codes(report)) == ("fresh", ["E1", "E1"])


async def test_parallel_questions_each_get_their_own_answer(start: Start) -> None:
    servers = start(scripted(delay=0.02))
    texts = {f"/w/{number % 3}.txt {number}": "BAD " * number for number in range(1, 13)}
    reports = await asyncio.gather(
        *(servers.diagnostics(name.split()[0], text, deadline=within(20)) for name, text in texts.items())
    )
    assert [len(report.items) for report in reports] == list(range(1, 13))
    assert len(servers.describe()) == 1


async def test_a_server_killed_between_two_questions_is_started_again(start: Start) -> None:
    servers = start(scripted())
    await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    os.kill(pid_of(servers), signal.SIGKILL)
    await until(lambda: servers.describe()[0]["running"] is False)
    report = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert (report.state, codes(report)) == ("fresh", ["E1"])


async def test_a_trial_leaves_the_server_with_the_texts_that_it_had(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "log"
    servers = start(scripted(log=str(log)))
    await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    changes = [
        TextChange("/w/a.txt", "ok\n", "BAD\n"),
        TextChange("/w/new.txt", None, "BAD BAD\n"),
        TextChange("/w/gone.txt", "BAD\n", None),
        TextChange("/w/to.txt", "ok\n", "BAD\n", from_path="/w/from.txt"),
    ]
    (tried,) = await servers.compare(changes, deadline=within(10), keep=False)
    assert {path: len(report.items) for path, report in tried.after.items()} == {
        "/w/a.txt": 1,
        "/w/new.txt": 2,
        "/w/gone.txt": 0,
        "/w/to.txt": 1,
    }
    again = await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    assert (again.state, codes(again)) == ("fresh", [])
    for path, text in (("/w/gone.txt", "BAD\n"), ("/w/from.txt", "ok\n")):
        assert servers.known(path, text).state != "none" or await servers.diagnostics(
            path, text, deadline=within(10)
        )
    rows = await logged(log, "textDocument/didClose", times=4)
    closed = [str(row["uri"]) for row in rows if row["method"] == "textDocument/didClose"]
    assert sorted(closed[-2:]) == ["file:///w/new.txt", "file:///w/to.txt"]
    assert not [row for row in rows if row["method"] == "workspace/didChangeWatchedFiles"]


async def test_a_trial_gives_way_to_a_real_question_and_is_tried_again(start: Start, tmp_path: Path) -> None:
    """What is really there is never looked at beside a text that is only tried."""
    log = tmp_path / "log"
    servers = start(scripted(pull=True, across_files=True, delay=0.05, log=str(log)))
    await servers.diagnostics("/w/user.txt", "ok\n", deadline=within(10))
    change = TextChange("/w/a.txt", "ok\n", "BAD\n")
    trial = asyncio.create_task(servers.compare([change], deadline=within(10), keep=False))
    await logged_text(log, "BAD\n")
    user = await servers.diagnostics("/w/user.txt", "ok \n", deadline=within(10))
    assert (user.state, codes(user)) == ("fresh", [])
    (tried,) = await trial
    assert [item.code for item in tried.after["/w/a.txt"].items] == ["E1"]


async def test_a_trial_beside_a_server_that_never_rests_is_silent(start: Start) -> None:
    servers = start(scripted(delay=0.3))
    await servers.diagnostics("/w/b.txt", "ok\n", deadline=within(10))
    question = asyncio.create_task(servers.diagnostics("/w/b.txt", "ok \n", deadline=within(10)))
    await until(lambda: servers.known("/w/b.txt", "ok \n").state == "none")
    await asyncio.sleep(0)
    change = TextChange("/w/a.txt", "ok\n", "BAD\n")
    (tried,) = await servers.compare([change], deadline=within(0.05), keep=False)
    assert tried.after["/w/a.txt"].status == "silent"
    assert "busy" in str(tried.after["/w/a.txt"].reason)
    assert (await question).state == "fresh"


async def test_a_cancelled_trial_puts_everything_back(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "log"
    servers = start(scripted(delay=0.2, log=str(log)))
    await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    change = TextChange("/w/a.txt", "ok\n", "BAD\n")
    trial = asyncio.create_task(servers.compare([change], deadline=within(10), keep=False))
    await logged_text(log, "BAD\n")
    trial.cancel()
    with suppress(asyncio.CancelledError):
        await trial
    assert codes(await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))) == []


async def test_text_reaches_the_server_before_the_event_about_it(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "log"
    servers = start(scripted(log=str(log)))
    await servers.diagnostics("/w/a.txt", "a\n", deadline=within(10))
    servers.files_changed([("/w/a.txt", "changed", "BAD\n"), ("/w/b.txt", "created", "b\n")])
    report = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert codes(report) == ["E1"]
    rows = await logged(log, "workspace/didChangeWatchedFiles")
    assert [(row["method"], row["detail"]) for row in rows[3:]] == [
        ("textDocument/didChange", "BAD\n"),
        (
            "workspace/didChangeWatchedFiles",
            [{"uri": "file:///w/a.txt", "type": 2}, {"uri": "file:///w/b.txt", "type": 1}],
        ),
    ]


async def test_a_comparison_knows_what_was_there_before(start: Start) -> None:
    servers = start(scripted())
    change = TextChange("/w/a.txt", "BAD\n", "BAD BAD\n")
    (compared,) = await servers.compare([change], deadline=within(10))
    assert len(compared.before["/w/a.txt"].items) == 1
    assert len(compared.after["/w/a.txt"].items) == 2
    assert (compared.before["/w/a.txt"].status, compared.after["/w/a.txt"].status) == ("fresh", "fresh")


@pytest.mark.parametrize("keep", [True, False])
async def test_a_comparison_sees_other_files_that_the_change_breaks(start: Start, keep: bool) -> None:
    servers = start(scripted(pull=True, across_files=True))
    await servers.diagnostics("/w/user.txt", "ok\n", deadline=within(10))
    change = TextChange("/w/a.txt", "ok\n", "BAD\n")
    (compared,) = await servers.compare([change], deadline=within(10), keep=keep)
    assert compared.before["/w/user.txt"].items == ()
    assert [item.code for item in compared.after["/w/user.txt"].items] == ["ELSEWHERE"]
    user = await servers.diagnostics("/w/user.txt", "ok\n", deadline=within(10))
    assert codes(user) == (["ELSEWHERE"] if keep else [])


async def test_files_of_one_change_are_looked_at_together(start: Start) -> None:
    """No file is looked at while only half of the change is there."""
    servers = start(scripted(pull=True, across_files=True))
    changes = [TextChange("/w/a.txt", "BAD\n", "ok\n"), TextChange("/w/b.txt", "ok\n", "BAD BAD\n")]
    (compared,) = await servers.compare(changes, deadline=within(10))
    assert [item.code for item in compared.after["/w/a.txt"].items] == ["ELSEWHERE", "ELSEWHERE"]
    assert [item.code for item in compared.after["/w/b.txt"].items] == ["E1", "E1"]


@pytest.mark.parametrize(("before", "after"), [(None, "BAD\n"), ("BAD\n", None)])
async def test_a_file_that_is_not_there_has_no_diagnostics(
    start: Start, tmp_path: Path, before: str | None, after: str | None
) -> None:
    log = tmp_path / "log"
    servers = start(scripted(log=str(log)))
    await servers.diagnostics("/w/other.txt", "ok\n", deadline=within(10))
    (compared,) = await servers.compare([TextChange("/w/a.txt", before, after)], deadline=within(10))
    assert len(compared.before["/w/a.txt"].items) == (before is not None)
    assert len(compared.after["/w/a.txt"].items) == (after is not None)
    rows = await logged(log, "workspace/didChangeWatchedFiles")
    events = [row["detail"] for row in rows if row["method"] == "workspace/didChangeWatchedFiles"]
    assert events == [[{"uri": "file:///w/a.txt", "type": 1 if before is None else 3}]]


async def test_a_baseline_that_does_not_come_is_not_a_clean_one(start: Start) -> None:
    servers = start(scripted(delay=0.5))
    await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    change = TextChange("/w/a.txt", "BAD\n", "BAD BAD\n")
    (compared,) = await servers.compare([change], deadline=within(0.2))
    assert (compared.before["/w/a.txt"].status, compared.after["/w/a.txt"].status) == ("silent", "silent")


async def test_findings_in_files_that_were_not_shown_are_kept(start: Start) -> None:
    servers = start(scripted(elsewhere="file:///w/un%20opened.txt"))
    await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    await until(lambda: bool(servers.elsewhere()))
    assert [(item.file_path, item.code) for item in servers.elsewhere()] == [("/w/un opened.txt", "E2")]
    assert servers.elsewhere(beside=["/w/un opened.txt"]) == []


async def test_a_server_that_starts_late_hears_what_was_asked_meanwhile(start: Start) -> None:
    servers = start(scripted(start_delay=0.3))
    report = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(0.05))
    assert (report.state, report.notes) == ("none", ("scripted is still starting.",))
    await until(lambda: servers.known("/w/a.txt", "BAD\n").state == "fresh")


async def test_warming_starts_a_server_before_the_first_question(start: Start) -> None:
    servers = start(scripted())
    servers.warm("/w/a.txt", "BAD\n")
    await until(lambda: servers.known("/w/a.txt", "BAD\n").state == "fresh")


async def test_a_server_that_uses_too_much_memory_is_ended_and_started_afresh(start: Start) -> None:
    servers = start(scripted(), limits=Limits(memory=1, look=0.05, first_wait=0.0))
    await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    await until(lambda: servers.describe()[0]["running"] is False)
    assert servers.describe()[0]["failure"] == "scripted used more than 0 MiB and was ended."
    again = await servers.diagnostics("/w/a.txt", "BAD BAD\n", deadline=within(10))
    assert (again.state, codes(again)) == ("fresh", ["E1", "E1"])


@pytest.mark.parametrize("pull", [False, True])
async def test_a_server_that_hangs_is_ended_and_shown_the_present_texts_again(
    start: Start, tmp_path: Path, pull: bool
) -> None:
    """It stops reading while twenty texts of 100 kB come; nobody waits for longer than they want to."""
    log = tmp_path / "log"
    servers = start(
        scripted(stuck_on="STUCK", log=str(log), pull=pull),
        limits=Limits(stall=0.5, look=0.05, first_wait=0.0),
    )
    await servers.diagnostics("/w/other.txt", "BAD\n", deadline=within(10))
    pid = pid_of(servers)
    for number in range(20):
        text = f"STUCK {number}\n" + "x" * 100_000
        report = await servers.diagnostics("/w/a.txt", text, deadline=within(0.01))
        assert report.state == "none"
    await until(lambda: not is_alive(pid))
    assert servers.describe()[0]["failure"] == "scripted did not react for 0.5 s and was ended."
    now = await servers.diagnostics("/w/a.txt", "BAD 20\n", deadline=within(10))
    assert (now.state, codes(now)) == ("fresh", ["E1"])
    rows = await logged(log, "textDocument/didOpen", times=4)
    opened = [row for row in rows if row["method"] == "textDocument/didOpen"][-2:]
    shown = {str(row["uri"]): row["detail"] for row in opened}
    assert shown == {"file:///w/other.txt": "BAD\n", "file:///w/a.txt": "BAD 20\n"}


async def test_a_server_hears_of_the_files_on_disk_that_it_asked_for(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "log"
    servers = start(scripted(log=str(log), watch="**/*.txt"))
    await servers.diagnostics("/w/other.txt", "ok\n", deadline=within(10))
    changes = [TextChange(str(tmp_path / "a.txt"), "ok\n", "BAD\n"), TextChange("/else/b.txt", "a\n", "b\n")]
    await servers.compare(changes, deadline=within(10))
    rows = await logged(log, "workspace/didChangeWatchedFiles")
    events = [row["detail"] for row in rows if row["method"] == "workspace/didChangeWatchedFiles"]
    assert events == [[{"uri": (tmp_path / "a.txt").as_uri(), "type": 2}]]


async def test_what_moved_on_disk_is_known_before_the_next_answer(tmp_path: Path) -> None:
    """A file that the server has open, and that somebody else writes."""
    path = tmp_path / "a.txt"
    servers = LanguageServers(
        str(tmp_path),
        [scripted(pull=True, across_files=True)],
        limits=QUICK,
        finder=lambda name, _: name,
        read_text=lambda name: Path(name).read_text() if Path(name).exists() else None,
    )
    try:
        await servers.diagnostics(str(path), "ok\n", deadline=within(10))
        path.write_text("BAD\n")
        servers.touched([str(path)])
        other = await servers.diagnostics(str(tmp_path / "b.txt"), "ok\n", deadline=within(10))
        assert codes(other) == ["ELSEWHERE"]
        path.unlink()
        servers.touched([str(path)])
        gone = await servers.diagnostics(str(tmp_path / "b.txt"), "ok \n", deadline=within(10))
        assert (gone.state, codes(gone)) == ("fresh", [])
    finally:
        await servers.close()


async def test_a_server_that_asks_for_it_hears_of_saves_but_not_of_trials(
    start: Start, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    servers = start(scripted(saves=True, log=str(log)))
    await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    await servers.compare([TextChange("/w/a.txt", "ok\n", "BAD\n")], deadline=within(10), keep=False)
    await servers.compare([TextChange("/w/a.txt", "ok\n", "MEH\n")], deadline=within(10))
    rows = await logged(log, "textDocument/didSave", times=2)
    told = [
        row["detail"] for row in rows if row["method"] in ("textDocument/didChange", "textDocument/didSave")
    ]
    assert told == ["BAD\n", "ok\n", "ok\n", "MEH\n", "MEH\n"]


async def test_the_first_quick_fix_is_known(start: Start) -> None:
    servers = start(scripted(fixes=True))
    text = "ok\nMEH BAD\n"
    report = await servers.diagnostics("/w/a.txt", text, deadline=within(10))
    titles = await servers.fixes("/w/a.txt", text, report.items, deadline=within(10))
    assert {item.code: title for item, title in titles.items()} == {"E1": "Replace it at 2:5"}
    assert await servers.fixes("/w/a.txt", "another\n", report.items, deadline=within(10)) == {}


@pytest.mark.parametrize("script", [{}, {"fixes": True, "fix_delay": 30}], ids=str)
async def test_a_quick_fix_that_does_not_come_is_left_out(start: Start, script: dict[str, object]) -> None:
    servers = start(scripted(**script))
    report = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert await servers.fixes("/w/a.txt", "BAD\n", report.items, deadline=within(0.05)) == {}


async def test_each_folder_has_a_server_of_its_own(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    servers = LanguageServers(
        [str(tmp_path), str(inner)], [scripted()], limits=QUICK, finder=lambda name, _: name
    )
    try:
        for path in (tmp_path / "a.txt", inner / "b.txt", Path("/elsewhere/c.txt")):
            report = await servers.diagnostics(str(path), "BAD\n", deadline=within(10))
            assert (report.state, codes(report)) == ("fresh", ["E1"])
        documents = {str(one["folder"]): one["documents"] for one in servers.describe()}
        assert documents == {str(tmp_path): 2, str(inner): 1}
        move = TextChange(str(inner / "a.txt"), "BAD\n", "BAD\n", str(tmp_path / "a.txt"))
        (compared,) = await servers.compare([move], deadline=within(10))
        assert len(compared.after[move.path].items) == 1
    finally:
        await servers.close()


async def test_the_next_of_a_group_serves_where_the_first_cannot_start(start: Start) -> None:
    first = replace(scripted("first", crash_at_start=True), group="both")
    second = replace(scripted("second"), group="both")
    servers = start(first, second, limits=Limits(first_wait=60.0))
    failed = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert (failed.state, failed.notes) == ("none", ("first ended when it was started: no such module",))
    served = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(10))
    assert (served.sources, codes(served)) == (("second",), ["E1"])


async def test_a_report_that_comes_by_itself_is_overheard(start: Start) -> None:
    servers = start(scripted(delay=0.3))
    await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    late = await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(0.01))
    assert late.state == "none"
    waiting = asyncio.create_task(servers.overheard("/w/a.txt", "BAD\n", "scripted", deadline=within(10)))
    heard = await waiting
    assert heard is not None
    assert (heard.status, len(heard.items)) == ("fresh", 1)


async def test_what_is_overheard_ends_with_the_text(start: Start) -> None:
    servers = start(scripted(delay=0.2))
    await servers.diagnostics("/w/a.txt", "BAD\n", deadline=within(0.01))
    await until(lambda: bool(servers.describe()) and servers.describe()[0]["running"] is True)
    waiting = asyncio.create_task(servers.overheard("/w/a.txt", "BAD\n", "scripted", deadline=within(60)))
    await asyncio.sleep(0)
    now = await servers.diagnostics("/w/a.txt", "ok\n", deadline=within(10))
    assert now.state == "fresh"
    await waiting
    assert await servers.overheard("/w/a.txt", "BAD\n", "scripted", deadline=within(60)) is None
