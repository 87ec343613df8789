"""``coeditor hook``: one event of an agent's hook on standard input, the agent's answer on standard output.

The agent waits for it at every call, so it imports little and asks the server once. Where no server answers, the
setting ``hook_failure`` decides: ``open`` lets the call run and says so once a session, ``closed`` refuses what
would change files. It exits with 0 and speaks in its JSON; only ``closed``, for an event that cannot be read at all,
exits with 2.

Never: a decision of its own while a server answers.
"""

from __future__ import annotations

import json
import os
import sys

from ledger.errors import Code, CoeditorError
from lsp_server.acp.known import known_name
from lsp_server.agents.link import Seeker, hello
from lsp_server.agents.socket_link import LostError
from lsp_server.agents.socket_methods import CALL
from lsp_server.hooks.dialects import dialect, name_of
from lsp_server.hooks.events import HookAnswer, HookEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

REFUSED: Final = 2
"""Exit status by which agents take a call as refused."""
PATIENCE: Final = 8.0
"""Seconds for a server to be there, and for its answer; agents wait 10 and longer."""
_FOLDERS: Final = {
    "claude-code": "CLAUDE_PROJECT_DIR",
    "gemini": "GEMINI_PROJECT_DIR",
    "copilot": "COPILOT_PROJECT_DIR",
}
"""Where an agent tells its hooks of the project folder; ``cwd`` moves with its shell."""
_CHANGING: Final = ("edit", "write", "patch", "delete", "shell")
_USAGE: Final = (
    "coeditor hook takes no arguments: it reads one event of an agent's hook, as JSON, from standard input. "
    "`coeditor setup AGENT` puts it into an agent's configuration."
)


def main(argv: Sequence[str]) -> int:
    """Answer one event; the exit status."""
    if argv:
        print(_USAGE, file=sys.stderr)
        return 0 if argv[0] in ("-h", "--help") else 1
    try:
        payload = json.loads(sys.stdin.buffer.read())
        if not isinstance(payload, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError) as error:
        return _unreadable(error)
    speaker = dialect(name_of(payload, os.environ))
    event = speaker.decode(payload)
    if event is None or (event.kind == "after" and event.action == "own"):
        _print(speaker.QUIET)
        return 0
    # Behind an editor's host it is one session with the agent's file access there, and sees the host's texts.
    event.session = known_name(event.session) or event.session
    answer = answer_to(event)
    _print(speaker.QUIET if answer.is_silent else speaker.encode(event, answer, payload))
    return 0


def answer_to(event: HookEvent, seeker: Seeker | None = None) -> HookAnswer:
    """The server's answer, or what the settings say where there is none."""
    try:
        return _ask(event, seeker or Seeker(folder_of(event, os.environ)))
    except CoeditorError as error:
        return _without_server(event, error)
    except (OSError, ValueError, KeyError, LostError) as error:
        what = f"The Coeditor server did not answer ({type(error).__name__})."
        return _without_server(event, CoeditorError(Code.NO_SERVER, what))


def folder_of(event: HookEvent, environ: Mapping[str, str]) -> str:
    """The folder whose server is asked."""
    told = environ.get(_FOLDERS.get(event.agent, ""), "")
    for folder in (told, event.cwd):
        if os.path.isabs(folder) and os.path.isdir(folder):
            return folder
    return _here()


def _here() -> str:
    """The current folder; the top one where it is gone, so that the agent is answered all the same."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return os.sep


def _ask(event: HookEvent, seeker: Seeker) -> HookAnswer:
    greeting = hello("hook", event.cwd or seeker.cwd, event.session)
    link = seeker.reach(greeting, patience=PATIENCE)
    try:
        link.set_timeout(PATIENCE)
        link.send(
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": CALL, "params": _call(event)}).encode(),
            b"\n",
        )
        answer = json.loads(link.receive())
    finally:
        link.close()
    if "result" not in answer:
        told = (answer.get("error") or {}).get("data") or {}
        raise CoeditorError(Code.INTERNAL, str(told.get("message") or "The Coeditor server gave no answer."))
    return HookAnswer.from_dict(answer["result"]["answer"])


def _call(event: HookEvent) -> dict[str, Any]:
    found: dict[str, Any] = {
        "tool": "hook",
        "arguments": {"event": event.to_dict()},
        "session": event.session,
        "scope": event.scope,
        "turn": event.turn,
        "call_id": event.call_id,
        "agent": event.agent,
        "cwd": event.cwd,
    }
    return {name: value for name, value in found.items() if value}


def _without_server(event: HookEvent, error: CoeditorError) -> HookAnswer:
    why = f"{error.message} `coeditor doctor` finds what is wrong."
    if fails_closed(folder_of(event, os.environ)):
        if event.kind == "before" and event.action in _CHANGING:
            return HookAnswer(
                deny=f"Coeditor: nothing may be changed while its server cannot be asked. {why}"
            )
        return HookAnswer()
    if event.kind == "session_ended" or not _is_first_time(event.session):
        return HookAnswer()
    return HookAnswer(message=f"Coeditor does not guard this session's own edit tools: {why}")


def fails_closed(folder: str) -> bool:
    """Whether the settings for ``folder`` want calls refused that cannot be checked."""
    from lsp_server import paths
    from lsp_server.settings import from_environment

    return from_environment(paths.workspace_root(folder)).hook_failure == "closed"


def _is_first_time(session: str) -> bool:
    """Whether this session has not been told yet; afterwards it has."""
    from hashlib import blake2b

    from lsp_server import paths

    try:
        name = "hook-" + blake2b(session.encode("utf-8", "replace"), digest_size=8).hexdigest()
        os.close(os.open(os.path.join(paths.runtime_home(), name), os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except (OSError, CoeditorError):
        return True
    return True


def _unreadable(error: Exception) -> int:
    print(f"coeditor hook: the event on standard input is no JSON object ({error}).", file=sys.stderr)
    return REFUSED if fails_closed(_here()) else 0


def _print(text: str) -> None:
    if text:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
