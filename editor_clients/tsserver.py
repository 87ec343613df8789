"""Asking TypeScript's own server, which stands behind typescript-language-server, for the diagnostics of one file.

What the language server publishes by itself comes a third of a second late, names no version, and does not come at
all for a file that stays without problems; asked directly, TypeScript answers about the text at hand.

Never: anything but questions.
"""

from __future__ import annotations

from editor_clients.loose_json import Json, as_int, as_list, as_object, as_text
from editor_clients.lsp_stdio import StdioConnection

_COMMAND = "typescript.tsserverRequest"
_KINDS = ("syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync")
_SEVERITY = {"error": 1, "warning": 2, "suggestion": 4, "message": 3}


async def tsserver_diagnostics(connection: StdioConnection, uri: str) -> list[object]:
    """LSP's diagnostics of an open document. Errors: ResponseError, ConnectionLostError."""
    found: list[object] = []
    for kind in _KINDS:
        arguments: list[object] = [kind, {"file": uri}]
        answer = as_object(
            await connection.request(
                "workspace/executeCommand", {"command": _COMMAND, "arguments": arguments}
            )
        )
        found += [_to_lsp(as_object(one)) for one in as_list(answer.get("body"))]
    return found


def _to_lsp(one: Json) -> Json:
    """TypeScript counts lines and columns from one, in UTF-16 as LSP does."""
    found: dict[str, object] = {
        "range": {"start": _position(one.get("start")), "end": _position(one.get("end"))},
        "severity": _SEVERITY.get(as_text(one.get("category")), 1),
        "source": as_text(one.get("source")) or "ts",
        "message": as_text(one.get("text")),
    }
    if "code" in one:
        found["code"] = one["code"]
    return found


def _position(value: object) -> Json:
    place = as_object(value)
    return {
        "line": max(as_int(place.get("line"), 1) - 1, 0),
        "character": max(as_int(place.get("offset"), 1) - 1, 0),
    }
