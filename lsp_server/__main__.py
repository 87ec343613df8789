"""The ``coeditor`` command: hands each subcommand to the file that has it.

Never: an import that the subcommand does not need; ``coeditor mcp`` and ``coeditor hook`` are started by
agents and must be there at once.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

PROGRAMS: Final[Mapping[str, tuple[str, str]]] = {
    "mcp": ("lsp_server.relay", "MCP on standard input and output, as agents start it"),
    "hook": ("lsp_server.agents.hooking", "one event of an agent's hook, as agents start it"),
    "acp": ("lsp_server.acp.command", "between an agent that speaks ACP and its host"),
    "serve": ("lsp_server.serve", "the server of a workspace folder, as editors start it"),
    "setup": ("lsp_server.setup.command", "put it into an agent's or editor's configuration"),
    "doctor": ("lsp_server.doctor", "find what is wrong with the installation, and say the remedy"),
    "demo": ("lsp_server.demo", "show all of it on a small project of its own"),
    "ledger": ("lsp_server.ledger_view", "what each session saw and did"),
    "review": ("lsp_server.review_command", "keep or undo what agents changed, hunk by hunk"),
    "lines": ("lsp_server.lines_command", "whose each line of a file is"),
    "report": ("lsp_server.report", "a bundle for a bug report, without any file content"),
    "replay": ("lsp_server.replay_command", "do a session's edits again in another checkout"),
}
"""Subcommands that are programs of their own: where, and what for. Each has ``main(arguments) -> int``."""

USAGES: Final[Mapping[str, str]] = {
    "mcp": "[--root FOLDER] [--session ID]",
    "acp": "-- COMMAND [ARGUMENT ...] | --print FOLDER",
    "serve": "[--headless] [--http] [--port NUMBER] [--log-json] [--root FOLDER]",
    "doctor": "[--repair] [--agents] [--json]",
    "demo": "",
    "report": "[--out FILE]",
}
"""What those take that have no help of their own."""

USAGE: Final = 2
INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is README's, "Exit codes"."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words and words[0] in PROGRAMS:
            return _run_program(words[0], words[1:])
        from lsp_server.agents import cli

        return cli.main(words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except FileNotFoundError:
        if _has_current_folder():
            raise
        print("coeditor: the current folder is not there any more; go to another one.", file=sys.stderr)
        return USAGE


def _has_current_folder() -> bool:
    """Whether the folder that this process was started in is still there."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _run_program(name: str, arguments: list[str]) -> int:
    import gc
    from importlib import import_module

    module, about = PROGRAMS[name]
    if name in USAGES and arguments in (["-h"], ["--help"]):
        print(f"usage: coeditor {name} {USAGES[name]}".rstrip() + f"\n\n{about[0].upper()}{about[1:]}.")
        return 0
    gc.disable()  # an import makes no garbage, and looking for it takes a twentieth of the time
    try:
        program = import_module(module)
    finally:
        gc.enable()
    code = program.main(arguments)
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    sys.exit(main())
