"""Which agent a payload is from.

The payload decides; the environment only where it holds this very session's id, since children inherit it.

Never: a guess by CLAUDE_PROJECT_DIR, which several agents set.
"""

from __future__ import annotations

from importlib import import_module

from lsp_server.hooks.loose import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final, Protocol

    from lsp_server.hooks.events import HookAnswer, HookEvent

    class Dialect(Protocol):
        """One agent's module in this package."""

        QUIET: str

        def decode(self, payload: Mapping[str, Any]) -> HookEvent | None:
            """The event that an agent's payload is; None for one that is none of our business."""
            ...

        def encode(self, event: HookEvent, answer: HookAnswer, payload: Mapping[str, Any]) -> str:
            """What goes to standard output for ``answer``, as this agent reads it."""
            ...


DIALECTS: Final = ("claude", "codex", "gemini", "copilot", "vscode", "cursor", "cline", "opencode")

_GEMINI: Final = frozenset(
    {"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "PreCompress"}
    | {"BeforeToolSelection"}
)


def name_of(payload: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """The dialect of ``payload``, one of DIALECTS."""
    if "cursor_version" in payload or ("conversation_id" in payload and "workspace_roots" in payload):
        return "cursor"
    if "clineVersion" in payload or ("hookName" in payload and "taskId" in payload):
        return "cline"
    if "opencode" in payload:
        return "opencode"
    if "sessionId" in payload:
        return "copilot"
    return _snake(payload, environ)


def _snake(payload: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """Of those whose keys are session_id and hook_event_name."""
    session = text(payload, "session_id")
    if payload.get("hook_event_name") in _GEMINI or environ.get("GEMINI_SESSION_ID") == session:
        return "gemini"
    if session is not None and environ.get("CLAUDE_CODE_SESSION_ID") == session:
        return "claude"
    transcript = (text(payload, "transcript_path") or "").replace("\\", "/")
    if "turn_id" in payload or transcript.rpartition("/")[2].startswith("rollout-"):
        return "codex"
    if "timestamp" not in payload:
        return "claude"
    if "/.gemini/" in transcript:
        return "gemini"
    is_copilot = "parent_agent_id" in payload or "COPILOT_CLI" in environ or "/.copilot/" in transcript
    return "copilot" if is_copilot or "tool_result" in payload else "vscode"


def dialect(name: str) -> Dialect:
    """The module of one of DIALECTS."""
    module: Any = import_module(f"lsp_server.hooks.{name}")
    found: Dialect = module
    return found
