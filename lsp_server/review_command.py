"""``coeditor review``: what agents changed and nobody has looked at, kept or undone at the terminal.

Never: a decision of its own; the server has the review.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from editor_clients.lines import bare_lines
from ledger.errors import CoeditorError
from lsp_server.people import Asking, add_common, fail, show
from lsp_server.wire.texts import content_text

_QUESTION = "Keep, undo, or go on? [k/u/Enter, q ends] "


def main(arguments: Sequence[str]) -> int:
    """0, or 1 with an error, or 3 where no server can be reached."""
    asked = _parser().parse_args(arguments)
    sent = _sent(asked)
    problem = None
    if asked.action == "show" and asked.hunks:
        problem = "hunks are named to keep or to undo them."
    elif asked.action != "show" and not sent and not asked.all:
        problem = f"say what to {asked.action}: hunks, --file, --turn, --of, --edit, or --all."
    if problem is not None:
        print(f"coeditor: {problem}", file=sys.stderr)
        return 2
    try:
        with Asking(asked.cwd) as server:
            return _walk(server, asked) if asked.ask else _once(server, asked)
    except CoeditorError as error:
        return fail(error, as_json=asked.json)


def _once(server: Asking, asked: argparse.Namespace) -> int:
    sent = _sent(asked)
    cwd = {"cwd": server.cwd}
    if asked.action == "show":
        found = server.ask("review", sent, **cwd)
        show(found, "\n".join(lines_of(found)), as_json=asked.json)
        return 0
    if asked.action == "keep":
        found = server.ask("review/keep", sent, **cwd)
        show(found, f"Kept {len(found['kept'])} hunks in {len(found['files'])} files.", as_json=asked.json)
    else:
        found = server.ask("review/undo", sent | {"dry_run": asked.dry_run}, **cwd)
        show(found, content_text("rewind", found), as_json=asked.json)
    return 0


def _walk(server: Asking, asked: argparse.Namespace) -> int:
    """Hunk by hunk, as the person answers."""
    sent = _sent(asked)
    sent.pop("hunks", None)
    found = server.ask("review", sent, cwd=server.cwd)
    for file in found["files"]:
        for hunk in file["hunks"]:
            show({}, "\n".join(_hunk_lines(file, hunk)), as_json=False)
            try:
                answer = input(_QUESTION).strip().lower()
            except EOFError:
                return 0
            if answer.startswith("q"):
                return 0
            if answer[:1] in ("k", "u"):
                tool = "review/keep" if answer.startswith("k") else "review/undo"
                try:
                    server.ask(tool, {"hunks": [hunk["hunk"]]}, cwd=server.cwd)
                except CoeditorError as error:
                    fail(error, as_json=False)
    return 0


def lines_of(found: Mapping[str, Any]) -> Iterator[str]:
    """The answer as a person reads it."""
    if not found["pending"]:
        yield "Nothing is pending."
        return
    for file in found["files"]:
        for hunk in file["hunks"]:
            yield from _hunk_lines(file, hunk)
    yield f"{found['pending']} hunks are pending in {len(found['files'])} files."


def _hunk_lines(file: Mapping[str, Any], hunk: Mapping[str, Any]) -> Iterator[str]:
    """One hunk like a diff's, headed by its name and whose it is."""
    kind = {"lines": f"line {hunk['start_line']}", "create": "new file", "delete": "deleted"}.get(
        hunk["kind"], f"moved from {file.get('from')}"
    )
    makers = dict.fromkeys(_maker(edit) for edit in hunk["edits"])
    alone = "" if hunk["undoable"] else "; somebody else's change adjoins"
    yield f"@@ {hunk['hunk']} {file['file_path']}, {kind}, by {', '.join(makers)}{alone} @@"
    yield from ("-" + line for line in bare_lines(hunk["before"]))
    yield from ("+" + line for line in bare_lines(hunk["after"]))


def _maker(edit: Mapping[str, Any]) -> str:
    who = edit.get("agent") or edit.get("session", "an earlier edit")
    turn = f", turn {edit['turn']}" if "turn" in edit else ""
    return f"{who} ({edit['edit_id']}{turn})"


def _sent(asked: argparse.Namespace) -> dict[str, Any]:
    given = {
        "hunks": asked.hunks,
        "file_paths": asked.file,
        "sessions": asked.of,
        "turns": asked.turn,
        "edits": asked.edit,
    }
    return {name: value for name, value in given.items() if value}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="coeditor review", description="What agents changed and nobody has looked at yet."
    )
    parser.add_argument("action", nargs="?", default="show", choices=("show", "keep", "undo"))
    parser.add_argument("hunks", nargs="*", metavar="HUNK", help="hunks, as show names them")
    for flag, about in (
        ("--file", "only this file"),
        ("--of", "only what this session changed"),
        ("--turn", "only what was changed in this turn"),
        ("--edit", "only what this edit changed"),
    ):
        parser.add_argument(flag, action="append", metavar="X", help=f"{about}; may be given several times")
    parser.add_argument("--all", action="store_true", help="everything that is pending")
    parser.add_argument("--ask", action="store_true", help="go through the hunks one by one")
    parser.add_argument("--dry-run", action="store_true", help="with undo: show what would be done")
    add_common(parser)
    return parser
