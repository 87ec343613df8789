"""``coeditor ledger``: what each session has in front of it, as the ledger knows it.

Never: a change, or a text of a file.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ledger.errors import CoeditorError
from lsp_server.people import Asking, add_common, fail, show
from lsp_server.wire.error_texts import spans_text

_HOW = {"read": "read by", "edit": "written by", "shown": "shown by"}


def main(arguments: Sequence[str]) -> int:
    """0, or 1 with an error, or 3 where no server can be reached."""
    asked = _parser().parse_args(arguments)
    try:
        with Asking(asked.cwd) as server:
            found = server.ask("ledger", {"file_path": asked.file_path, "sessions": asked.session})
    except CoeditorError as error:
        return fail(error, as_json=asked.json)
    show(found, "\n".join(lines_of(found)), as_json=asked.json)
    return 0


def lines_of(found: Mapping[str, Any]) -> Iterator[str]:
    """The answer as a person reads it."""
    if not found["scopes"]:
        yield "No session has seen a file here."
    for scope in found["scopes"]:
        last = f", last call {scope['last_call']}" if "last_call" in scope else ""
        title = f"{scope['title']}: " if "title" in scope else ""
        yield f"{title}session {scope['session']}, scope {scope['scope']}{last}"
        for row in scope["files"]:
            yield f"  {row['file_path']}"
            yield f"    {_state(row)} at {row['time']}"
            for call in row["calls"]:
                names = ", ".join(call["call_ids"]) or "a call without a name"
                yield f"    lines {spans_text(call['lines']) or 'none'} {_HOW[call['how']]} {names}"
    if found["truncated"]:
        yield "There are more; name a file or a --session."


def _state(row: Mapping[str, Any]) -> str:
    if row["state"] == "absent":
        return "looked for and not there,"
    total = row["total_lines"]
    whole = "may be overwritten" if row["may_overwrite"] else "not read as a whole"
    shown = spans_text(row["shown"]) or "none"
    return f"present, version {row['version']}; lines {shown} of {total} are known; {whole};"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="coeditor ledger", description="What each session saw.")
    parser.add_argument("file_path", nargs="?", help="only what is known of this file")
    parser.add_argument("--session", action="append", help="only this session; may be given several times")
    add_common(parser)
    return parser
