"""Where agents were stopped, for people's programs; not for models.

Never: imports that cost time, or an offer of these to an agent's model.
"""

from __future__ import annotations

from lsp_server.wire import results
from lsp_server.wire.params import Param, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

CONFLICTS: Final = Tool(
    "conflicts",
    "Where agents were stopped",
    "The refusals that stand until the agent's next change of the file, its end, or a person's word.",
    (),
    results.CONFLICTS,
    read_only=True,
)

TEXTS: Final = Tool(
    "conflicts/texts",
    "The texts of a conflict",
    "What the agent saw, what is there now, and what it wanted.",
    (Param("conflict", "string", "As conflicts names it.", required=True),),
    results.CONFLICT_TEXTS,
    read_only=True,
)

DISMISS: Final = Tool(
    "conflicts/dismiss",
    "Settle conflicts",
    "The person has decided about these; no file is changed.",
    (Param("conflicts", "strings", "As conflicts names them.", required=True),),
    results.DISMISSED,
    read_only=False,
)
