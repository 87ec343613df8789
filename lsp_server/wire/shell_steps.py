"""What an agent's hooks tell of its shell commands; not for models.

Never: imports that cost time, or an offer of these to an agent's model.
"""

from __future__ import annotations

from lsp_server.wire import results
from lsp_server.wire.params import Param, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

BEGAN: Final = Tool(
    "shell_began",
    "A shell command is about to run",
    "With track_external: from here on, what the command changes is found.",
    (Param("command", "string", "The command, for people."),),
    results.SHELL_BEGAN,
    read_only=True,
)

ENDED: Final = Tool(
    "shell_ended",
    "A shell command has run",
    "What it changed is recorded as an edit of the session.",
    (),
    results.SHELL_ENDED,
    read_only=False,
)
