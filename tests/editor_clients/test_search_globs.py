"""Patterns of paths."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.search_globs import path_filter, wildmatch
from ledger.errors import Code, CoeditorError

PATHS = ["a.py", "b.ts", "src/a.py", "src/x/c.tsx", "src/.env", "docs/[x].md", "src/x/y/d.py"]


@pytest.mark.parametrize(
    ("pattern", "fitting"),
    [
        ("*.py", ["a.py", "src/a.py", "src/x/y/d.py"]),
        ("**/*.py", ["a.py", "src/a.py", "src/x/y/d.py"]),
        ("src/*.py", ["src/a.py"]),
        ("/a.py", ["a.py"]),
        ("./a.py", ["a.py", "src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/d.py"]),
        ("src/**", ["src/a.py", "src/x/c.tsx", "src/.env", "src/x/y/d.py"]),
        ("src/", ["src/a.py", "src/x/c.tsx", "src/.env", "src/x/y/d.py"]),
        ("*.{ts,tsx}", ["b.ts", "src/x/c.tsx"]),
        ("{a,b}.{py,ts}", ["a.py", "b.ts", "src/a.py"]),
        ("{src/{a,b},docs/*}.*", ["src/a.py", "docs/[x].md"]),
        ("?.py", ["a.py", "src/a.py", "src/x/y/d.py"]),
        ("[ab].*", ["a.py", "b.ts", "src/a.py"]),
        ("[!a].py", ["src/x/y/d.py"]),
        (r"\[x\].md", ["docs/[x].md"]),
        ("[[]x].md", ["docs/[x].md"]),
        (".*", ["src/.env"]),
        ("!*.py", ["b.ts", "src/x/c.tsx", "src/.env", "docs/[x].md"]),
        ("**", PATHS),
        ("*", PATHS),
        ("x/c.tsx", []),
        ("**/x/*", ["src/x/c.tsx"]),
    ],
)
def test_pattern_fits(pattern: str, fitting: list[str]) -> None:
    fits = path_filter(pattern)
    assert [path for path in PATHS if fits(path)] == fitting


@pytest.mark.parametrize("pattern", ["", "!", "[a", "{a,b", "a\\", "{" + "{a,b}" * 12 + ",c}", "{a,}"])
def test_senseless_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(CoeditorError) as refused:
        path_filter(pattern)
    assert refused.value.code is Code.INVALID_ARGUMENT


@given(st.text(alphabet="aab*?/", max_size=12), st.text(alphabet="aab/", max_size=12))
def test_the_first_place_is_as_good_as_any(pattern: str, path: str) -> None:
    found = wildmatch(pattern)
    assert found is not None
    every = found.replace("(?>", "(?:")  # tries all of them
    fits, would = (re.compile(one, re.DOTALL).fullmatch(path) is not None for one in (found, every))
    assert fits is would


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        pytest.param("*a" * 20 + "*b", "a" * 250, id="asterisks"),
        pytest.param("**/a/" * 20 + "b", "a/" * 250 + "c", id="folders"),
        pytest.param("**/*a*a*a/" * 8 + "b", "aaaaaa/" * 100 + "c", id="both"),
    ],
)
def test_many_wildcards_take_no_time_on_a_long_name(pattern: str, path: str) -> None:
    fits = path_filter(pattern)
    assert not fits(path)
    assert fits(path[:-1] + "b")
