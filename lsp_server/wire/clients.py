"""What is known of the MCP clients, by the name that they give themselves.

Never: behaviour by guess; a client that is not in the table gets everything.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final


class Client:
    """One client."""

    __slots__ = ("agent", "images", "session_variable", "structured")

    def __init__(
        self,
        agent: str | None,
        *,
        structured: bool = False,
        session_variable: str | None = None,
        images: bool = True,
    ) -> None:
        self.agent = agent
        """Name for people."""
        self.structured = structured
        """Whether a success carries ``structuredContent`` beside the text, and tools an output schema."""
        self.session_variable = session_variable
        """Where the agent tells its children which conversation it is."""
        self.images = images
        """Whether an image in an answer comes before the model."""


CLIENTS: Final[Mapping[str, Client]] = {
    # Shown structuredContent, these hide the text; shown the text alone, their models get plain lines
    # in place of JSON-escaped ones.
    "claude-code": Client("claude-code", session_variable="CLAUDE_CODE_SESSION_ID"),
    "codex-mcp-client": Client("codex"),
    # Its models see structuredContent as JSON, else the plain text.
    **{
        name: Client("Visual Studio Code")
        for name in ("Visual Studio Code", "Visual Studio Code - Insiders", "code-server")
    },
    # These would show both, so the same thing twice.
    "copilot-cli": Client("copilot", session_variable="COPILOT_AGENT_SESSION_ID", images=False),
    "@cline/core": Client("cline"),
    # These show the text alone, whatever else there is.
    "gemini-cli-mcp-client": Client("gemini", session_variable="GEMINI_SESSION_ID"),
    # An image in front of a model that takes none ends the turn.
    "opencode": Client("opencode", images=False),
}


def client_of(info: Mapping[str, Any] | None) -> Client:
    """The client that ``clientInfo`` names; an unknown one is given text and structure both."""
    name = (info or {}).get("name")
    if not isinstance(name, str):
        return Client(None, structured=True)
    return CLIENTS.get(name) or Client(name[:80] or None, structured=True)
