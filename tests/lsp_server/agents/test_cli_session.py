"""Which session a command line belongs to."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lsp_server.agents.cli_session import CliSession, session_of, terminal_of

PROBE = "from lsp_server.agents.cli_session import terminal_of; print(terminal_of())"


@pytest.mark.parametrize(
    ("told", "environment", "found"),
    [
        ("mine", {}, CliSession("mine")),
        ("mine", {"COEDITOR_SESSION": "env"}, CliSession("mine")),
        (None, {"COEDITOR_SESSION": "env"}, CliSession("env")),
        (None, {"CLAUDE_CODE_SESSION_ID": "c"}, CliSession("c", "claude-code")),
        (None, {"COPILOT_AGENT_SESSION_ID": "c"}, CliSession("c", "copilot")),
        (None, {"GEMINI_SESSION_ID": "g"}, CliSession("g", "gemini")),
        (None, {"COEDITOR_SESSION": "env", "GEMINI_SESSION_ID": "g"}, CliSession("env", "gemini")),
    ],
)
def test_who_says_which_session_it_is_has_it(
    told: str | None, environment: dict[str, str], found: CliSession
) -> None:
    assert session_of(told, environment, "tty", "/w") == found


def test_else_there_is_one_for_each_terminal_and_folder_and_it_is_a_persons() -> None:
    found = [session_of(None, {}, *each) for each in (("a", "/w"), ("b", "/w"), ("a", "/v"), ("a", "/w"))]
    assert len({each.session for each in found}) == 3
    assert found[0] == found[3]
    assert all(each.person and each.agent is None for each in found)


@pytest.mark.parametrize("empty", ["COEDITOR_SESSION", "CLAUDE_CODE_SESSION_ID"])
def test_an_empty_variable_says_nothing(empty: str) -> None:
    assert session_of(None, {empty: ""}, "a", "/w").person


def terminal_seen_from(stdin: int, *, own_session: bool = False) -> str:
    run = subprocess.run(
        [sys.executable, "-c", PROBE],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=own_session,
        text=True,
        check=True,
    )
    return run.stdout


def test_two_calls_on_one_terminal_are_one_session_and_two_terminals_are_two() -> None:
    ends = [os.openpty(), os.openpty()]
    try:
        (_, first), (_, second) = ends
        seen = [terminal_seen_from(each) for each in (first, first, second)]
    finally:
        for pair in ends:
            for descriptor in pair:
                os.close(descriptor)
    assert seen[0] == seen[1] != seen[2]


def test_commands_that_an_agent_starts_each_in_a_session_of_its_own_belong_together() -> None:
    seen = {terminal_seen_from(subprocess.DEVNULL, own_session=True) for _ in range(2)}
    assert len(seen) == 1


def test_the_terminal_of_this_process_does_not_change() -> None:
    assert terminal_of() == terminal_of()
