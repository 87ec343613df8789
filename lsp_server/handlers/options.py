"""What an editor says of itself when it starts the server, as flat values.

Never: trust in a shape; what is not understood is as if it were not there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editor_clients.editor_link import Abilities
from editor_clients.loose_json import Json, as_list, as_object, as_text
from editor_clients.lsp_wire import PROTOCOL
from ledger.errors import CoeditorError
from lsp_server.targets import path_of_uri


@dataclass(frozen=True, slots=True)
class EditorOptions:
    """Resolved once, at ``initialize``."""

    roots: tuple[str, ...]
    """Canonical workspace folders, in the editor's order; may be empty."""
    abilities: Abilities
    trusted: bool = True
    """False when the person has not said that this workspace's authors are trusted."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the person set in the editor."""
    workspace_settings: Mapping[str, Any] = field(default_factory=dict)
    """What the editor found in the repository, which can only tighten."""


def options_from(params: Mapping[str, Any]) -> EditorOptions:
    """The options in the params of ``initialize``."""
    ours = as_object(as_object(params.get("initializationOptions")).get("coeditor"))
    client = as_object(params.get("clientInfo"))
    speaks = ours.get("protocol") == PROTOCOL

    def can(name: str) -> bool:
        return speaks and ours.get(name) is True

    abilities = Abilities(
        name=as_text(client.get("name"), "unknown editor")[:100],
        version=as_text(client.get("version"))[:100],
        checked_apply=can("checkedApply"),
        document_state=can("documentState"),
        document_text=speaks and ours.get("documentText") is not False,
        save=can("save"),
        reload=can("reload"),
        publish_diagnostics=can("publishDiagnostics"),
        document_changes=speaks or _takes_versions(params),
        quick_fixes=can("quickFixes"),
        notebooks=can("notebooks"),
        file_operations=can("fileOperations"),
        questions=can("questions"),
        rename_files=not speaks and "rename" in _resource_operations(params),
        delete_files=not speaks and "delete" in _resource_operations(params),
    )
    return EditorOptions(
        _roots(params),
        abilities,
        ours.get("trusted") is not False,
        as_object(ours.get("settings")),
        as_object(ours.get("workspaceSettings")),
    )


def _takes_versions(params: Mapping[str, Any]) -> bool:
    """Whether the editor takes versioned workspace edits; some do, and leave it unsaid among what they say of edits."""
    edits = as_object(as_object(params.get("capabilities")).get("workspace")).get("workspaceEdit")
    return isinstance(edits, Mapping) and edits.get("documentChanges") is not False


def _resource_operations(params: Mapping[str, Any]) -> Sequence[object]:
    """What the editor does with files in workspace edits that name document versions."""
    edits = as_object(as_object(as_object(params.get("capabilities")).get("workspace")).get("workspaceEdit"))
    return as_list(edits.get("resourceOperations")) if edits.get("documentChanges") is True else ()


def _roots(params: Json) -> tuple[str, ...]:
    uris = [as_text(as_object(item).get("uri")) for item in as_list(params.get("workspaceFolders"))]
    uris = uris or [as_text(params.get("rootUri"))]
    found = folders_from(uris)
    root_path = as_text(params.get("rootPath"))
    if not found and os.path.isabs(root_path) and os.path.isdir(root_path):
        return (os.path.realpath(root_path),)
    return found


def folders_from(uris: Iterable[str]) -> tuple[str, ...]:
    """The canonical folders that these URIs name, in their order; what is no folder here is left out."""
    found = [path for uri in uris if (path := _path(uri)) is not None]
    return tuple(dict.fromkeys(os.path.realpath(path) for path in found if os.path.isdir(path)))


def _path(uri: str) -> str | None:
    if uri[:5].lower() != "file:":
        return None
    try:
        return path_of_uri(uri)
    except CoeditorError:
        return None
