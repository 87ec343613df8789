"""What an agent behind ``coeditor acp`` reads and writes by its host; not for models.

Never: imports that cost time, or an offer of these to an agent's model.
"""

from __future__ import annotations

from lsp_server.wire import results
from lsp_server.wire.params import Param, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PATH = Param("file_path", "path", "Absolute path.", required=True)

READ: Final = Tool(
    "host_read",
    "Read a file as the Agent Client Protocol does",
    "The text without line numbers; it counts as read.",
    (
        _PATH,
        Param("line", "integer", "First line wanted, 1-based.", minimum=0),
        Param("limit", "integer", "Most lines wanted.", minimum=0),
    ),
    results.HOST_READ,
    read_only=True,
)

WRITE: Final = Tool(
    "host_write",
    "Write a file as the Agent Client Protocol does",
    "Creates a file, or changes one that was read whole into the new text.",
    (_PATH, Param("content", "string", "The whole text of the file.", required=True)),
    results.HOST_WRITTEN,
    read_only=False,
)
