"""Twenty seconds of work for many agents in every run, ten minutes with ``COEDITOR_FAULTS=full``; longer by hand."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.agents import Place, agent
from tests.load.soak import Load, soak
from tests.load.wire import Wire

FULL = os.environ.get("COEDITOR_FAULTS") == "full"
LOAD = (
    Load(600, 50, 1_000, files=100_000, big=64 << 20)
    if FULL
    else Load(20, 50, 1_000, files=2_000, big=64 << 20, pause=2)
)
PER_CALL = 8 << 10
"""Bytes of memory that a call may leave behind; texts that are kept to be compared have room beside that."""
KEPT = 160 << 20
COPIES = 4
"""Of the large file that may be held once it was edited."""
DEARER = 2.0
"""How many times the processor time of its first calls the last ones may take: what grows takes far more."""


@pytest.mark.timeout(1_800)
async def test_nothing_is_lost_and_nothing_leaks(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    figures = await soak(tmp_path, LOAD)
    record_property("load held", figures.sentence(LOAD))
    record_property("lost", len(figures.lost))
    print(figures.table())
    assert figures.lost == []
    assert figures.outcomes["ok"] > 0
    assert figures.outcomes["INTERNAL"] == 0
    first, worked, last = figures.samples[0], figures.samples[-2], figures.samples[-1]
    assert last.descriptors <= first.descriptors + 12
    assert last.threads <= first.threads + 12
    assert last.tasks <= first.tasks + 4
    assert worked.memory - first.memory <= KEPT + PER_CALL * len(figures.latencies)
    assert last.memory - worked.memory <= KEPT + COPIES * LOAD.big
    begin, end = figures.cpu_of_thirds()
    assert end <= begin * DEARER + 0.005


async def test_a_client_that_floods_the_server_starves_nobody(tmp_path: Path) -> None:
    """Between two answers to a modest agent, the flood gets a bounded number of its own."""
    place = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    for number in range(20):
        place.write(f"f{number}.txt", "line\n" * 200)
    flood_size, modest_calls = 300, 8
    async with agent(place) as one:  # brings the server up
        await one.call("status")
        flood = await Wire.connect(place.base / "run", "flood")
        modest = await Wire.connect(place.base / "run", "modest")
        pending = [
            flood.begin_call("read", file_path=f"f{number % 20}.txt", refresh=True)
            for number in range(flood_size)
        ]
        for number in range(modest_calls):
            assert (await modest.call("read", file_path=f"f{number}.txt"))["ok"]
        answered = flood.answered
        assert all("result" in answer for answer in await asyncio.gather(*pending))
        await flood.close()
        await modest.close()
    assert answered < flood_size // 2, "the modest agent had to wait for the flood to end"
