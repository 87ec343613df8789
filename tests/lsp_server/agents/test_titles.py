"""What people call agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lsp_server.agents import titles
from lsp_server.agents.channel import Room
from lsp_server.agents.messages import Hello
from lsp_server.agents.relayed import RelayConnection
from lsp_server.agents.titles import Titles, terminal_of, title_of, with_titles


@pytest.mark.parametrize(
    ("name", "terminal", "environment", "title"),
    [
        ("claude-code", 2, {"TERM_PROGRAM": "tmux"}, "Claude Code in terminal 2"),
        ("codex-mcp-client", None, {"TERM_PROGRAM": "vscode"}, "Codex in vscode"),
        ("something", None, {}, "something"),
        (None, 0, {}, "an agent in terminal 0"),
        (None, None, {}, "an agent"),
    ],
)
def test_a_title(name: str | None, terminal: int | None, environment: Mapping[str, str], title: str) -> None:
    assert title_of(name, 1, environment, terminal=lambda _: terminal) == title


def test_equal_titles_are_numbered_in_the_order_of_coming() -> None:
    rows = [
        {"title": "Codex", "since": "1"},
        {"title": "Cline", "since": "1"},
        {"title": "Codex", "since": "1"},
    ]
    assert [row["title"] for row in with_titles(rows)] == ["Codex", "Cline", "Codex (2)"]


@pytest.mark.parametrize(
    ("device", "number"), [(136 << 8 | 2, 2), (137 << 8 | 1, 257), (4 << 8 | 1, None), (0, None)]
)
def test_the_terminal_is_the_process_tables(
    monkeypatch: pytest.MonkeyPatch, device: int, number: int | None
) -> None:
    table = {7: ["S", "6", "1", "1", "0"], 6: ["S", "1", "1", "1", str(device)]}
    monkeypatch.setattr(titles, "process_fields", lambda pid: table.get(pid, []))
    monkeypatch.setattr(titles, "parent_of", lambda pid: int(table[pid][1]) if pid in table else None)
    assert terminal_of(7) == number


def test_sessions_keep_their_titles_and_are_told_apart() -> None:
    known = Titles(terminal={10: 2, 11: 3}.get)
    for session, agent, pid in (
        ("a", "claude-code", 10),
        ("b", "claude-code", 11),
        ("c", "codex", None),
        ("d", "codex", None),
        ("a", "codex", None),
        ("shell", None, 10),
    ):
        known.note(session, agent, pid)
    found = [known.of(session) for session in ("a", "b", "c", "d", "shell")]
    assert found == ["Claude Code in terminal 2", "Claude Code in terminal 3", "Codex", "Codex (2)", None]
    assert known.of_mover("session:b") == "Claude Code in terminal 3"
    assert known.of_mover("git:checkout") is None


def test_the_process_table_is_asked_once_for_an_agent_and_not_with_each_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def third(pid: int) -> int:
        asked.append(pid)
        return 3

    monkeypatch.setattr("lsp_server.agents.relayed.terminal_of", third)
    told = {"clientInfo": {"name": "claude-code", "version": "1"}}
    nobody: Any = None
    agent = RelayConnection(nobody, Hello("mcp", "", 7, "/w", {}, "s", told), nobody, room=Room())
    assert {agent.about()["title"] for _ in range(3)} == {"Claude Code in terminal 3"}
    assert asked == [7]
