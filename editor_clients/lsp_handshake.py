"""What we say about ourselves to a language server, and what we answer when it asks.

Never: state of one server.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from editor_clients.language_specs import Mode, ServerSpec
from editor_clients.lines import PositionEncoding
from editor_clients.loose_json import Json, as_list, as_object, as_text, look_up
from editor_clients.lsp_diagnostics import path_to_uri, position_encoding


@dataclass(frozen=True, slots=True)
class Agreed:
    """What a server can do, as it said when it was initialised."""

    encoding: PositionEncoding = "utf-16"
    pull: bool = False
    """It answers ``textDocument/diagnostic``."""
    across_files: bool = False
    """A change of one file can change what it says about another."""
    pull_identifier: str | None = None
    saves: bool = False
    """It wants to hear when a document is saved."""
    fixes: bool = False
    """It answers ``textDocument/codeAction``."""


def initialize_params(spec: ServerSpec, root: str) -> Json:
    """The parameters of ``initialize``; never pull and push at once: a server offered both stops to push."""
    document: dict[str, Json] = {"synchronization": {"didSave": True, "dynamicRegistration": False}}
    document["codeAction"] = {
        "isPreferredSupport": True,
        "disabledSupport": True,
        "dataSupport": True,
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
    }
    if spec.mode == "tsserver":
        pass  # TypeScript is asked; what its language server would say besides comes late.
    elif spec.mode == "pull":
        document["diagnostic"] = {"dynamicRegistration": True, "relatedDocumentSupport": False}
    else:
        document["publishDiagnostics"] = {"versionSupport": True, "dataSupport": True}
    folder = {"uri": path_to_uri(root), "name": PurePath(root).name or root}
    params: dict[str, object] = {
        "processId": os.getpid(),
        "clientInfo": {"name": "coeditor"},
        "rootUri": folder["uri"],
        "rootPath": root,
        "workspaceFolders": [folder],
        "capabilities": {
            "general": {"positionEncodings": ["utf-32", "utf-8", "utf-16"]},
            "textDocument": document,
            "window": {"workDoneProgress": True},
            "workspace": {
                "configuration": True,
                "workspaceFolders": True,
                "didChangeConfiguration": {"dynamicRegistration": True},
                "didChangeWatchedFiles": {"dynamicRegistration": True},
                "diagnostics": {"refreshSupport": True},
            },
        },
    }
    if spec.options is not None:
        params["initializationOptions"] = spec.options
    return params


def agreed_from(result: object, mode: Mode = "pull") -> Agreed:
    """What the answer to ``initialize`` says, where diagnostics are got in this ``mode``."""
    capabilities = as_object(as_object(result).get("capabilities"))
    sync = as_object(capabilities.get("textDocumentSync"))
    found = Agreed(
        encoding=position_encoding(capabilities.get("positionEncoding")),
        saves=sync.get("save") not in (None, False),
        fixes=capabilities.get("codeActionProvider") not in (None, False),
    )
    # Some say that they can be asked also to those who never offered to, and then refuse to answer.
    offered = capabilities.get("diagnosticProvider")
    if mode == "tsserver":
        return replace(found, pull=True, across_files=True)
    return with_pull(found, offered) if mode == "pull" and offered is not None else found


def with_pull(agreed: Agreed, provider: object) -> Agreed:
    """``agreed`` once a server has offered to be asked for diagnostics."""
    fields = as_object(provider)
    return replace(
        agreed,
        pull=True,
        across_files=fields.get("interFileDependencies") is True,
        pull_identifier=as_text(fields.get("identifier")) or None,
    )


def configuration(spec: ServerSpec, root: str, params: Json) -> list[object]:
    """The answer to ``workspace/configuration``: one value for each item asked for."""
    settings = with_python(spec.settings, root)
    return [
        look_up(settings, as_text(as_object(item).get("section"))) for item in as_list(params.get("items"))
    ]


def with_python(settings: Json, root: str) -> Json:
    """``settings`` that name the interpreter of the project's own environment, where they speak of Python."""
    python = settings.get("python")
    interpreter = Path(root, ".venv", "bin", "python")
    if not isinstance(python, Mapping) or "pythonPath" in python or not interpreter.exists():
        return settings
    return {**settings, "python": {**python, "pythonPath": str(interpreter)}}
