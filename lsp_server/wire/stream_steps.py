"""What programs call that run a model, and no model does: a patch as it is written, what an agent's hook tells.

Never: imports that cost time, or an offer of these to an agent's model.
"""

from __future__ import annotations

from lsp_server.wire import results
from lsp_server.wire.params import Param, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_STREAM = Param("stream", "string", "The name that begin answered.", required=True)

BEGIN: Final = Tool(
    "apply_patch/begin",
    "Begin a patch that is being written",
    "Answers the name of a stream for the patch's text.",
    (),
    results.STREAM,
    read_only=True,
)

APPEND: Final = Tool(
    "apply_patch/append",
    "Take the next piece of a patch",
    "Takes text in pieces of any size; refuses as soon as the patch cannot become valid any more.",
    (_STREAM, Param("text", "string", "The next piece.", required=True)),
    results.PROGRESS,
    read_only=True,
)

COMMIT: Final = Tool(
    "apply_patch/commit",
    "Apply a patch that was taken in pieces",
    "Does what apply_patch does with the whole text.",
    (_STREAM, Param("validate_only", "boolean", "Plan and check, but change nothing.", default=False)),
    results.OUTCOME,
    read_only=False,
)

HOOK: Final = Tool(
    "hook",
    "What an agent's hook tells",
    "Takes one event of an agent's hook in the neutral form of `coeditor hook`, and says what the agent is to do.",
    (Param("event", "object", "The event.", required=True),),
    results.HOOK,
    read_only=False,
)
