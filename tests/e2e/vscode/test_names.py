"""The extension's names are the server's."""

from __future__ import annotations

import re

from lsp_server.handlers import methods
from lsp_server.setup.agents import AGENTS
from tests.e2e.vscode.install import EXTENSION


def test_methods_of_the_extension_are_those_of_the_server() -> None:
    source = (EXTENSION / "src" / "protocol.ts").read_text(encoding="utf-8")
    ours = set(re.findall(r'^export const METHOD_\w+ = "([^"]+)";$', source, re.MULTILINE))
    spoken = {*methods.ASKED_OF_EDITOR, *methods.TOLD_TO_EDITOR, *methods.TOLD_BY_EDITOR}
    spoken |= {methods.FILE_VERSIONS, methods.CALL_TOOL, methods.method_of("status"), *methods.REVIEW}
    spoken |= {methods.LEDGER, *methods.CONFLICTS}
    assert ours == {name for name in spoken if name.startswith(methods.PREFIX)}


def test_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (EXTENSION / "package-lock.json").read_text(encoding="utf-8")


def test_agents_that_can_be_set_up_are_the_servers() -> None:
    source = (EXTENSION / "src" / "agents" / "agentNames.ts").read_text(encoding="utf-8")
    assert re.findall(r'^  \["([^"]+)", "[^"]+"\],$', source, re.MULTILINE) == list(AGENTS)
