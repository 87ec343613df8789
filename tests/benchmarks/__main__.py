"""``python -m tests.benchmarks [--quick] [--readme]``: the race; ``--only SUBJECT,...`` or ``--inside``: what it is
made of.

Never: a figure that is printed and not written, or written and not printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks import registry
from tests.benchmarks.registry import Measured

DEFAULT_FILE = Path("build") / "benchmarks.json"
PICTURE = Path(__file__).with_name("race.svg")
FIGURES = Path(__file__).with_name("race.json")
"""Of the last run that the README shows."""


def main(arguments: Sequence[str]) -> int:
    """0; with ``--check`` 1 when a goal was missed; 2 for names that are not there."""
    known = registry.subjects()
    asked = _parser(known).parse_args(arguments)
    if asked.only or asked.inside:
        return _inside(known, asked)
    return _race(asked)


def _race(asked: argparse.Namespace) -> int:
    from tests.benchmarks import tables
    from tests.benchmarks.contestants import CONTESTANTS
    from tests.benchmarks.goals import ratios
    from tests.benchmarks.installing import cache_folder, install
    from tests.benchmarks.race import race

    names = [each.name for each in CONTESTANTS]
    chosen = asked.against.split(",") if asked.against else names
    if set(chosen) - set(names):
        print(f"There are the contestants {', '.join(names)}.", file=sys.stderr)
        return 2
    wanted = [each for each in CONTESTANTS if each.name in chosen or each.name == names[0]]
    cache = cache_folder()
    missing = install(wanted, cache)
    results = race([each for each in wanted if each.name not in missing], cache, quick=asked.quick)
    results.left_out |= missing
    print("\n".join([*tables.lines_of(results), "", *tables.walk_table(results)]))
    found = tables.as_object(results, quick=asked.quick)
    _write(asked.json, json.dumps(found, indent=2) + "\n")
    _show(results, found, asked)
    return 1 if asked.check and any(each.is_met is False for each in ratios(results)) else 0


def _show(results: Any, found: dict[str, Any], asked: argparse.Namespace) -> None:
    """The picture, beside the object or on the README's page with it."""
    from tests.benchmarks import page, tables
    from tests.benchmarks.plot import picture

    if not asked.readme:
        _write(asked.json.with_suffix(".svg"), picture(results))
        return
    _write(PICTURE, picture(results))
    slim = {name: {k: v for k, v in cell.items() if k != "cpu"} for name, cell in found["cells"].items()}
    _write(FIGURES, json.dumps(found | {"cells": slim}, indent=1) + "\n")
    machine = found["machine"]
    said = (
        f"Measured {found['time'][:10]} on {machine['cpus']} cores ({machine['system'].split('-with')[0]}, Python "
        f"{machine['python']}), load {machine['load'][0]} at the start and {machine['load'][1]} at the end"
        f"{', the quick form' if found['quick'] else ''}."
    )
    page.put("the race", [said, "", *tables.lines_of(results)])
    page.put("the walk", [said, "", *tables.walk_table(results)])
    print(f"Put into {page.README}.")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"Written to {path}.")


def _inside(known: Sequence[str], asked: argparse.Namespace) -> int:
    chosen = asked.only.split(",") if asked.only else known
    unknown = [name for name in chosen if name not in known]
    if unknown:
        print(f"There is no subject {', '.join(unknown)}; there are {', '.join(known)}.", file=sys.stderr)
        return 2
    found = []
    for subject in chosen:
        measured = registry.run(subject, quick=asked.quick)
        found.append(measured)
        print("\n".join(lines_of(measured)), flush=True)
    _write(asked.json, json.dumps(report(found, quick=asked.quick), indent=2) + "\n")
    missed = [figure for measured in found for figure in measured.figures if not figure.is_met]
    return 1 if missed and asked.check else 0


def lines_of(measured: Measured) -> Iterator[str]:
    """The table of one subject, as text."""
    yield f"\n{measured.subject} (measured in {measured.seconds:.1f} s)"
    width = max((len(figure.name) for figure in measured.figures), default=0)
    for figure in measured.figures:
        goal = ""
        if figure.goal is not None:
            side = "at least" if figure.at_least else "at most"
            goal = f"{'ok' if figure.is_met else 'MISSED'}: {side} {figure.goal:,g}"
        note = f"  ({figure.note})" if figure.note else ""
        yield f"  {figure.name:<{width}}  {_number(figure.value):>12} {figure.unit:<8} {goal}{note}".rstrip()


def report(found: Sequence[Measured], *, quick: bool) -> dict[str, Any]:
    """The same as an object."""
    return {
        **registry.circumstances(os.getloadavg()[0], quick=quick),
        "subjects": {
            measured.subject: {
                "seconds": round(measured.seconds, 2),
                "figures": [asdict(figure) | {"met": figure.is_met} for figure in measured.figures],
            }
            for measured in found
        },
    }


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"


def _parser(known: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description="Measure Coeditor, against others or inside."
    )
    parser.add_argument("--against", metavar="NAME,...", help="some of the contestants")
    parser.add_argument("--inside", action="store_true", help="no race: every subject of our own")
    parser.add_argument("--only", metavar="SUBJECT,...", help=f"no race: some of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: about two minutes")
    parser.add_argument("--json", type=Path, default=DEFAULT_FILE, help=f"default: {DEFAULT_FILE}")
    parser.add_argument("--readme", action="store_true", help="put tables and picture into README.md")
    parser.add_argument("--check", action="store_true", help="exit status 1 when a goal is missed")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
