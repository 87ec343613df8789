"""The one event that every agent's hooks come down to, and the one answer that they are given.

Never: a word that only one agent knows.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    Kind = Literal[
        "before",
        "after",
        "session_started",
        "session_ended",
        "scope_started",
        "scope_ended",
        "evicted",
    ]
    Action = Literal["read", "edit", "write", "patch", "delete", "shell", "own", "none"]
    Source = Literal["new", "resumed", "cleared", "compacted"]


class FileUse:
    """One file that a native tool reads or changes."""

    __slots__ = ("action", "first", "limit", "path", "shown")

    def __init__(
        self,
        path: str,
        action: Action,
        *,
        first: int | None = None,
        limit: int | None = None,
        shown: str | None = None,
    ) -> None:
        self.path = path
        """As the tool was given it."""
        self.action = action
        """``read``, ``edit`` (text is replaced by other text), ``write`` (the whole file) or ``delete``."""
        self.first = first
        """Of a read: the first line that was asked for or shown, 1-based."""
        self.limit = limit
        """Of a read: how many lines."""
        self.shown = shown
        """After a read: the very text that the model was given, where the agent tells it."""

    def to_dict(self) -> dict[str, Any]:
        """For the wire."""
        found = {name: getattr(self, name) for name in FileUse.__slots__}
        return {name: value for name, value in found.items() if value is not None}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> FileUse:
        """From the wire. Errors: KeyError."""
        return cls(
            found["path"],
            found["action"],
            first=found.get("first"),
            limit=found.get("limit"),
            shown=found.get("shown"),
        )


class HookEvent:
    """One thing that an agent told by its hook."""

    __slots__ = (
        "abilities",
        "action",
        "agent",
        "arguments",
        "body",
        "call_id",
        "changed",
        "cwd",
        "failed",
        "files",
        "kind",
        "own_name",
        "parent",
        "scope",
        "session",
        "source",
        "tool",
        "turn",
    )

    def __init__(
        self,
        agent: str,
        kind: Kind,
        session: str,
        *,
        cwd: str = "",
        scope: str = "main",
        parent: str | None = None,
        turn: str | None = None,
        call_id: str | None = None,
        tool: str = "",
        action: Action = "none",
        files: tuple[FileUse, ...] = (),
        body: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        changed: tuple[str, ...] = (),
        failed: bool = False,
        source: Source = "new",
        own_name: str = "{}",
        abilities: tuple[str, ...] = (),
    ) -> None:
        self.agent = agent
        """Name for people, as ``Caller.agent`` has it."""
        self.kind = kind
        self.session = session
        self.scope = scope
        """``main``, or the sub-agent's own name."""
        self.parent = parent
        """The scope that started this one, where it is told."""
        self.turn = turn
        self.call_id = call_id
        """The agent's name of the tool call, equal in the hooks before and after it."""
        self.cwd = cwd
        self.tool = tool
        """The agent's name of its tool; for ``own`` ours, without the agent's decoration."""
        self.action = action
        """What the tool does: a native one, or ``own``."""
        self.files = files
        self.body = body
        """For ``patch`` its text, for ``shell`` the command."""
        self.arguments = arguments
        """For ``own``: what our tool is about to be called with."""
        self.changed = changed
        """After a shell command: the files that the agent saw change."""
        self.failed = failed
        """After a call: it did not succeed."""
        self.source = source
        """Of a session's start."""
        self.own_name = own_name
        """How this agent's model calls our tools; ``{}`` stands for ours."""
        self.abilities = abilities
        """``redirect``: a read can be pointed at another file. ``tell_before``, ``tell_after``: context that is
        answered then reaches the model."""

    def to_dict(self) -> dict[str, Any]:
        """For the wire."""
        found = {name: getattr(self, name) for name in HookEvent.__slots__}
        found["files"] = [one.to_dict() for one in self.files]
        return {name: value for name, value in found.items() if value not in (None, (), [], False)}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> HookEvent:
        """From the wire. Errors: KeyError, TypeError."""
        known = {name: found[name] for name in cls.__slots__ if name in found}
        known["files"] = tuple(FileUse.from_dict(one) for one in known.get("files", ()))
        for name in ("changed", "abilities"):
            known[name] = tuple(known.get(name, ()))
        return cls(**known)

    def name_of(self, tool: str) -> str:
        """What this agent's model calls our ``tool``."""
        return self.own_name.replace("{}", tool)


class HookAnswer:
    """What the agent is to do."""

    __slots__ = ("context", "deny", "message", "read_path")

    def __init__(
        self,
        *,
        deny: str | None = None,
        context: str | None = None,
        read_path: str | None = None,
        message: str | None = None,
    ) -> None:
        self.deny = deny
        """Why the call must not run, with what to do in its place; None lets it run."""
        self.context = context
        """For the model, beside the tool's own answer."""
        self.read_path = read_path
        """The file to read in place of the one named."""
        self.message = message
        """For the person."""

    @property
    def is_silent(self) -> bool:
        """Nothing is to be said."""
        return not (self.deny or self.context or self.read_path or self.message)

    def to_dict(self) -> dict[str, Any]:
        """For the wire."""
        found = {name: getattr(self, name) for name in HookAnswer.__slots__}
        return {name: value for name, value in found.items() if value}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> HookAnswer:
        """From the wire; what is not known is passed over."""
        return cls(**{name: found[name] for name in cls.__slots__ if name in found})
