"""``coeditor replay``: a session's edits, or some of them, done again in another checkout.

Each is a call like others there, under its own precondition; what no longer fits is said and left out.

Never: an overwrite of anything that is different there.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ledger.errors import CoeditorError
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
        with Asking(goal, session) as there:
            rows = [_again(there, edit, Places(found["roots"], goal)) for edit in edits]
    except CoeditorError as error:
        return fail(error, as_json=asked.json)
    misfits = [row for row in rows if not row["fits"]]
    show({"ok": True, "edits": rows}, "\n".join(lines_of(rows)), as_json=asked.json)
    return 1 if misfits else 0


def lines_of(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What became of each edit, as a person reads it."""
    for row in rows:
        paths = ", ".join(row["files"])
        if row["fits"]:
            yield f"{row['edit_id']} {row['tool']} {paths}: done as {', '.join(row['done']) or 'nothing to do'}"
        else:
            yield f"{row['edit_id']} {row['tool']} {paths}: no longer fits: {row['why']} ({row['code']})"
    fitting = sum(row["fits"] for row in rows)
    yield f"{fitting} of {len(rows)} edits fitted."


def _again(server: Asking, edit: Mapping[str, Any], places: Places) -> dict[str, Any]:
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
        row |= {"fits": False, "code": "FS_STALE_VERSION", "why": str(error)}
    return row


def _by_request(
    server: Asking, edit: Mapping[str, Any], places: Places, meta: Mapping[str, Any], row: dict[str, Any]
) -> None:
    sent = arguments_at(edit, places)
    for file in edit["files"]:
        source = file.get("from") or file["file_path"]
        version, _ = _read(server, places.at_goal(source), meta)
        if needs_version(edit) and version != file["version_before"]:
            raise ValueError("the file has another text here")
    row["done"].append(server.ask(edit["tool"], sent, **meta)["edit_id"])


def _by_texts(
    server: Asking, file: Mapping[str, Any], places: Places, meta: Mapping[str, Any], row: dict[str, Any]
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


def _read(server: Asking, path: str, meta: Mapping[str, Any]) -> tuple[str | None, str | None]:
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
        if str(error.code) != "FS_NOT_FOUND":
            raise
        return None, None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="coeditor replay", description="Do a session's edits again in another checkout."
    )
    parser.add_argument(
        "edits", help="a session, turn or edit and all after it; X..Y for a range, X..X for one"
    )
    parser.add_argument("--into", required=True, metavar="FOLDER", help="the other checkout")
    add_common(parser)
    return parser
