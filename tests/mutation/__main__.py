"""The run: one module after the other in a copy of its own, the survivors against their reasons, a table at the end.

Never: a verdict on a module that was not run to its end.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.mutation.copies import copied, unfinished_in
from tests.mutation.modules import ROOT, everything, selection_of
from tests.mutation.survivors import Counted, counted

LOOP = str(Path(__file__).with_name("loop.py"))
FINDINGS, NO_SUCH, OUT_OF_TIME = 1, 2, 3


def main(arguments: list[str]) -> int:
    """0 when each survivor has its reason and each reason its survivor; 1 when not; 2 when there is no such module;
    3 when the time was over before all were run."""
    asked = _parser().parse_args(arguments)
    modules = _named(asked.only) if asked.only else everything()
    if missing := [one for one in modules if not (ROOT / one).is_file()]:
        print(f"There is no {', '.join(missing)}.")
        return NO_SUCH
    end = time.monotonic() + 60 * asked.minutes if asked.minutes else None
    rows: list[Counted] = []
    for module in modules:
        if not asked.judge and (end is None or time.monotonic() < end):
            _run(copied(module, fresh=asked.fresh), module, asked.jobs, end)
        rows.append(counted(module, unfinished_in(module)))
        rows[-1].say()
    return table(rows)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="MODULE", help="for example matching")
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="stop after that time; what is left is named"
    )
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--judge", action="store_true", help="run nothing: look at what earlier runs found")
    return parser


def _named(names: list[str]) -> list[str]:
    """Modules by their path or only their name."""
    known = everything()
    return [next((one for one in known if name in (one, Path(one).stem)), name) for name in names]


def _run(copy: Path, module: str, jobs: int, end: float | None) -> None:
    """All mutants without a verdict, until the time is over."""
    environment = os.environ | {"COEDITOR_HYPOTHESIS": "mutation", "PYTHONHASHSEED": "0"}
    with (copy / "output.txt").open("wb") as output:
        run = subprocess.Popen(
            ["nice", "-n", "19", sys.executable, LOOP, module, str(jobs), *selection_of(module)],
            cwd=copy,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            run.wait(None if end is None else max(1.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            print(f"  the time is over: {copy.name} is stopped")
        finally:
            _stopped(run)
    if run.returncode not in (0, -signal.SIGKILL):
        print((copy / "output.txt").read_text(encoding="utf-8", errors="replace")[-2000:])


def _stopped(run: subprocess.Popen[bytes]) -> None:
    """Nothing of a run is left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()


def table(rows: list[Counted]) -> int:
    """The last lines, and the status that they come to."""
    print(f"\n{'module':<34} | mutants | killed | alive with reason | alive without")
    for row in rows:
        note = f"  ({row.not_run} not run)" if row.not_run else ""
        print(
            f"{row.module:<34} | {row.mutants:7} | {row.killed:6} | {row.excused:17} | {len(row.without):13}{note}"
        )
    if any(row.without or row.for_nothing for row in rows):
        return FINDINGS
    return OUT_OF_TIME if any(row.not_run for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
