"""The reasons name what is there, and only sentences count as wording."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.mutation.__main__ import main, table
from tests.mutation.copies import unfinished_in
from tests.mutation.modules import ROOT, everything, selection_of
from tests.mutation.survivors import Counted, Survivor, copy_of, counted, excused, is_wording, reasons


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
            assert one.after
            assert all(one.after)
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


def test_a_reason_excuses_one_mutant() -> None:
    twice = [(one.module, one.function, after) for one in reasons() for after in one.after]
    assert sorted(set(twice)) == sorted(twice)


def test_the_run_names_every_module_once() -> None:
    modules = everything()
    assert len(set(modules)) == len(modules)
    assert all((ROOT / one).is_file() for one in modules)


@pytest.mark.parametrize("module", everything())
def test_there_are_tests_for_every_module(module: str) -> None:
    assert all((ROOT / one).exists() for one in selection_of(module))


def row(**changed: Any) -> Counted:
    wanted: dict[str, Any] = {
        "module": "m", "mutants": 3, "killed": 2, "excused": 1, "without": (), "for_nothing": (), "not_run": 0
    }  # fmt: skip
    return Counted(**(wanted | changed))


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([row()], 0),
        ([row(), row(without=(Survivor("m", "f", "a", "b"),))], 1),
        ([row(for_nothing=("f: b",))], 1),
        ([row(not_run=1), row()], 3),
        ([row(not_run=1), row(without=(Survivor("m", "f", "a", "b"),))], 1),
    ],
)
def test_the_status_says_what_the_table_says(
    rows: list[Counted], wanted: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert table(rows) == wanted
    last = capsys.readouterr().out.split("\n")
    assert last[1].split(" | ")[1:] == ["mutants", "killed", "alive with reason", "alive without"]
    assert [line.split("|")[1].strip() for line in last[2 : 2 + len(rows)]] == ["3"] * len(rows)


def test_a_module_that_is_not_there_is_no_success() -> None:
    assert main(["--only", "no_such_module"]) == 2


def test_verdicts_are_held_against_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a run: the files that one leaves."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module = "lsp_server/edits/levels.py"
    assert counted(module, unfinished_in(module)).not_run == 1
    mutants = copy_of(module) / "mutants"
    (mutants / module).parent.mkdir(parents=True)
    (mutants / module).write_text(
        "def x_f__mutmut_orig(a):\n    return a < 1\n\n\n"
        + "".join(f"def x_f__mutmut_{n}(a):\n    return a <= {n}\n\n\n" for n in range(1, 4)),
        encoding="utf-8",
    )
    verdicts = {f"lsp_server.edits.levels.x_f__mutmut_{n}": code for n, code in ((1, 1), (2, 0), (3, None))}
    (mutants / f"{module}.meta").write_text(json.dumps({"exit_code_by_key": verdicts}), encoding="utf-8")
    found = counted(module, unfinished_in(module))
    assert (found.mutants, found.killed, found.excused, found.not_run) == (3, 1, 0, 1)
    assert found.without == (Survivor(module, "f", "return a < 1", "return a <= 2"),)
