"""The run: a copy of the project, mutmut over one module after the other, the survivors against their reasons.

Never: a verdict on a module that was not run to its end.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.mutation.survivors import ROOT, Survivor, excused, reasons, survivors_of, unfinished

MUTMUT = str(Path(sys.executable).with_name("mutmut"))
COPY = ROOT / "build" / "mutation"
PARTS = (
    "lsp_server",
    "editor_clients",
    "ledger",
    "tests",
    "pyproject.toml",
    "README.md",
    "requirements.lock",
)
CONFIG = """\
[mutmut]
source_paths=
    lsp_server
    editor_clients
    ledger
only_mutate=
    lsp_server/edits/*
    editor_clients/lines.py
pytest_add_cli_args=
    -n0
    -p
    no:cacheprovider
pytest_add_cli_args_test_selection=
    tests/lsp_server/edits
    tests/editor_clients/test_lines.py
also_copy=
    tests
    README.md
"""
FIRST = (
    "editor_clients/lines.py",
    *(
        f"lsp_server/edits/{name}.py"
        for name in ("matching", "hits", "choosing", "folding", "fitting", "blocks", "indentation", "elided")
    ),
    *(f"lsp_server/edits/{name}.py" for name in ("respelling", "literal", "by_lines", "levels", "pasted")),
)
"""What decides where an edit goes and what it writes; the rest of ``edits`` follows."""


def main(arguments: list[str]) -> int:
    """0 when each survivor of what was run has its reason; 1 else; 2 when there is no such module."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument(
        "module", nargs="*", help="for example lsp_server/edits/matching.py; all when left out"
    )
    parser.add_argument("--minutes", type=float, default=0.0, help="start no module after that time")
    parser.add_argument(
        "--keep", action="store_true", help="go on with the copy and the results that are there"
    )
    asked = parser.parse_args(arguments)
    modules = asked.module or everything()
    if missing := [one for one in modules if not (ROOT / one).is_file()]:
        print(f"There is no {', '.join(missing)}.")
        return 2
    if not asked.keep:
        fresh_copy()
    started, left, status = time.monotonic(), list(modules), 0
    while left and not (asked.minutes and time.monotonic() > started + 60 * asked.minutes):
        module = left.pop(0)
        pattern = module.removesuffix(".py").replace("/", ".") + ".*"
        subprocess.run([MUTMUT, "run", "--max-children", "1", pattern], cwd=COPY, check=False)
        status |= judged(module)
    if left:
        print(f"Not run in {asked.minutes:g} minutes: {', '.join(left)}")
    return status


def everything() -> list[str]:
    """All modules, those that matter most first."""
    rest = sorted(str(one.relative_to(ROOT)) for one in (ROOT / "lsp_server" / "edits").glob("[!_]*.py"))
    return [*FIRST, *(one for one in rest if one not in FIRST)]


def fresh_copy() -> None:
    """The sources as they are now, ready for mutmut."""
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for name in PARTS:
        there = ROOT / name
        if there.is_dir():
            shutil.copytree(
                there, COPY / name, ignore=shutil.ignore_patterns("__pycache__", "e2e", "artifacts")
            )
        else:
            shutil.copy2(there, COPY / name)
    (COPY / "setup.cfg").write_text(CONFIG, encoding="utf-8")


def judged(module: str) -> int:
    """Print what survived without a reason, and which reasons are for nothing."""
    results = COPY / "mutants" / f"{module}.meta"
    found = survivors_of(module, COPY)
    missing = unfinished(results)
    without = [one for one in found if excused(one) is None]
    print(f"{module}: {len(found)} survived, {len(without)} of them without a reason", flush=True)
    if missing:
        print(f"  {missing} mutants were not run")
    for one in without:
        print(f"  {one.function}\n    - {one.before}\n    + {one.after}")
    return 1 if without or missing else stale(module, found)


def stale(module: str, found: list[Survivor]) -> int:
    """Reasons for mutants that were killed."""
    left = [one for one in reasons() if one.module == module and not any(map(one.fits, found))]
    for one in left:
        print(f"  a reason for nothing: {one.function}: {one.after}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
