"""``coeditor replay``: a session's edits, or some of them, done again in another checkout.

Each is a call like others there, under its own precondition; what no longer fits is said and left out.

Never: an overwrite of anything that is different there; with ``--dry-run``, a change of anything.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ledger.errors import Code, CoeditorError
from lsp_server.people import Asking, add_common, fail, show
from lsp_server.replaying import BY_REQUEST, Places, arguments_at, moved_over, needs_version


def main(arguments: Sequence[str]) -> int:
    """0 when all of it fitted, 1 when not or with an error, 3 where no server can be reached."""
    asked = _parser().parse_args(arguments)
    try:
        with Asking(asked.cwd) as source:
            found = source.ask("recorded", {"since": asked.edits}, cwd=source.cwd)
            edits = [
                source.ask("recorded", {"since": f"{name}..{name}", "texts": True}, cwd=source.cwd)["edits"][
                    0
                ]
                for name in (edit["edit_id"] for edit in found["edits"])
            ]
        goal = os.path.realpath(asked.into)
        session = f"replay-{edits[0]['session'] if edits else 'nothing'}"
        places = Places(found["roots"], goal)
        if asked.dry_run:
            rows = _rehearsed(edits, places, session)
        else:
            with Asking(goal, session) as there:
                rows = [_again(there, edit, places) for edit in edits]
    except CoeditorError as error:
        return fail(error, as_json=asked.json)
    misfits = [row for row in rows if not row["fits"]]
    answer = {"ok": True, "edits": rows} | ({"dry_run": True} if asked.dry_run else {})
    show(answer, "\n".join(lines_of(rows, dry_run=asked.dry_run)), as_json=asked.json)
    return 1 if misfits else 0


def lines_of(rows: Sequence[Mapping[str, Any]], *, dry_run: bool = False) -> Iterator[str]:
    """What became of each edit, as a person reads it."""
    verb = "fit" if dry_run else "fitted"
    for row in rows:
        paths = ", ".join(row["files"])
        if row["fits"] and dry_run:
            yield f"{row['edit_id']} {row['tool']} {paths}: fits"
        elif row["fits"]:
            yield f"{row['edit_id']} {row['tool']} {paths}: done as {', '.join(row['done']) or 'nothing to do'}"
        else:
            partly = f"; done before that: {', '.join(row['done'])}" if row["done"] else ""
            yield f"{row['edit_id']} {row['tool']} {paths}: no longer fits: {row['why']} ({row['code']}){partly}"
    fitting = sum(row["fits"] for row in rows)
    yield f"{fitting} of {len(rows)} edits {verb}."


class _Server(Protocol):
    """Whoever does the edits again."""

    def ask(self, tool: str, sent: Mapping[str, Any], **meta: Any) -> dict[str, Any]: ...


def _rehearsed(edits: Sequence[Mapping[str, Any]], places: Places, session: str) -> list[dict[str, Any]]:
    """What would become of the edits, each on what the ones before it make of the files on disk."""
    from lsp_server.rehearsal import Rehearsal

    names = {
        path
        for edit in edits
        for file in edit["files"]
        for path in (file["file_path"], file.get("from"))
        if path
    }
    files = [place for name in names if (place := places.find(name)) is not None]
    with Rehearsal(places.goal, files, session) as there:
        rows = [_again(there, edit, replace(places, goal=there.root)) for edit in edits]
    return [row | {"done": []} for row in rows]


def _again(server: _Server, edit: Mapping[str, Any], places: Places) -> dict[str, Any]:
    """Do one edit; a row of the answer."""
    row: dict[str, Any] = {
        "edit_id": edit["edit_id"],
        "tool": edit["tool"],
        "files": [file["file_path"] for file in edit["files"]],
        "fits": True,
        "done": [],
    }
    meta = {"cwd": places.goal} | ({"turn": edit["turn"]} if "turn" in edit else {})
    try:
        if edit["tool"] in BY_REQUEST and "request" in edit:
            _by_request(server, edit, places, meta, row)
        else:
            for file in edit["files"]:
                _by_texts(server, file, places, meta, row)
    except CoeditorError as error:
        row |= {"fits": False, "code": str(error.code), "why": error.message}
        if error.data.get("lines"):
            row["lines"] = error.data["lines"]
    except ValueError as error:
        row |= {"fits": False, "code": str(Code.FS_STALE_VERSION), "why": str(error)}
    return row


def _by_request(
    server: _Server, edit: Mapping[str, Any], places: Places, meta: Mapping[str, Any], row: dict[str, Any]
) -> None:
    sent = arguments_at(edit, places)
    for file in edit["files"]:
        source = file.get("from") or file["file_path"]
        version, _ = _read(server, places.at_goal(source), meta)
        if needs_version(edit) and version != file["version_before"]:
            raise ValueError("the file has another text here")
    row["done"].append(server.ask(edit["tool"], sent, **meta)["edit_id"])


def _by_texts(
    server: _Server, file: Mapping[str, Any], places: Places, meta: Mapping[str, Any], row: dict[str, Any]
) -> None:
    path = places.at_goal(file["file_path"])
    source = places.at_goal(file["from"]) if "from" in file else path
    _, now = _read(server, source, meta)
    text = moved_over(file, now)
    if text is None or source != path:
        step = f"*** Move File: {source} -> {path}" if source != path else f"*** Delete File: {path}"
        patch = f"*** Begin Patch\n{step}\n*** End Patch\n"
        row["done"].append(server.ask("apply_patch", {"patch": patch}, **meta)["edit_id"])
    if text is not None and text != now:
        row["done"].append(server.ask("write", {"file_path": path, "content": text}, **meta)["edit_id"])


def _read(server: _Server, path: str, meta: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Version and text of a file that is read to its end; None where there is none."""
    offset, version = 1, None
    try:
        while True:
            found = server.ask("read", {"file_path": path, "offset": offset, "refresh": True}, **meta)
            version = found["version"]
            if found["end_line"] >= found["total_lines"] or found["end_line"] < offset:
                break
            offset = found["end_line"] + 1
        return version, server.ask("lines", {"file_path": path}, **meta)["text"]
    except CoeditorError as error:
        if error.code is not Code.FS_NOT_FOUND:
            raise
        return None, None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="coeditor replay", description="Do a session's edits again in another checkout."
    )
    parser.add_argument(
        "edits", help="a session, turn or edit and all after it; X..Y for a range, X..X for one"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would fit there, and change nothing")
    parser.add_argument("--into", required=True, metavar="FOLDER", help="the other checkout")
    add_common(parser)
    return parser
