"""``coeditor setup NAME``: puts Coeditor into an agent's or editor's configuration, or takes it out again.

Never: a question. What it would do is shown by ``--dry-run``; what it did is taken back by ``--undo``.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ledger.errors import CoeditorError
from lsp_server import paths
from lsp_server.settings import from_environment
from lsp_server.setup.agents import AGENTS, Plan
from lsp_server.setup.editors import EDITORS, NOTES
from lsp_server.setup.pieces import Entry, LeftAloneError
from lsp_server.setup.places import Places, Scope, own_command
from lsp_server.setup.programs import ACP_PROGRAMS, TAKES_TOOL_HOOKS, acp_programs, claude_version
from lsp_server.setup.record import Change, Kept, planned, unplanned, write
from lsp_server.setup.stale import Stale, of_plan

NAMES = {**AGENTS, **EDITORS}


def main(argv: Sequence[str]) -> int:
    """0 when all is as wanted, 1 when a file was left alone, 2 for wrong usage."""
    asked = _parser().parse_args(argv)
    root = paths.workspace_root(os.getcwd())
    closed = from_environment(root).hook_failure == "closed"
    places = Places(
        Path.home(),
        Path(root),
        os.environ,
        closed,
        has_tool_hooks=_has_tool_hooks(asked.name),
        acp_programs=ACP_PROGRAMS if asked.undo else acp_programs(),
    )
    scope: Scope = "project" if asked.project else "user"
    plan = NAMES[asked.name](places, scope, own_command())
    if asked.print:
        for path, entries in plan:
            print(f"{path}:\n" + "\n".join(entry.shown() for entry in entries))
        return 0
    try:
        stale = of_plan(NAMES[asked.name], places, scope, plan)
        failures = run(plan, Kept(), stale, undo=asked.undo, dry_run=asked.dry_run)
    except CoeditorError as error:
        print(f"coeditor: {error.message}", file=sys.stderr)
        return 1
    if not asked.undo and asked.name in NOTES:
        print(NOTES[asked.name])
    if not (asked.undo or asked.dry_run or failures):
        print(f"Start {asked.name} anew; then coeditor doctor says whether all of it is in place.")
    return 1 if failures else 0


def _has_tool_hooks(name: str) -> bool:
    return name == "claude-code" and (claude_version() or ()) >= TAKES_TOOL_HOOKS


def run(
    plan: Plan, kept: Kept, stale: Stale | None = None, *, undo: bool = False, dry_run: bool = False
) -> int:
    """Do it, or tell what would be done; gives how many files were left alone."""
    failures = 0
    for path, entries in plan:
        old = (stale or {}).get(path, ())
        try:
            change = (unplanned if undo else planned)(path, entries, kept, old)
            if not dry_run:
                _do(change, kept, undo=undo)
        except (LeftAloneError, OSError) as error:
            failures += 1
            print(f"left alone: {path}: {_why(error)}.", file=sys.stderr)
            if not undo:
                _show_by_hand(entries)
            continue
        _tell(change, dry_run=dry_run)
    return failures


def _do(change: Change, kept: Kept, *, undo: bool) -> None:
    if change.is_change:
        write(change)
    if undo:
        kept.forget(change.path)
    elif change.is_change:
        kept.note(change)


def _tell(change: Change, *, dry_run: bool) -> None:
    if not change.is_change:
        print(f"as it should be: {change.path}")
        return
    word = "created" if change.before is None else "removed" if change.after is None else "changed"
    print(f"{'would be ' if dry_run else ''}{word}: {change.path}")
    if dry_run:
        before, after = (
            (data or b"").decode("utf-8", "replace").split("\n") for data in (change.before, change.after)
        )
        print("\n".join(difflib.unified_diff(before, after, "before", "after", lineterm="")))


def _show_by_hand(entries: list[Entry]) -> None:
    print("To be put in by hand:\n" + "\n".join(entry.shown() for entry in entries), file=sys.stderr)


def _why(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="coeditor setup", description="Put Coeditor into an agent's or editor's configuration."
    )
    parser.add_argument("name", choices=list(NAMES), metavar="NAME", help=", ".join(NAMES))
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--user", action="store_true", help="for this user, everywhere (the default)")
    scope.add_argument("--project", action="store_true", help="for this project")
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be written, and write nothing"
    )
    parser.add_argument("--print", action="store_true", help="print what goes where, and write nothing")
    parser.add_argument("--undo", action="store_true", help="take it out again")
    return parser
