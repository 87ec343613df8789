"""The command line's grammar, made from the tools' own definitions.

Never: a parameter that a tool does not have, or one of a tool's left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lsp_server import __version__
from lsp_server.__main__ import PROGRAMS
from lsp_server.wire.params import MISSING, Param, Tool
from lsp_server.wire.tools import BY_NAME, TOOLS

POSITIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    "read": ("file_path",),
    "edit": ("file_path", "old_string", "new_string"),
    "write": ("file_path", "content"),
    "apply_patch": ("patch_file",),
    "edit_notebook": ("file_path", "cell_id"),
    "glob": ("pattern", "path"),
    "grep": ("pattern", "path"),
    "diagnostics": ("file_path",),
    "history": ("file_path",),
    "diff": ("file_path",),
    "rewind": ("to", "file_path"),
    "context_event": ("event",),
}
"""Parameters that can also be given by place; ``patch_file`` is where a patch is read from."""

TEXTS: Final = frozenset({"old_string", "new_string", "content", "patch", "new_source"})
"""Parameters whose text can come from a file."""
FROM_STDIN: Final[Mapping[str, str]] = {
    "edit": "new_string",
    "write": "content",
    "apply_patch": "patch",
    "edit_notebook": "new_source",
}
"""What ``--stdin`` fills."""
CONTEXT: Final = ("session", "scope", "turn", "call_id", "agent")
"""Who calls; not arguments of the tool."""


_MASK: Final = "\0"
"""Before a word that only looks like a flag; no word of a command line can hold it."""


def command_of(tool: str) -> str:
    """``apply_patch`` is ``apply-patch``."""
    return tool.replace("_", "-")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """What a command line asks for: ``tool``, and its parameters as ``given_*``, ``place_*``, ``file_*``.

    Exits with 2 for wrong usage, with 0 after ``--help`` and ``--version``.
    """
    tool = BY_NAME.get(words[0].replace("-", "_")) if words else None
    if tool is None:
        return build_parser().parse_args(words)
    parser = argparse.ArgumentParser(
        prog=f"coeditor {command_of(tool.name)}", description=tool.title + ".", allow_abbrev=False
    )
    _fill(parser, tool)
    return _unmasked(parser.parse_intermixed_args(_masked(words[1:])))


def _masked(words: Sequence[str]) -> list[str]:
    """Without ``--``, and with what stands behind it made into words that are no flags.

    ``argparse`` itself forgets what ``--`` means where places and flags may be mixed.
    """
    at = words.index("--") if "--" in words else len(words)
    return [*words[:at], *(_MASK + word for word in words[at + 1 :])]


def _unmasked(found: argparse.Namespace) -> argparse.Namespace:
    for name, value in vars(found).items():
        if isinstance(value, str):
            setattr(found, name, value.removeprefix(_MASK))
        elif isinstance(value, list):
            setattr(found, name, [word.removeprefix(_MASK) for word in value])
    return found


def build_parser() -> argparse.ArgumentParser:
    """The whole grammar, to show it and to say what does not fit it."""
    parser = argparse.ArgumentParser(
        prog="coeditor",
        description="Safe edits: each is checked against what the caller read and what the editor has open.",
        epilog="Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no server, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"coeditor {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for tool in TOOLS:
        about = tool.title[0].lower() + tool.title[1:]
        commands.add_parser(command_of(tool.name), help=about, add_help=False)
    for name, (_, about) in PROGRAMS.items():
        commands.add_parser(name, help=about, add_help=False)
    return parser


def _fill(parser: argparse.ArgumentParser, tool: Tool) -> None:
    parser.set_defaults(tool=tool.name)
    by_name = {param.name: param for param in tool.params}
    for name in POSITIONAL.get(tool.name, ()):
        about = (
            by_name[name].about if name in by_name else "File to read the patch from; - is standard input."
        )
        parser.add_argument(f"place_{name}", nargs="?", metavar=name.upper(), help=_escaped(about))
    for param in tool.params:
        if param.name not in CONTEXT:
            _add_param(parser, param)
    if tool.name in FROM_STDIN:
        parser.add_argument(
            "--stdin", action="store_true", help=f"read {FROM_STDIN[tool.name]} from standard input"
        )
    _add_context(parser)


def _add_param(parser: argparse.ArgumentParser, param: Param) -> None:
    flags = _flags(param.name)
    about = param.about
    if param.default not in (MISSING, False):
        about += f" Default: {param.default}."
    options: dict[str, Any] = {"dest": f"given_{param.name}", "default": None, "help": _escaped(about)}
    if param.kind == "boolean":
        options |= {"action": "store_const", "const": True}
    elif param.kind == "strings":
        options |= {"nargs": "+", "action": "extend", "metavar": "X"}
    else:
        options["metavar"] = "N" if param.kind == "integer" else "X"
        if param.kind == "integer":
            options["type"] = int
        if param.choices:
            options |= {"choices": param.choices, "metavar": None}
    parser.add_argument(*flags, **options)
    if param.name in TEXTS:
        short = {"old_string": ["--old-file"], "new_string": ["--new-file"]}.get(param.name, [])
        parser.add_argument(
            *short,
            f"--{command_of(param.name)}-file",
            dest=f"file_{param.name}",
            metavar="FILE",
            help=f"read {param.name} from this file; - is standard input",
        )


def _add_context(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("who calls, and how it is shown")
    group.add_argument("--json", action="store_true", help="print the result or error object as JSON")
    group.add_argument(
        "--session", help="the session; else COEDITOR_SESSION, the agent's own, or the terminal's"
    )
    group.add_argument("--scope", help="the context window within the session; main when left out")
    group.add_argument("--turn", help="the turn of the conversation")
    group.add_argument("--call-id", help="name of this one call")
    group.add_argument("--agent", help="name of the agent, for people")
    group.add_argument("--cwd", "-C", metavar="FOLDER", help="the current folder to take; else the real one")


def _flags(name: str) -> list[str]:
    spelled = [f"--{command_of(name)}"]
    if "_" in name:
        spelled.append(f"--{name}")
    return spelled


def _escaped(text: str) -> str:
    return text.replace("%", "%%")
