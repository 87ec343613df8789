"""What the commands for people have in common: whose call it is, the server, and how answers are shown.

Never: what a command asks, or what it makes of the answer.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ledger.errors import Code, CoeditorError
from lsp_server import paths
from lsp_server.agents.cli_session import session_of, terminal_of
from lsp_server.agents.link import connect_cli
from lsp_server.wire.error_texts import spans_text
from lsp_server.wire.remedies import sentence_of


class Asking:
    """A connection to the server of a folder, for as long as the block runs. Errors: NO_SERVER, UNAUTHORIZED."""

    def __init__(self, cwd: str | None = None, session: str | None = None) -> None:
        """``session``: whose calls they are; a person's where it is left out and no agent calls."""
        self.cwd = os.path.abspath(cwd or os.getcwd())
        self._who = session_of(session, os.environ, terminal_of(), paths.workspace_root(self.cwd))
        self._server = connect_cli(self.cwd, self._who.session)

    def __enter__(self) -> Asking:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    def ask(self, tool: str, sent: Mapping[str, Any], **meta: Any) -> dict[str, Any]:
        """The result. Errors: whatever the tool says."""
        if self._who.person:
            meta["person"] = True
        if self._who.agent:
            meta.setdefault("agent", self._who.agent)
        return self._server.call(tool, sent, **meta)


def add_common(parser: argparse.ArgumentParser) -> None:
    """What every such command takes."""
    parser.add_argument("--cwd", "-C", metavar="FOLDER", help="the folder to look from; else the current one")
    parser.add_argument("--json", action="store_true", help="print the object")


def fail(error: CoeditorError, *, as_json: bool) -> int:
    """Say what is wrong; the exit code."""
    found = error.to_object()
    if as_json:
        write(json.dumps(found, ensure_ascii=False))
    else:
        for row in error.data.get("files", ()):
            lines = spans_text(row["lines"])
            write(f"{row['file_path']}{': lines ' + lines if lines else ''} (changed by {row['moved_by']})")
        print(f"coeditor: {' '.join(sentence_of(found).split())} ({error.code})", file=sys.stderr)
    return 3 if error.code is Code.NO_SERVER else 1


def show(found: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """The answer: the object, or ``text``, in colour on a terminal; warnings besides."""
    if as_json:
        write(json.dumps(found, ensure_ascii=False))
        return
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        from lsp_server.agents.cli_colors import print_colored

        print_colored(text)
    elif text:
        write(text)
    for warning in found.get("warnings", ()):
        print(f"coeditor: {warning}", file=sys.stderr)


def write(text: str) -> None:
    """A line on standard output; a reader that went away is no error."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
