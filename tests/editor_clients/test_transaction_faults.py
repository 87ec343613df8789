"""A change of 20 files, and of one, broken at its system calls: each fails once, or the process dies there.

What must hold every time: after recovery the tree is the one before or the one after, byte for byte, and the
answer says which. By default a spread of the points is tried; ``COEDITOR_FAULTS=full`` tries every one.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from editor_clients.recovery import recover
from editor_clients.walls import Walls
from tests.editor_clients.fault_driver import MARKER, build, picture

FULL = os.environ.get("COEDITOR_FAULTS") == "full"
pytestmark = [
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
    pytest.mark.timeout(3600 if FULL else 240),
]

DRIVER = Path(__file__).with_name("fault_driver.py")
CHANGING = [
    *("write", "fsync", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"),
    *("mkdir", "mkdirat", "symlinkat", "ftruncate", "fchmod"),
]
OPENING = ["openat", "flock", "flistxattr"]
ERRORS = {
    "write": "ENOSPC",
    "openat": "EMFILE",
    "renameat2": "EACCES",
    "linkat": "EMLINK",
    "mkdirat": "EDQUOT",
}


@dataclass(frozen=True)
class Point:
    """One system call of the undisturbed run."""

    call: str
    when: int
    """It is so many-th of its name since the process started."""

    def fails(self) -> str:
        return f"inject={self.call}:error={ERRORS.get(self.call, 'EIO')}:when={self.when}"

    def fails_from_here(self) -> str:
        return self.fails() + "+"

    def dies(self) -> str:
        return f"inject={self.call}:signal=KILL:when={self.when}"


@dataclass
class Bench:
    """A fresh workspace for every try."""

    folder: Path
    tries: int = 0

    def fresh(self) -> Try:
        self.tries += 1
        here = self.folder / str(self.tries)
        (here / "workspace").mkdir(parents=True)
        build(here / "workspace")
        return Try(here / "workspace", here / "journals")


@dataclass(frozen=True)
class Try:
    workspace: Path
    journals: Path

    def run(self, action: str, *strace: str) -> dict[str, object] | None:
        """The driver's answer; None when it was killed."""
        python = [sys.executable, "-S", "-B", str(DRIVER), action, str(self.workspace), str(self.journals)]
        log = self.workspace.with_name("strace")
        command = ["strace", "-f", "-o", str(log), *strace, *python]
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.returncode in (0, 137, -9), done.stderr.decode()
        if any(word.startswith("inject=") for word in strace):
            traced = log.read_text()
            assert "(INJECTED)" in traced or "killed by SIGKILL" in traced, "the fault did not happen"
        return json.loads(done.stdout) if done.stdout else None

    def recover(self) -> list[str]:
        return [item.outcome for item in recover(str(self.journals), Walls([str(self.workspace)]))]

    def leftovers(self) -> list[str]:
        return (
            [name for name in os.listdir(self.journals) if name != "kept" and not name.endswith(".newborn")]
            if self.journals.exists()
            else []
        )

    def close(self) -> None:
        shutil.rmtree(self.workspace.parent)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def before(bench: Bench) -> dict[str, object]:
    return picture(bench.fresh().workspace)


@pytest.fixture(scope="module")
def after(bench: Bench) -> dict[str, object]:
    attempt = bench.fresh()
    assert attempt.run("all") == {"ok": True}
    assert attempt.leftovers() == []
    return picture(attempt.workspace)


def points_of(attempt: Try, action: str, calls: Sequence[str]) -> list[Point]:
    attempt.run(action, "-e", "trace=" + ",".join("?" + call for call in (*calls, "stat", "newfstatat")))
    seen: Counter[str] = Counter()
    points = []
    begun = False
    for line in attempt.workspace.with_name("strace").read_text().splitlines():
        found = re.match(r"\d+\s+(\w+)\(", line)
        if found is None:
            continue
        begun = begun or MARKER in line
        call = found[1]
        seen[call] += 1
        if begun and call in calls and "write(1," not in line:
            points.append(Point(call, seen[call]))
    assert points
    return points


