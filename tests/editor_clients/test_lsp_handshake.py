"""What is said to a language server at its start, and what it is answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_clients.language_specs import DEFAULT_SPECS
from editor_clients.loose_json import Json, as_object, look_up
from editor_clients.lsp_handshake import Agreed, agreed_from, configuration, initialize_params

BY_NAME = {spec.name: spec for spec in DEFAULT_SPECS}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_pull_and_push_are_never_offered_both(name: str) -> None:
    params = initialize_params(BY_NAME[name], "/w/my project")
    offered = as_object(look_up(params, "capabilities.textDocument"))
    assert ("diagnostic" in offered, "publishDiagnostics" in offered) == (
        BY_NAME[name].mode == "pull",
        BY_NAME[name].mode == "push",
    )
    assert params["rootUri"] == "file:///w/my%20project"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (None, Agreed()),
        ({"capabilities": {"positionEncoding": "utf-8"}}, Agreed(encoding="utf-8")),
        ({"capabilities": {"diagnosticProvider": {}}}, Agreed(pull=True)),
        (
            {"capabilities": {"diagnosticProvider": {"interFileDependencies": True, "identifier": "x"}}},
            Agreed(pull=True, across_files=True, pull_identifier="x"),
        ),
    ],
)
def test_what_a_server_can_do(result: object, expected: Agreed) -> None:
    assert agreed_from(result) == expected


def test_what_was_not_offered_is_not_asked_for() -> None:
    """Some servers say that they can be asked to clients that never offered to ask, and refuse to answer then."""
    result = {"capabilities": {"diagnosticProvider": {}, "textDocumentSync": {"save": {"includeText": True}}}}
    assert agreed_from(result, "push") == Agreed(saves=True)
    assert agreed_from(result, "tsserver") == Agreed(saves=True, pull=True, across_files=True)
    assert agreed_from({"capabilities": {"codeActionProvider": True}}, "push") == Agreed(fixes=True)


def test_configuration_is_answered_section_by_section(tmp_path: Path) -> None:
    asked: Json = {
        "items": [{"section": "basedpyright.analysis"}, {"section": "other"}, {"section": "python"}, 3]
    }
    analysis = {"diagnosticMode": "openFilesOnly", "typeCheckingMode": "standard"}
    settings = BY_NAME["basedpyright"].settings
    spec = BY_NAME["basedpyright"]
    assert configuration(spec, str(tmp_path), asked) == [analysis, None, {"analysis": analysis}, settings]
    interpreter = tmp_path / ".venv" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.touch()
    assert configuration(spec, str(tmp_path), asked)[2] == {
        "analysis": analysis,
        "pythonPath": str(interpreter),
    }
