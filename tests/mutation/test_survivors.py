"""The reasons name what is there, and only sentences count as wording."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutation.survivors import ROOT, Survivor, excused, is_wording, reasons


@pytest.mark.parametrize("module", sorted({one.module for one in reasons()}))
def test_reasons_are_for_functions_that_exist(module: str) -> None:
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    there = {
        f"{outer.name}.{node.name}" if isinstance(outer, ast.ClassDef) else node.name
        for outer in ast.walk(tree)
        for node in ast.iter_child_nodes(outer)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for one in reasons():
        if one.module == module:
            assert one.function in there
            assert one.before or one.after
            assert len(one.reason.split()) > 3


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ('"Send the text.",', "None,", True),
        ('"Send the text.",', '"XXSend the text.XX",', True),
        ('f"line {n} is cut",', 'f"LINE {N} IS CUT",', True),
        ('"lines": found', '"XXlinesXX": found', False),
        ('return "a b", 1', 'return "a b", 2', False),
        ('text == "\\n"', 'text == "XX\\nXX"', False),
    ],
)
def test_wording_is_a_sentence(before: str, after: str, wanted: bool) -> None:
    assert is_wording(before, after) is wanted


def test_strictness_of_a_zip_is_no_outcome() -> None:
    one = Survivor("m", "f", "for a, b in zip(x, y, strict=True):", "for a, b in zip(x, y, ):")
    assert excused(one)
    assert excused(Survivor("m", "f", "a < b", "a <= b")) is None


def test_the_run_names_every_module_once() -> None:
    from tests.mutation.__main__ import everything

    modules = everything()
    assert len(set(modules)) == len(modules)
    assert all((ROOT / Path(one)).is_file() for one in modules)
