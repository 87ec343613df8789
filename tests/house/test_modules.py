"""Every module says in its first line what it is for, and every public class and function what holds of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("ledger", "editor_clients", "lsp_server")
MODULES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
LONGEST = 500
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_module_says_what_it_is_for(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring, "no docstring"
    assert len(docstring.splitlines()[0]) > 20


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_files_find_their_reader(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_functions_stop_at_sixty_lines(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    long = [
        f"{node.name} ({node.end_lineno - node.lineno + 1})"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > 60
    ]
    assert not long


def public_definitions(node: ast.AST, above: str = "") -> Iterator[tuple[str, Definition]]:
    """What others may use of a module: not what is private, or inside a function, or the setter of a property."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            setters = [
                one for one in child.decorator_list if isinstance(one, ast.Attribute) and one.attr == "setter"
            ]
            if child.name.startswith("_") or setters:
                continue
            yield f"{above}{child.name}", child
            if isinstance(child, ast.ClassDef):
                yield from public_definitions(child, f"{above}{child.name}.")
        elif isinstance(child, ast.If | ast.Try):
            yield from public_definitions(child, above)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_what_is_public_says_what_holds(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = [name for name, node in public_definitions(tree) if not ast.get_docstring(node)]
    assert not silent, "no docstring"
