"""What people call an agent: its product, and the terminal or window that it runs in.

Never: more than the process table and the client's own words tell.
"""

from __future__ import annotations

import itertools
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

from lsp_server.platforms import parent_of, process_fields

PRODUCTS: Final[Mapping[str, str]] = {
    "claude-code": "Claude Code",
    "codex-mcp-client": "Codex",
    "copilot-cli": "Copilot CLI",
    "@cline/core": "Cline",
    "gemini-cli-mcp-client": "Gemini CLI",
    "opencode": "OpenCode",
    "Visual Studio Code": "VS Code",
    "cursor-vscode": "Cursor",
    "codex": "Codex",
    "copilot": "Copilot CLI",
    "cline": "Cline",
    "gemini": "Gemini CLI",
    "cursor": "Cursor",
    "vscode": "VS Code",
}
"""By what an agent says of itself, and by what we call it."""
_DEPTH: Final = 4
_MOST: Final = 500
_FIRST_PTY, _LAST_PTY = 136, 143
"""Major device numbers of terminals in Linux."""


def title_of(
    name: str | None,
    pid: int | None,
    environment: Mapping[str, Any],
    *,
    terminal: Callable[[int], int | None] | None = None,
) -> str:
    """For example ``Claude Code in terminal 2``; ``an agent`` where nothing is told."""
    product = PRODUCTS.get(name or "", name) or "an agent"
    number = (terminal or terminal_of)(pid) if pid is not None else None
    program = environment.get("TERM_PROGRAM")
    if number is not None:
        return f"{product} in terminal {number}"
    return f"{product} in {program}" if isinstance(program, str) and program else product


def with_titles(agents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, in the order of coming, with titles that are told apart: of equal ones the later are numbered."""
    seen: Counter[str] = Counter()
    found = []
    for row in agents:
        title = str(row["title"])
        seen[title] += 1
        found.append(row | {"title": f"{title} ({seen[title]})"} if seen[title] > 1 else row)
    return found


class Titles:
    """What the sessions at work here are called, each as long as it is one of the last."""

    def __init__(self, terminal: Callable[[int], int | None] | None = None) -> None:
        self._terminal = terminal
        self._by_session: OrderedDict[str, str] = OrderedDict()

    def note(self, session: str, agent: str | None, pid: int | None) -> None:
        """A call of ``session`` came from ``agent``, by the process ``pid``."""
        if agent is None or session in self._by_session:
            return
        title = title_of(agent, pid, {}, terminal=self._terminal)
        taken = set(self._by_session.values())
        numbered = (f"{title} ({number})" for number in itertools.count(2))
        self._by_session[session] = (
            title if title not in taken else next(one for one in numbered if one not in taken)
        )
        while len(self._by_session) > _MOST:
            self._by_session.popitem(last=False)

    def of(self, session: str) -> str | None:
        """Its title; None for one that is not known."""
        return self._by_session.get(session)

    def of_mover(self, mover: str) -> str | None:
        """The title of another session that ``moved_by`` names; None for everybody else."""
        kind, _, session = mover.partition(":")
        return self.of(session) if kind == "session" else None


def terminal_of(pid: int) -> int | None:
    """The number of the terminal that ``pid``, or one above it, runs in; None without one."""
    here: int | None = pid
    for _ in range(_DEPTH):
        if here is None or here <= 1:
            return None
        fields = process_fields(here)
        device = int(fields[4]) if len(fields) > 4 else 0
        major, minor = device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xFFF00
        if _FIRST_PTY <= major <= _LAST_PTY:
            return (major - _FIRST_PTY) * 256 + minor
        here = parent_of(here)
    return None
