"""``coeditor lines``: whose each line of a file is.

Never: a change of anything.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from editor_clients.lines import bare_lines
from ledger.errors import CoeditorError
from lsp_server.people import Asking, add_common, fail, show


def main(arguments: Sequence[str]) -> int:
    """0, or 1 with an error, or 3 where no server can be reached."""
    parser = argparse.ArgumentParser(prog="coeditor lines", description="Whose each line of a file is.")
    parser.add_argument("file_path", help="the file")
    add_common(parser)
    asked = parser.parse_args(arguments)
    try:
        with Asking(asked.cwd) as server:
            path = os.path.join(server.cwd, asked.file_path)
            found = server.ask("lines", {"file_path": path}, cwd=server.cwd)
            text = found["text"]
    except CoeditorError as error:
        return fail(error, as_json=asked.json)
    show(found, "\n".join(lines_of(found, text)), as_json=asked.json)
    return 0


def lines_of(found: Mapping[str, Any], text: str) -> Iterator[str]:
    """Each line of the text with its number and whose it is."""
    lines = bare_lines(text)
    names = [_name(row) for row in found["lines"]]
    width = max((len(name) for name in names), default=0)
    for row, name in zip(found["lines"], names, strict=True):
        for number in range(row["start_line"], row["end_line"] + 1):
            yield f"{name:<{width}}  {number:>5}  {lines[number - 1] if number <= len(lines) else ''}"


def _name(row: Mapping[str, Any]) -> str:
    if row["by"] == "person":
        return "person"
    return f"{row.get('agent') or row['session']} {row['edit_id']}"
