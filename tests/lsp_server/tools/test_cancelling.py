"""A call that is cancelled at any step answers what is there: nothing happened, or what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from editor_clients.port import Applied, FileChange
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey
from tests.lsp_server.tools.conftest import MakeWalk, Walk

PATCH = ("*** Update File: a.txt", "@@", "-a", "+A", "*** Add File: new/b.txt", "+b")
BEFORE = {"a.txt": b"a\n"}
AFTER = {"a.txt": b"A\n", "new/b.txt": b"b\n"}


class Stop:
    """A step that waits to be let through."""

    def __init__(self) -> None:
        self.reached, self.go = asyncio.Event(), asyncio.Event()

    async def pause(self) -> None:
        self.reached.set()
        await self.go.wait()


async def cancelled_at(
    stop: Stop, call: Awaitable[dict[str, Any]], *, times: int = 1
) -> dict[str, Any] | None:
    """The answer of a call that is cancelled at ``stop``; None when it is the cancellation."""
    task = asyncio.ensure_future(call)
    reached = asyncio.ensure_future(stop.reached.wait())
    await asyncio.wait([task, reached], return_when=asyncio.FIRST_COMPLETED)
    assert not task.done(), task.result()
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    stop.go.set()
    try:
        return await task
    except asyncio.CancelledError:
        return None


async def ready(make_walk: MakeWalk) -> Walk:
    walk = make_walk()
    walk.put("a.txt", "a\n")
    await walk.read("a.txt")
    return walk


def slow_apply(walk: Walk, stop: Stop, *, before: bool, fails: Code | None = None) -> None:
    """The authority takes its time before or after it changes anything."""
    client = walk.app.workspace.client
    apply: Callable[..., Awaitable[Applied]] = client.apply

    async def slow(changes: Sequence[FileChange], **more: Any) -> Applied:
        if before:
            await stop.pause()
        if fails is not None:
            raise CoeditorError(fails, "It did not work.")
        applied = await apply(changes, **more)
        if not before:
            await stop.pause()
        return applied

    client.apply = slow  # type: ignore[method-assign]


async def test_while_it_waits_for_a_lock(make_walk: MakeWalk) -> None:
    walk, stop = await ready(make_walk), Stop()
    locks, asked = walk.app.workspace.locks, asyncio.Event()
    hold = locks.hold

    def noted(*arguments: Any, **more: Any) -> Any:
        asked.set()  # the call goes on from here to the lock without a pause
        return hold(*arguments, **more)

    async with hold([TargetKey(str(walk.root / "a.txt"))]):
        locks.hold = noted  # type: ignore[method-assign]
        task = asyncio.ensure_future(walk.patch(*PATCH))
        await asyncio.wait_for(asked.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (walk.there(), stop.reached.is_set()) == (BEFORE, False)
    assert (await walk.patch(*PATCH))["ok"]


async def test_while_the_texts_are_looked_at(make_walk: MakeWalk) -> None:
    walk, stop = await ready(make_walk), Stop()
    client = walk.app.workspace.client
    current = client.current

    async def slow(target: Any) -> Any:
        await stop.pause()
        return await current(target)

    client.current = slow  # type: ignore[method-assign]
    assert await cancelled_at(stop, walk.patch(*PATCH)) is None
    assert walk.there() == BEFORE
    assert (await walk.call("history"))["edits"] == []


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("times", [1, 3])
async def test_once_it_was_begun(make_walk: MakeWalk, *, before: bool, times: int) -> None:
    walk, stop = await ready(make_walk), Stop()
    slow_apply(walk, stop, before=before)
    found = await cancelled_at(stop, walk.patch(*PATCH), times=times)
    assert found is not None
    assert (found["ok"], found["applied"]) == (True, "applied")
    assert walk.there() == AFTER
    assert [row["state"] for row in (await walk.call("history"))["edits"]] == ["applied"]
    assert (await walk.edit("a.txt", "A", "B"))["ok"]


@pytest.mark.parametrize(("code", "state"), [(Code.FS_IO, []), (Code.FS_UNCONFIRMED, ["unknown"])])
async def test_once_it_was_begun_and_fails(make_walk: MakeWalk, code: Code, state: list[str]) -> None:
    walk, stop = await ready(make_walk), Stop()
    slow_apply(walk, stop, before=True, fails=code)
    found = await cancelled_at(stop, walk.patch(*PATCH))
    assert found is not None
    assert found["code"] == code
    assert walk.there() == BEFORE
    assert [row["state"] for row in (await walk.call("history"))["edits"]] == state


async def test_while_the_side_effects_run(make_walk: MakeWalk) -> None:
    walk, stop = await ready(make_walk), Stop()

    async def slow(*args: Any) -> None:
        await stop.pause()

    walk.app.workspace.effects.after_commit = slow  # type: ignore[method-assign, assignment]
    found = await cancelled_at(stop, walk.patch(*PATCH))
    assert found is not None
    assert (found["applied"], found["side_effects"]) == ("applied", [])
    assert walk.there() == AFTER
