"""The threat table: each row names tests, and each of them is there."""

from __future__ import annotations

import ast
import re

import pytest

from tests.house.readme import ROOT, section, tables

ROWS = tables(section("Security"))[0]
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`|`::(\w+)`")


def named(cell: str) -> list[tuple[str, str | None]]:
    """Files and functions; ``::name`` alone is of the file before it."""
    found: list[tuple[str, str | None]] = []
    for path, test, more in _TEST.findall(cell):
        found.append((path or found[-1][0], test or more or None))
    return found


@pytest.mark.parametrize("row", ROWS, ids=[row[1][:40] for row in ROWS])
def test_what_stops_a_threat_is_tested(row: list[str]) -> None:
    assert len(row) == 4
    assert all(row)
    tests = named(row[3])
    assert tests, "a row without a test"
    assert not _TEST.sub("", row[3]).strip(" ,;"), "nothing but tests stands there"
    for path, name in tests:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        there = {
            one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert name in there if name else any(one.startswith("test_") for one in there), (path, name)
