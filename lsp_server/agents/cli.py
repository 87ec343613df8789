"""The command line's door: one call of one tool, shown to a person or as JSON.

::

    standard output    the result (with --json the result or error object); of an error, what it shows
    standard error     of an error: one sentence with the remedy

Never: what a tool does; the server that holds the folder does it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

from ledger.errors import Code, CoeditorError
from lsp_server import paths
from lsp_server.agents.cli_parser import CONTEXT, FROM_STDIN, POSITIONAL, TEXTS, build_parser, parse
from lsp_server.agents.cli_session import CliSession, session_of, terminal_of
from lsp_server.wire.arguments import decode_arguments
from lsp_server.wire.remedies import sentence_of
from lsp_server.wire.texts import content_text, error_text
from lsp_server.wire.tools import BY_NAME

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
NO_SERVER: Final = 3


def main(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code. Wrong usage exits with 2 from within, as ``argparse`` does."""
    if not arguments:
        build_parser().print_help(sys.stderr)
        return USAGE
    asked = parse(arguments)
    try:
        sent = arguments_of(asked)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        print(f"coeditor: {error}", file=sys.stderr)
        return USAGE
    cwd = os.path.abspath(asked.cwd or os.getcwd())
    try:
        found = _call(asked, decode_arguments(asked.tool, sent), cwd)
    except CoeditorError as error:
        return _fail(error, as_json=asked.json)
    _show(asked.tool, found, as_json=asked.json)
    return OK


def arguments_of(asked: argparse.Namespace) -> dict[str, Any]:
    """The tool's arguments, from flags, places, files and standard input.

    Errors: ValueError when one is given twice, OSError and UnicodeDecodeError for a file that cannot be read.
    """
    found: dict[str, Any] = {}
    for param in BY_NAME[asked.tool].params:
        if param.name in CONTEXT:
            continue
        values = _values(asked, param.name)
        if len(values) > 1:
            raise ValueError(f"{param.name} is given twice.")
        if values:
            found[param.name] = values[0]
    return found


def _values(asked: argparse.Namespace, name: str) -> list[Any]:
    """All that the command line gives for one parameter."""
    told = [getattr(asked, f"given_{name}"), getattr(asked, f"place_{name}", None)]
    found = [value for value in told if value is not None]
    if name not in TEXTS:
        return found
    sources = [getattr(asked, f"file_{name}")]
    if name == "patch" and "patch_file" in POSITIONAL[asked.tool]:
        sources.append(asked.place_patch_file)
    if FROM_STDIN.get(asked.tool) == name:
        sources.append("-" if asked.stdin else None)
        if name in ("content", "patch") and "-" in found:
            found.remove("-")
            sources.append("-")
    return found + [_text_from(source) for source in sources if source is not None]


def _text_from(source: str) -> str:
    """The text of a file as it is, line ends included."""
    data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    return data.decode("utf-8")


def _call(asked: argparse.Namespace, sent: Mapping[str, Any], cwd: str) -> dict[str, Any]:
    from lsp_server.agents.link import connect_cli

    who = _who(asked, cwd)
    told = {name: getattr(asked, name) for name in CONTEXT if name != "session"}
    told["agent"] = told["agent"] or who.agent
    meta: dict[str, Any] = {name: value for name, value in told.items() if value}
    if who.person:
        meta["person"] = True
    server = connect_cli(cwd, who.session)
    try:
        return server.call(asked.tool, sent, **meta)
    finally:
        server.close()


def _who(asked: argparse.Namespace, cwd: str) -> CliSession:
    return session_of(asked.session, os.environ, terminal_of(), paths.workspace_root(cwd))


def _fail(error: CoeditorError, *, as_json: bool) -> int:
    found = error.to_object()
    if as_json:
        _print(json.dumps(found, ensure_ascii=False))
    else:
        shown = error_text(found).split("\n", 1)
        if len(shown) > 1:
            _print_pleasantly(shown[1])
        print(f"coeditor: {' '.join(sentence_of(found).split())} ({error.code})", file=sys.stderr)
    return NO_SERVER if error.code is Code.NO_SERVER else FAILED


def _show(tool: str, found: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        _print(json.dumps(found, ensure_ascii=False))
    elif tool == "diff" and sys.stdout is not None and not sys.stdout.isatty():
        # Another program takes it, git for one: the diff to the last byte, and nothing else.
        if found["diff"]:
            _print(found["diff"].removesuffix("\n"))
        for warning in found.get("warnings", ()):
            print(f"coeditor: {warning}", file=sys.stderr)
    else:
        _print_pleasantly(content_text(tool, found))


def _print_pleasantly(text: str) -> None:
    if sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        from lsp_server.agents.cli_colors import print_colored

        print_colored(text)
    else:
        _print(text)


def _print(text: str) -> None:
    """Write a line; a reader that went away (``| head``) is no error, and neither is one that never was.

    One that cannot be written (a full disk) exits with 1, and says that only the answer is lost.
    """
    if sys.stdout is None:
        return
    try:
        out: IO[bytes] = sys.stdout.buffer
        out.write(text.encode("utf-8", "backslashreplace") + b"\n")
        out.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(
            f"coeditor: the call was done, but its answer could not be written ({error.strerror}).",
            file=sys.stderr,
        )
        raise SystemExit(FAILED) from None
