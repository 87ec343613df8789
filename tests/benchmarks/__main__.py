"""``python -m tests.benchmarks [--only SUBJECT,...] [--quick] [--json FILE] [--check]``.

Never: a figure that is printed and not written, or written and not printed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks import registry
from tests.benchmarks.registry import Measured

DEFAULT_FILE = Path("build") / "benchmarks.json"


def main(arguments: Sequence[str]) -> int:
    """0; with ``--check`` 1 when a goal was missed."""
    known = registry.subjects()
    asked = _parser(known).parse_args(arguments)
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
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    asked.json.write_text(json.dumps(report(found, quick=asked.quick), indent=2) + "\n", encoding="utf-8")
    print(f"\nWritten to {asked.json}.")
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
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": quick,
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "cpus": os.cpu_count(),
            "load": os.getloadavg()[0],
        },
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
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure Coeditor.")
    parser.add_argument("--only", metavar="SUBJECT,...", help=f"some of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="only see that everything runs")
    parser.add_argument("--json", type=Path, default=DEFAULT_FILE, help=f"default: {DEFAULT_FILE}")
    parser.add_argument("--check", action="store_true", help="exit status 1 when a goal is missed")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
