"""Four times as much takes about four times the work, counted in steps of the interpreter, not sixteen times."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

import pytest

from editor_clients.linediff import changed_ranges
from editor_clients.lines import apply_replacements
from editor_clients.replacements import replacements_between
from ledger.errors import CoeditorError
from ledger.types import EditId, TargetKey
from lsp_server.edits.matching import match_edit
from lsp_server.edits.pending import (
    Pending,
    by_agent,
    by_others,
    committed_of,
    keep,
    untouched,
)
from lsp_server.edits.rebase import rebase, take_back
from lsp_server.edits.v4a_origins import Origins
from lsp_server.edits.v4a_parse import parse_patch
from lsp_server.edits.v4a_plan import PatchFile, plan_patch

FEW = 12


def steps_of(call: Callable[[], object]) -> int:
    """How many instructions of Python ``call`` takes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def lines(count: int, *, agent: bool = False, person: bool = False) -> tuple[str, ...]:
    """Of four lines an agent changes the first and a person the third."""
    kinds = ("agent" if agent else "line", "line", "person" if person else "line", "line")
    return tuple(f"{kinds[number % 4]} {number}\n" for number in range(4 * count))


def texts(count: int) -> tuple[str, str, str]:
    """A text after an edit at ``count`` places, before it, and as it is when a person changed as many others."""
    after = lines(count, agent=True)
    return "".join(after), "".join(lines(count)), "".join(lines(count, agent=True, person=True))


def pending(count: int) -> Pending:
    return by_agent(untouched(lines(count), present=True), lines(count, agent=True), [EditId("1")])


def committed(count: int) -> Callable[[], object]:
    state = pending(count)
    ranges = changed_ranges(lines(count, person=True), state.lines)
    return lambda: list(committed_of(state.hunks, ranges))


def moved(count: int) -> Callable[[], object]:
    base, _, now = texts(count)
    return partial(rebase, match_edit(base, "agent", "AGENT", replace_all=True), base, now)


def patched(body: str, count: int) -> Callable[[], object]:
    def plan() -> None:
        patch = parse_patch(f"*** Begin Patch\n*** Update File: a\n{body}*** End Patch\n")
        texts = {TargetKey("a"): PatchFile("".join(lines(count)))}
        with suppress(CoeditorError):
            plan_patch(patch, TargetKey, texts, tolerant=True)

    return plan


def led_back(count: int) -> Callable[[], object]:
    base, before, _ = texts(count)
    origins = Origins().then(before, replacements_between(before, base))
    return lambda: [origins.before((line, line)) for line in range(1, count)]


def left_out(count: int) -> Callable[[], object]:
    there = lines(count)
    sent = "...\n".join((*there[::2], there[-1]))
    return partial(match_edit, "".join(there), sent, "x\n")


@pytest.mark.parametrize(
    "prepared",
    [
        pytest.param(
            lambda n: partial(by_others, pending(4 * n), lines(4 * n, agent=True, person=True)), id="others"
        ),
        pytest.param(lambda n: partial(keep, pending(n), pending(n).hunks), id="keep"),
        pytest.param(committed, id="commit"),
        pytest.param(lambda n: partial(take_back, *texts(4 * n)), id="take-back"),
        pytest.param(lambda n: moved(4 * n), id="rebase"),
        pytest.param(lambda n: patched("@@\n-nothing\n" + "\n" * n, n), id="blank-lines"),
        pytest.param(lambda n: patched("@@\n-line 0\n" + "\n" * n, n), id="blank-lines-not-there"),
        pytest.param(led_back, id="origins"),
        pytest.param(left_out, id="elided"),
    ],
)
def test_work_grows_as_the_texts_do(prepared: Callable[[int], Callable[[], object]]) -> None:
    few, many = (steps_of(prepared(count)) for count in (FEW, 4 * FEW))
    assert many < 7 * few


def test_more_parts_are_left_out_than_calls_can_nest() -> None:
    there = "".join(f"line {number}\n" for number in range(2 * sys.getrecursionlimit() + 1))
    sent = "...\n".join(there.splitlines(keepends=True)[::2])
    match = match_edit(there, sent, sent.replace("line 0\n", "changed\n"))
    assert apply_replacements(there, match.replacements) == there.replace("line 0\n", "changed\n", 1)