def some(points: list[Point], count: int) -> list[Point]:
    """Every point, or ``count`` of them spread over the whole run and all calls."""
    if FULL or len(points) <= count:
        return points
    by_call = sorted(range(len(points)), key=lambda at: (points[at].call, at))
    return [points[by_call[at * len(points) // count]] for at in range(count)]


def check(
    points: Sequence[Point],
    attempt_at: Callable[[Point], str | None],
    record_property: Callable[[str, object], None],
) -> None:
    failures = [f"{point}: {problem}" for point in points if (problem := attempt_at(point)) is not None]
    record_property("faults survived", len(points) - len(failures))
    record_property("lost", len(failures))
    assert not failures, "\n".join(failures)


Look = Callable[[Try, dict[str, object]], str | None]
"""What is wrong with an answer, seen before the recovery; None when nothing is."""


def broken(
    bench: Bench,
    action: str,
    how: Callable[[Point], str],
    trees: tuple[dict[str, object], dict[str, object]],
    look: Look = lambda attempt, answer: None,
) -> Callable[[Point], str | None]:
    """Tries a change that is broken at a point; what is wrong then, or None. ``trees``: before and after."""

    def attempt_at(point: Point) -> str | None:
        attempt = bench.fresh()
        answer = attempt.run(action, "-e", f"trace={point.call}", "-e", how(point))
        if answer is None and how is Point.fails:
            return "it gave no answer"
        if answer is None:  # it was killed, or the answer itself is a write
            return settled(attempt, None, "no answer", *trees)
        if how is Point.dies:
            return "it was not killed"
        problem = look(attempt, answer)
        said = f"answered {answer}"
        return f"{said}, {problem}" if problem else settled(attempt, trees[bool(answer.get("ok"))], said)

    return attempt_at


def test_each_call_failing_once_leaves_before_or_after(
    bench: Bench,
    before: dict[str, object],
    after: dict[str, object],
    record_property: Callable[[str, object], None],
) -> None:
    def look(attempt: Try, answer: dict[str, object]) -> str | None:
        now = {name: state for name, state in picture(attempt.workspace).items() if ".coeditor-" not in name}
        return None if answer.get("ok") or now == before else "and the tree was not put back"

    points = points_of(bench.fresh(), "all", CHANGING + OPENING)
    changing = [point for point in points if point.call in CHANGING]
    opening = [point for point in points if point.call in OPENING]
    attempt_at = broken(bench, "all", Point.fails, (before, after), look)
    check(some(changing, 20) + some(opening, 4), attempt_at, record_property)


@pytest.mark.parametrize(("how", "count"), [(Point.fails_from_here, 8), (Point.dies, 30)])
def test_a_disk_that_goes_on_failing_or_a_kill_leaves_before_or_after(
    bench: Bench,
    before: dict[str, object],
    after: dict[str, object],
    record_property: Callable[[str, object], None],
    how: Callable[[Point], str],
    count: int,
) -> None:
    points = points_of(bench.fresh(), "all", CHANGING)
    if how is Point.fails_from_here:
        points = [point for point in points if point.call != "write"]
    elif not FULL:
        points = random.Random(20).sample(points, count)
    check(some(points, count), broken(bench, "all", how, (before, after)), record_property)


def test_a_kill_during_recovery_is_recovered_from(
    bench: Bench, before: dict[str, object], record_property: Callable[[str, object], None]
) -> None:
    late = points_of(bench.fresh(), "all", ["renameat"])[-1]

    def interrupted() -> Try:
        attempt = bench.fresh()
        assert attempt.run("all", "-e", "trace=renameat", "-e", late.dies()) is None
        return attempt

    def attempt_at(point: Point) -> str | None:
        attempt = interrupted()
        if attempt.run("recover", "-e", f"trace={point.call}", "-e", point.dies()) is not None:
            return "it was not killed"
        return settled(attempt, before, "killed twice")

    points = points_of(interrupted(), "recover", CHANGING)
    check(some(points, 8), attempt_at, record_property)


@pytest.mark.parametrize("change", ["replace", "create", "move", "remove", "linked"])
def test_a_change_of_one_file_leaves_before_or_after(
    bench: Bench,
    before: dict[str, object],
    record_property: Callable[[str, object], None],
    change: str,
) -> None:
    undisturbed = bench.fresh()
    points = points_of(undisturbed, change, CHANGING)
    after = picture(undisturbed.workspace)
    assert after != before

    def look(attempt: Try, answer: dict[str, object]) -> str | None:
        known = answer.get("ok") or answer.get("code") in ("FS_IO", "FS_NOT_FOUND")
        return None if known else "which is no single file's failure"

    for how in (Point.fails, Point.dies):
        attempt_at = broken(bench, change, how, (before, after), look)
        check(some(points, 4), attempt_at, record_property)


@pytest.mark.parametrize("how", [Point.fails, Point.dies])
def test_many_files_that_are_flushed_side_by_side(
    bench: Bench, before: dict[str, object], how: Callable[[Point], str]
) -> None:
    """Each thread counts its own calls, and the third one is in every thread that flushes."""
    undisturbed = bench.fresh()
    assert undisturbed.run("many") == {"ok": True}
    after = picture(undisturbed.workspace)
    assert len(after) == len(before) + 41
    assert broken(bench, "many", how, (before, after))(Point("fsync", 3)) is None


@pytest.mark.parametrize("error", ["EBUSY", "EPERM", "EXDEV"])
def test_a_file_that_cannot_be_replaced_is_written_in_place(bench: Bench, error: str) -> None:
    """As a file that is mounted on its own is, or one of somebody else in a shared folder."""
    attempt = bench.fresh()
    path = attempt.workspace / "replaced-a.txt"
    number, old = path.stat().st_ino, path.read_text()
    assert attempt.run("replace", "-e", "trace=renameat", "-e", f"inject=renameat:error={error}") == {
        "ok": True
    }
    assert (path.stat().st_ino, path.read_text()) == (number, "new " + old)
    assert attempt.leftovers() == []


@pytest.mark.parametrize("error", ["EINVAL", "ENOSYS"])
def test_file_systems_without_an_exclusive_rename(bench: Bench, after: dict[str, object], error: str) -> None:
    attempt = bench.fresh()
    assert attempt.run("all", "-e", "trace=renameat2", "-e", f"inject=renameat2:error={error}") == {
        "ok": True
    }
    assert picture(attempt.workspace) == after


def test_file_systems_without_hard_links_either(bench: Bench, after: dict[str, object]) -> None:
    attempt = bench.fresh()
    faults = [
        "-e",
        "trace=renameat2,linkat",
        "-e",
        "inject=renameat2:error=EINVAL",
        "-e",
        "inject=linkat:error=EPERM",
    ]
    assert attempt.run("all", *faults) == {"ok": True}
    assert picture(attempt.workspace) == after


def settled(
    attempt: Try, wanted: dict[str, object] | None, said: str, *allowed: dict[str, object]
) -> str | None:
    """Recover twice; what is wrong then, or None."""
    outcomes = attempt.recover()
    found = picture(attempt.workspace)
    if wanted is None and found in allowed:
        wanted = found
        finished = found == allowed[1]
        if outcomes and outcomes != ["finished" if finished else "undone"]:
            return f"{said}, recovery said {outcomes} of the {'after' if finished else 'before'} tree"
    if found != wanted:
        near = wanted or allowed[0]
        names = {name for name in {*found, *near} if found.get(name) != near.get(name)}
        return f"{said}, recovery said {outcomes}, different: {sorted(names)}"
    if attempt.recover() != [] or attempt.leftovers() != []:
        return f"{said}, left behind: {attempt.leftovers()}"
    attempt.close()
    return None
