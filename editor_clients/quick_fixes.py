"""What a language server offers to do about a problem: the title of its first quick fix.

Never: applying one.
"""

from __future__ import annotations

from collections.abc import Sequence

from editor_clients.loose_json import Json, as_list, as_object, as_text
from editor_clients.lsp_stdio import ConnectionLostError, ResponseError, StdioConnection

_KIND = "quickfix"
MAX_TITLE = 120
"""Characters."""


async def fix_title(connection: StdioConnection, uri: str, raw: object) -> str | None:
    """The title of the fix that the server would take first for its diagnostic ``raw``; None where it has none.

    Cancelling withdraws the question.
    """
    problem = as_object(raw)
    context: Json = {"diagnostics": [problem], "only": [_KIND], "triggerKind": 1}
    params: Json = {"textDocument": {"uri": uri}, "range": problem.get("range"), "context": context}
    try:
        answer = await connection.request("textDocument/codeAction", params)
    except (ConnectionLostError, ResponseError):
        return None
    return first_title([as_object(action) for action in as_list(answer)])


def first_title(actions: Sequence[Json]) -> str | None:
    """The preferred quick fix, else the first; commands without a kind count as one, disabled ones do not."""
    usable = [action for action in actions if "disabled" not in action and _is_fix(action)]
    preferred = [action for action in usable if action.get("isPreferred") is True]
    titles = (as_text(action.get("title")).strip() for action in (*preferred, *usable))
    found = next((title for title in titles if title), None)
    return found if found is None or len(found) <= MAX_TITLE else found[: MAX_TITLE - 1] + "…"


def _is_fix(action: Json) -> bool:
    kind = as_text(action.get("kind"), _KIND)
    return kind == _KIND or kind.startswith(_KIND + ".")
