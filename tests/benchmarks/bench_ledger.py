"""The ledger: a decision, and loading a session.

Never: more than one session's worth of files on disk at a time.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from ledger.ledger import Ledger
from ledger.policy import decide
from ledger.ranges import LineRanges
from ledger.session import Present, after_own_edit, after_shown
from ledger.types import Caller, LineEdit, Operation, ScopeKey, TargetKey, VersionToken
from lsp_server.git_events import GitEvents
from tests.benchmarks.figures import Figure, best, samples

SCOPE = ScopeKey("bench")
LINES = 400
"""Of each file."""


def run(quick: bool) -> list[Figure]:
    """10,000 observations over 2,000 files, and one file that 64 calls showed."""
    files, calls = (100, 500) if quick else (2_000, 10_000)
    folder = tempfile.mkdtemp(prefix="coeditor-bench-")
    try:
        path = str(Path(folder) / "ledger.db")
        fill(path, files, calls)
        found = [_load(path, quick), *_decisions(path, files, quick)]
        return [*found, *_often_shown(path, quick), *_git(folder, quick)]
    finally:
        shutil.rmtree(folder)


def target(number: int) -> TargetKey:
    """The file with that number."""
    return TargetKey(f"/w/package_{number % 40}/module_{number}.py")


def token(number: int) -> VersionToken:
    """The version of that file."""
    return VersionToken(f"v{number:032x}")


def fill(path: str, files: int, calls: int) -> None:
    """A session of ``calls`` reads, refusals and edits over ``files`` files."""
    chance = random.Random(1)
    ledger = Ledger.open(path)
    with ledger.step():
        for call in range(calls):
            number = call % files
            first = chance.randrange(1, LINES - 80)
            caller = Caller(SCOPE, f"call-{call}")
            window = LineRanges.of((first, first + 79))
            if call % 5 == 4:
                ledger.record_own_edit(caller, target(number), token(number), LINES, [LineEdit(first, 3, 3)])
            elif call % 5 == 3:
                ledger.record_shown(caller, target(number), token(number), LINES, window)
            else:
                ledger.record_read(caller, target(number), token(number), LINES, window)
    ledger.close()


def _load(path: str, quick: bool) -> Figure:
    def load() -> None:
        ledger = Ledger.open(path)
        assert ledger.observations(SCOPE)
        ledger.close()

    seconds = best(load, rounds=1 if quick else 5)
    return Figure("open the ledger and load all observations", seconds * 1e3, "ms", goal=300)


def _decisions(path: str, files: int, quick: bool) -> list[Figure]:
    """Every file once, in the order of a shuffled list: the first time, and the next times."""
    order = [target(number) for number in range(files)]
    random.Random(2).shuffle(order)
    ledger = Ledger.open(path)
    ledger.touch(SCOPE.session)
    started = time.process_time()
    for each in order:
        decide(Operation.EDIT, ledger.observation(SCOPE, each))
    first = (time.process_time() - started) / len(order)
    found = [
        Figure("a decision, the first for its file since the start", first * 1e6, "us", goal=50, note="CPU")
    ]
    for operation in (Operation.EDIT, Operation.WRITE):
        seconds = best(
            lambda operation=operation: [decide(operation, ledger.observation(SCOPE, one)) for one in order],  # type: ignore[misc]
            rounds=1 if quick else 7,
        ) / len(order)
        found.append(Figure(f"a decision about {operation}", seconds * 1e6, "us", goal=50))
    ledger.close()
    return found


def _often_shown(path: str, quick: bool) -> list[Figure]:
    """One file that 64 calls showed, each another part, with edits in between."""
    ledger, place, version = Ledger.open(path), TargetKey("/w/often.py"), token(1)
    for call in range(64):
        window = LineRanges.of((call * 20 + 1, call * 20 + 10), (call * 20 + 13, call * 20 + 15))
        ledger.record_read(Caller(SCOPE, f"often-{call}"), place, version, 2_000, window)
    window = LineRanges.of((1, 9))
    rounds, calls = (1, 1) if quick else (7, 100)
    known = ledger.observation(SCOPE, place)
    assert isinstance(known, Present)
    found = []
    for name, work in {
        "a decision about edit": lambda: decide(Operation.EDIT, ledger.observation(SCOPE, place)),
        "a decision about write": lambda: decide(Operation.WRITE, ledger.observation(SCOPE, place)),
        "is it shown": lambda: ledger.is_shown(SCOPE, place, version, window),
        "another call shows lines": lambda: after_shown(known, version, 2_000, window, call_id="another"),
        "an edit moves all of it": lambda: after_own_edit(known, version, 2_001, [LineEdit(5, 0, 1)]),
    }.items():
        times = samples(work, rounds=rounds, calls=calls)
        goal = 50 if "decision" in name or "is it" in name else None
        found.append(Figure(f"{name}, file shown by 64 calls", min(times) * 1e6, "us", goal=goal))
    ledger.close()
    return found


def _git(folder: str, quick: bool) -> list[Figure]:
    """What it costs to look whether git is at work, before every edit and with every answer."""
    top = os.path.realpath(os.path.join(folder, "work"))
    os.makedirs(os.path.join(top, "a", "b"))
    subprocess.run(["git", "init", "-q", top], check=True, env={"PATH": os.environ["PATH"], "HOME": folder})
    events, place = GitEvents(), TargetKey(os.path.join(top, "a", "b", "f.py"))
    events.know(os.path.dirname(place))

    async def before_an_edit() -> None:
        await events.settled([place], 1.0)

    async def with_an_answer() -> None:
        assert not events.is_at_work()
        assert not await events.news(lambda: [place])

    async def seconds(work: Callable[[], Awaitable[None]]) -> float:
        found = []
        for _ in range(1 if quick else 7):
            started = time.process_time()
            for _ in range(200):
                await work()
            found.append((time.process_time() - started) / 200)
        return min(found)

    return [
        Figure(
            "git is not at work, before an edit",
            asyncio.run(seconds(before_an_edit)) * 1e6,
            "us",
            goal=100,
            note="CPU",
        ),
        Figure(
            "git is not at work, with an answer",
            asyncio.run(seconds(with_an_answer)) * 1e6,
            "us",
            goal=100,
            note="CPU",
        ),
    ]
