"""The ledger's policy can be taken out: who obeys it is handed it, and only the composition root knows which it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "lsp_server").rglob("*.py")) + sorted((ROOT / "editor_clients").rglob("*.py"))
MAY_PICK = {"lsp_server/app.py"}
MAY_NAME_ITS_ANSWERS = {
    "lsp_server/checks.py": {"Refusal"},  # what a decision can be
    "lsp_server/workspace.py": {"Decide"},  # what it is handed as
}


def imported_from_policy(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "ledger.policy":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "ledger":
            yield from (alias.name for alias in node.names if alias.name == "policy")
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("ledger.policy"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nobody_else_knows_the_policy(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if name in MAY_PICK:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert set(imported_from_policy(tree)) <= MAY_NAME_ITS_ANSWERS.get(name, set())
    asked = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "read_first"
    ]
    assert not asked, "whether the gate is on is the policy's business"


def test_the_rule_finds_what_it_is_for() -> None:
    for text in (
        "from ledger.policy import decide",
        "from ledger import policy",
        "import ledger.policy as p",
    ):
        assert list(imported_from_policy(ast.parse(text)))
