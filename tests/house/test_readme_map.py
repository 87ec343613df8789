"""The README's map names every module once, and nothing that is not there.

A line may hold a pattern (``v4a_*.py``, or ``**`` for everything below); a file with a line of its own does not
belong to a pattern.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from tests.house.readme import ROOT, blocks, section

PACKAGES = ("ledger", "editor_clients", "lsp_server")
MODULES = sorted(
    str(path.relative_to(ROOT))
    for package in PACKAGES
    for ending in ("py", "lua")
    for path in (ROOT / package).rglob(f"*.{ending}")
    if path.name != "__init__.py"
)


def map_lines() -> list[str]:
    """Every path or pattern of the map, from the top level."""
    found = []
    folder = ""
    for line in blocks(section("The map"), "text")[0].splitlines():
        if not line.startswith(" "):
            folder = line.strip()
            assert folder.endswith("/"), line
            continue
        name = re.fullmatch(r"  (\S+) {2,}\S.*", line)
        assert name, f"a name, two blanks or more, and what it is for: {line!r}"
        found.append(folder + name[1])
    return found


LINES = map_lines()


def lines_of(module: str) -> list[str]:
    """The lines that name ``module``: its own, else the patterns that it fits."""
    if module in LINES:
        return [line for line in LINES if line == module]
    return [line for line in LINES if is_fitting(module, line)]


def is_fitting(module: str, pattern: str) -> bool:
    if pattern.endswith("**"):
        return module.startswith(pattern.removesuffix("**"))
    same_folder = module.rpartition("/")[0] == pattern.rpartition("/")[0]
    return same_folder and fnmatchcase(module, pattern)


def test_every_module_is_named_once() -> None:
    wrong = {module: lines_of(module) for module in MODULES if len(lines_of(module)) != 1}
    assert not wrong, "give each a line in README, 'The map'"


def test_every_name_is_a_modules() -> None:
    """A pattern may be there before its first file."""
    assert {line for line in LINES if "*" not in line} <= set(MODULES)


def test_no_name_stands_twice() -> None:
    assert len(LINES) == len(set(LINES))
