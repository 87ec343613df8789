"""A patch over open and closed files, broken at every system call, at every answer of the editor, and by SIGKILL.

What must hold each time: after a restart the tree, buffers included, is the one before or the one after, nothing is
left behind, and the answer or the journal says which of the two it is.

By default a spread of the points is tried; ``COEDITOR_FAULTS=full`` tries every one.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest
import pytest_asyncio

from tests.e2e.mixed_patch import CHANGING, UNSAVED, Bench, Picture, Point, kill, points_of, text_of, traced
from tests.fakes.editor import Manners, ScriptedEditor

FULL = os.environ.get("COEDITOR_FAULTS") == "full"
FAILING, DYING, RANDOM, REWINDING = 4, 4, 4, 3
"""Points that are tried when not all are."""
NOT_SAID = ("FS_UNCONFIRMED", None)

pytestmark = [
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
    pytest.mark.timeout(4 * 3600 if FULL else 400),
]


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """Before the patch, with a server."""
    made = Bench.fresh(tmp_path / "bench")
    await made.start()
    yield made
    await kill(made)


async def both(bench: Bench) -> tuple[Picture, Picture, list[Point]]:
    """The tree before and after an undisturbed patch, and the calls that it made."""
    await bench.read_all()
    before = bench.picture()
    points = await points_of(bench)
    return before, bench.picture(), points


async def fresh(bench: Bench) -> None:
    """Everything as before the patch, below a server that goes on running."""
    if not bench.runs:
        await bench.start()
    bench.reset()
    await bench.read_all()


async def problem_after(
    bench: Bench, answer: dict[str, object], before: Picture, after: Picture
) -> str | None:
    """Restart; what is wrong then, or None."""
    await kill(bench)
    if not bench.editor.documents:
        bench.reopen()
    await bench.start()
    found = bench.picture()
    state = "before" if found == before else "after" if found == after else None
    said = f"answered {answer.get('code') or answer.get('ok')}"
    if state is None:
        wrong = [
            sorted(name for name in {*found, *one} if found.get(name) != one.get(name))
            for one in (before, after)
        ]
        return f"{said}; differs from before in {wrong[0]}, from after in {wrong[1]}"
    if bench.leftovers():
        return f"{said}; left behind: {bench.leftovers()}"
    journal = await bench.journal()
    if answer.get("ok"):
        told = "after"
    elif answer.get("code") in NOT_SAID:
        told = {"applied": "after", None: "before"}.get(journal, "unknown")
    else:
        told = "before"
    if told != state or (journal == "applied") is not (state == "after"):
        return f"{said} and the journal said {journal} of the tree {state}"
    return None


def spread(points: list[Point], count: int) -> list[Point]:
    by_call = sorted(points, key=lambda point: (point.call, point.when))
    return [by_call[at * len(by_call) // count] for at in range(count)]


def chosen(points: list[Point], count: int) -> Iterator[Point]:
    """Some of the points; or all, and of each call further ones, should a run make more of them."""
    if not FULL:
        yield from spread(points, count)
        return
    for call in CHANGING:
        most = sum(point.call == call for point in points)
        yield from (Point(call, when) for when in range(1, most + 1 + most // 10))


async def tried(
    bench: Bench, count: int, how: Callable[[Point], str], record_property: Callable[[str, object], None]
) -> None:
    before, after, points = await both(bench)
    failures, survived = [], 0
    for point in chosen(points, count):
        await fresh(bench)
        log = bench.place.base / "strace"
        async with traced(bench.pid, log, "-e", f"trace={point.call}", "-e", how(point)):
            answer = await bench.apply()
        if "(INJECTED)" not in (said := log.read_text()) and "killed by SIGKILL" not in said:
            assert answer["ok"] or point not in points, (point, answer)
            continue  # this run made fewer calls of the kind
        problem = await problem_after(bench, answer, before, after)
        failures += [f"{point}: {problem}"] if problem is not None else []
        survived += problem is None
    record_property("faults survived", survived)
    record_property("lost", len(failures))
    assert not failures, "\n".join(failures)
    assert survived >= count // 2


async def test_each_call_failing_once(bench: Bench, record_property: Callable[[str, object], None]) -> None:
    await tried(bench, FAILING, Point.fails, record_property)


async def test_a_kill_at_each_call(bench: Bench, record_property: Callable[[str, object], None]) -> None:
    await tried(bench, DYING, Point.dies, record_property)


async def test_a_kill_at_calls_of_a_rewind(
    bench: Bench, record_property: Callable[[str, object], None]
) -> None:
    """All of it is taken back, or nothing, folders included."""
    await bench.read_all()
    assert (await bench.apply())["ok"]
    patched = bench.picture()
    points = await points_of(bench, act=bench.take_back)
    back = bench.picture()
    failures, survived = [], 0
    for point in chosen(points, REWINDING):
        await fresh(bench)
        assert (await bench.apply())["ok"]
        log = bench.place.base / "strace"
        async with traced(bench.pid, log, "-e", f"trace={point.call}", "-e", point.dies()):
            answer = await bench.take_back()
        if "killed by SIGKILL" not in log.read_text():
            continue
        problem = await problem_after(bench, answer, patched, back)
        failures += [f"{point}: {problem}"] if problem is not None else []
        survived += problem is None
    record_property("kills survived", survived)
    record_property("lost", len(failures))
    assert not failures, "\n".join(failures)
    assert survived >= REWINDING // 2


def dies_before_apply(bench: Bench) -> None:
    bench.editor.manners.before_apply = bench.die


def dies_after_apply(bench: Bench) -> None:
    bench.editor.manners.after_apply = bench.die


def dies_at_the_save(bench: Bench) -> None:
    bench.editor.manners.before_save = bench.die


def hangs_up_within_its_answer(bench: Bench) -> None:
    bench.editor.manners.cuts = True


def refuses(bench: Bench) -> None:
    bench.editor.manners.refuse = "the person is busy"


def answers_with_an_error(bench: Bench) -> None:
    bench.editor.manners.fails = {"workspace/applyEdit"}


def cannot_save(bench: Bench) -> None:
    bench.editor.manners.fails = {"coeditor/save"}


def acts_and_never_answers(bench: Bench) -> None:
    bench.editor.manners.mute = {"workspace/applyEdit"}


def saves_and_never_answers(bench: Bench) -> None:
    bench.editor.manners.mute = {"coeditor/save"}


def neither_acts_nor_answers(bench: Bench) -> None:
    bench.editor.manners.silent = {"workspace/applyEdit"}


def says_yes_and_does_nothing(bench: Bench) -> None:
    bench.editor.manners.lies = True


def comes_too_late(bench: Bench) -> None:
    bench.editor.manners.late = 6.5


PICTURES: dict[bool, tuple[Picture, Picture]] = {}
"""Before and after, by whether the editor is one of ours."""
QUICK = [
    (dies_before_apply, "before", (None,)),
    (dies_after_apply, "before", (None,)),
    (dies_at_the_save, "after", (None, "ok")),  # one that is no client of ours is not asked to save
    (hangs_up_within_its_answer, "before", (None,)),
    (refuses, "before", ("FS_EDITOR_REFUSED",)),
    (answers_with_an_error, "before", ("FS_EDITOR_REFUSED",)),
    (cannot_save, "after", ("ok",)),
]
SLOW = [
    (acts_and_never_answers, "after", ("ok",)),
    (saves_and_never_answers, "after", ("ok",)),
    (neither_acts_nor_answers, "before", ("FS_UNCONFIRMED",)),
    (says_yes_and_does_nothing, "before", ("FS_UNCONFIRMED",)),
    (comes_too_late, "before", ("FS_UNCONFIRMED",)),
]


@pytest.mark.parametrize("extras", [True, False] if FULL else [True])
@pytest.mark.parametrize(("how", "state", "codes"), [*QUICK, *(SLOW if FULL else SLOW[:1])])
async def test_what_an_editor_may_do(
    tmp_path: Path, how: Callable[[Bench], None], state: str, codes: tuple[object, ...], *, extras: bool
) -> None:
    """Refusals, errors, silence and lies; an editor that dies takes with it what was not saved."""
    bench = Bench.fresh(tmp_path / "bench", ScriptedEditor(extras=extras))
    await bench.start()
    try:
        if extras not in PICTURES:
            PICTURES[extras] = (await both(bench))[:2]
        before, after = PICTURES[extras]
        await fresh(bench)
        how(bench)
        answer = await bench.apply()
        assert (answer.get("code") or ("ok" if answer else None)) in codes, answer
        bench.editor.manners = Manners()
        if not bench.editor.documents:
            before, after = without_typing(before), without_typing(after)
            await bench.ended()
        now = bench.picture()
        assert now == (before if state == "before" else after)
        problem = await problem_after(bench, answer, before, after)
        assert problem is None  # once an editor is back and tells what it has, the journal knows as well
    finally:
        await kill(bench)


def without_typing(picture: Picture) -> Picture:
    """A tree after its editor has died."""
    mode, _ = cast(tuple[int, str], picture[UNSAVED])
    return picture | {UNSAVED: (mode, text_of(UNSAVED))}


async def test_kills_at_random_moments(bench: Bench, record_property: Callable[[str, object], None]) -> None:
    before, after, _ = await both(bench)
    await fresh(bench)
    started = time.monotonic()
    assert (await bench.apply())["ok"]
    usual = time.monotonic() - started
    chance = random.Random(20)
    failures, seen = [], Counter[str]()
    for number in range(1000 if FULL else RANDOM):
        await fresh(bench)
        patch = asyncio.ensure_future(bench.apply())
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(patch), chance.uniform(0, 1.2) * usual)
        await kill(bench)
        problem = await problem_after(bench, await patch, before, after)
        seen["after" if bench.picture() == after else "before"] += 1
        failures += [f"{number}: {problem}"] if problem is not None else []
    record_property("kills survived", sum(seen.values()) - len(failures))
    record_property("lost", len(failures))
    assert not failures, "\n".join(failures)
