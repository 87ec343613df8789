"""The race as tables in Markdown, and as an object.

Never: a figure that is rounded to look better; three digits for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from tests.benchmarks.contestants import CONTESTANTS
from tests.benchmarks.goals import ratios
from tests.benchmarks.race import COLD, Cell, Results
from tests.benchmarks.registry import circumstances


def lines_of(results: Results) -> Iterator[str]:
    """All tables."""
    yield from ratio_table(results)
    yield ""
    yield "<details><summary>Every exercise and every program: time, CPU, bytes, memory</summary>"
    yield ""
    yield "Milliseconds in the middle, from the call to the parsed answer:"
    yield ""
    yield from cell_table(results, Cell.median_ms)
    yield ""
    yield "Milliseconds of CPU, of all its processes:"
    yield ""
    yield from cell_table(results, Cell.cpu_ms)
    yield ""
    yield from weight_table(results)
    yield ""
    yield "</details>"
    for name, why in results.left_out.items():
        yield ""
        yield f"{name} is left out: {why.splitlines()[0][:160]}"
    for cell in results.cells.values():
        for name, why in cell.failed.items():
            yield ""
            yield f"{name} failed at {cell.name}: {' '.join(why.split())[:160]}"


def ratio_table(results: Results) -> Iterator[str]:
    """What was wanted, and what came of it."""
    yield "| what | coeditor | against | share | goal | |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for each in ratios(results):
        verdict = {True: "met", False: "missed", None: "not measured"}[each.is_met]
        ours, theirs = _number(each.ours), _number(each.theirs)
        against = each.against if each.against.startswith(theirs) else f"{each.against}: {theirs} {each.unit}"
        unit = f" {each.unit}" if each.ours is not None else ""
        share = _number(each.value)
        yield f"| {each.name} | {ours}{unit} | {against} | {share} | {each.goal:g} | {verdict} |"


def cell_table(results: Results, take: Callable[[Cell, str], float | None]) -> Iterator[str]:
    """A row for each contestant, a column for each exercise."""
    cells = list(results.cells.values())
    yield f"| | {' | '.join(cell.name for cell in cells)} |"
    yield f"| --- |{' --- |' * len(cells)}"
    for name in names(results):
        row = [_number(take(cell, name)) for cell in cells]
        yield f"| {name} | {' | '.join(row)} |"


def weight_table(results: Results) -> Iterator[str]:
    """Bytes and memory."""
    yield (
        "| | bytes of text for an edit | structured besides | bytes of text for 20 files | MiB idle, by process "
        "| MiB after 10 MB |"
    )
    yield "| --- | --- | --- | --- | --- | --- |"
    one, many = (results.cells.get(name) or Cell(name) for name in ("edit 10 KB", "20 files"))
    for name in names(results):
        memory = results.memory.get(name)
        if memory is not None:
            columns = [one.text.get(name), one.structured.get(name), many.text.get(name)]
            sizes = [" + ".join(f"{part:.0f}" for part in memory.get(when, [])) for when in _MOMENTS]
            yield f"| {name} | {' | '.join([*map(_number, columns), *(each or '-' for each in sizes)])} |"


_MOMENTS: Sequence[str] = ("idle", "after 10 MB")


def walk_table(results: Results) -> Iterator[str]:
    """Where the time of one small edit went, by step of the walk."""
    whole = next((row["mean"] for row in results.walk if row["step"] == "whole"), 0.0)
    yield "| step | ms in the middle | share of all |"
    yield "| --- | --- | --- |"
    for row in results.walk:
        share = f"{100 * row['mean'] / whole:.0f} %" if whole else "-"
        yield f"| {row['step']} | {_number(row['p50'])} | {share} |"


def names(results: Results) -> list[str]:
    """Who has figures, in the order in which they stand in tables."""
    order = [COLD, *(each.name for each in CONTESTANTS)]
    order[:2] = [order[1], COLD]
    measured = {name for cell in results.cells.values() for name in (*cell.seconds, *cell.failed)}
    return [name for name in order if name in measured]


def as_object(results: Results, *, quick: bool) -> dict[str, Any]:
    """All of it, for programs."""
    return {
        **circumstances([round(each, 2) for each in results.load], quick=quick),
        "seconds": round(results.seconds, 1),
        "contestants": {each.name: each.about for each in CONTESTANTS},
        "ratios": [
            {"name": each.name, "ours": each.ours, "theirs": each.theirs, "unit": each.unit}
            | {"against": each.against, "ratio": each.value, "goal": each.goal, "met": each.is_met}
            for each in ratios(results)
        ],
        "cells": {
            name: {
                "median_ms": {each: cell.median_ms(each) for each in cell.seconds},
                "cpu_ms": {each: cell.cpu_ms(each) for each in cell.cpu},
                **asdict(cell),
            }
            for name, cell in results.cells.items()
        },
        "memory_mib": results.memory,
        "left_out": results.left_out,
        "walk": results.walk,
    }


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
