"""One suite over every search engine: the packaged ripgrep, one found on the PATH, and our own program."""

from __future__ import annotations

import asyncio
import os
import sys
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_clients import search_child
from editor_clients.search_engine import PythonEngine, Query, Ripgrep, SearchEngine, find_engine
from ledger.errors import Code, CoeditorError
from tests.editor_clients import search_strategies

BESIDE = os.path.join(os.path.dirname(sys.executable), "rg")


def packaged() -> Ripgrep:
    if not os.access(BESIDE, os.X_OK):
        pytest.skip("ripgrep is not installed beside this Python")
    return Ripgrep(BESIDE)


@pytest.fixture(params=["packaged", "system", "python"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SearchEngine:
    if request.param == "python":
        return PythonEngine()
    found: SearchEngine = packaged()
    if request.param == "system":
        programs = tmp_path / "programs"
        programs.mkdir()
        (programs / "rg").symlink_to(BESIDE)
        with monkeypatch.context() as patched:
            patched.setattr(sys, "executable", str(tmp_path / "python3"))
            found = find_engine({"PATH": str(programs)})
        assert isinstance(found, Ripgrep)
    return found


def test_without_any_ripgrep_our_own_program_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    assert isinstance(find_engine({"PATH": str(tmp_path)}), PythonEngine)


@pytest.mark.parametrize(
    ("pattern", "text", "lines"),
    [
        ("q", "w\nq = 1\nw\n", [2]),
        ("^a$", "a\nab\na", [1, 3]),
        ("", "x\n\ny", [1, 2, 3]),
        ("^$", "x\n\ny\n", [2]),
        ("x", "", []),
        (r"\w+\s=\s\d", "long_name = 7\n- = 7\n", [1]),
        ("-v", "a -v b\n", [1]),
        ("(?i)STRASSE|σ", "Strasse\nΣ\nς\n", [1, 2, 3]),
        (r"\$\{x\}", "${x}\n$x\n", [1]),
        ("[[:upper:]]{2}", "aB\nAB\n", [2]),
        (r"\bé\b", "é\nté\n", [1]),
        ("(?P<n>a)(?<m>b)", "ab\n", [1]),
        (r"[a-z&&[^aeiou]]$", "a\nb\n", [2]),
        ("(?x) a b ", "ab\na b\n", [1]),
        (r"\u{1F600}", "😀\n", [1]),
        ("[^\n]", "a\n", [1]),
    ],
)
async def test_lines_with_hits(engine: SearchEngine, pattern: str, text: str, lines: list[int]) -> None:
    query = Query(pattern)
    await engine.check(query)
    (found,) = await engine.lines(query, [text], 100)
    assert [line for line, _ in found] == lines


@pytest.mark.parametrize(
    ("pattern", "text", "lines"),
    [
        (r"b\nc", "a\nb\nc\n", [2, 3]),
        (r"a$\n^b", "a\nb\na\nb", [1, 2, 3, 4]),
        ("a.b", "a\nb\n", []),
        ("(?s)a.b", "a\nb\n", [1, 2]),
        (r"a\s+b", "a\n\n\nb\n", [1, 2, 3, 4]),
        ("a\n", "xa\nb\n", [1]),
    ],
)
async def test_lines_with_hits_over_line_ends(
    engine: SearchEngine, pattern: str, text: str, lines: list[int]
) -> None:
    query = Query(pattern, multiline=True)
    await engine.check(query)
    (found,) = await engine.lines(query, [text], 100)
    assert [line for line, _ in found] == lines


async def test_columns_count_bytes_and_no_more_lines_come_than_wanted(engine: SearchEngine) -> None:
    found = await engine.lines(Query("x"), ["éx\nx\nx\n", "x\n"], 2)
    assert found == [[(1, 3), (2, 1)], [(1, 1)]]


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "a{",
        "*",
        r"\h",
        "(?=a)",
        "(?<!a)b",
        r"(a)\1",
        "[z-a]",
        "[a",
        r"\x{110000}",
        "(?P<n>a)(?P<n>b)",
        r"a\nb",
        r"\n",
        "(?y)a",
        r"\Aa",
        r"a\z",
        "(?-m)^a",
        r"\p{NoSuchThing}",
        "a{" + "9" * 5_000 + "}",
    ],
)
async def test_a_pattern_that_cannot_be_searched_for_is_refused(engine: SearchEngine, pattern: str) -> None:
    with pytest.raises(CoeditorError) as refused:
        await engine.check(Query(pattern))
    assert refused.value.code is Code.INVALID_ARGUMENT
    assert refused.value.data["argument"] == "pattern"


@pytest.mark.parametrize(
    ("pattern", "construct"),
    [
        (r"\p{Greek}", r"\p{Greek}"),
        ("(?-u)a", "the flag -u"),
        ("(a*)*", "the repetition of a group that can be empty"),
        ("a{5000}", "the repetition {5000}"),
    ],
)
async def test_what_only_ripgrep_can_do_is_named(pattern: str, construct: str) -> None:
    with pytest.raises(CoeditorError) as refused:
        await PythonEngine().check(Query(pattern))
    assert refused.value.data["construct"] == construct
    assert "ripgrep" in refused.value.message


async def test_files_that_are_not_plain_are_candidates(engine: SearchEngine, tmp_path: Path) -> None:
    contents = {
        "hit": b"a needle\n",
        "miss": b"hay\n",
        "empty": b"",
        "latin": b"caf\xe9\n",
        "crlf": b"hay\r\n",
        "mark": b"\xef\xbb\xbfhay\n",
        "wide": "hay".encode("utf-16"),
        "binary": b"a\0b",
        "-dash": b"needle",
        "ünï": "näh\n".encode(),
    }
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    paths = [str(tmp_path / name) for name in [*contents, "gone"]]
    found = await engine.candidates(Query("needle"), paths)
    assert {Path(path).name for path in found} == {"hit", "latin", "crlf", "mark", "wide", "binary", "-dash"}


async def test_a_cancelled_search_leaves_no_process(engine: SearchEngine) -> None:
    pattern = "(a+)+$" if isinstance(engine, PythonEngine) else r"(\w{200}){50}x"
    text = "a" * 2_000 + "b\n"
    work = asyncio.ensure_future(engine.lines(Query(pattern), [text * 200], 5))
    while not (running := children()):
        await asyncio.sleep(0)
        assert not work.done()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not running & children()


def children() -> set[str]:
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return set(path.read_text().split())


@given(pattern=search_strategies.patterns, texts=search_strategies.texts, multiline=st.booleans())
@settings(max_examples=60)
def test_our_own_program_finds_what_ripgrep_finds(pattern: str, texts: list[str], multiline: bool) -> None:
    engine, query = packaged(), Query(pattern, multiline)
    own = search_child.Query(pattern, multiline)
    refused = None
    try:
        own.compile(everything=True)
    except CoeditorError as error:
        if "construct" in error.data:
            return  # it says so instead of finding something else
        refused = error.code
    if refused is None:
        asyncio.run(engine.check(query))
        expected = [list(islice(own.hits(text), 3)) for text in texts]
        assert asyncio.run(engine.lines(query, texts, 3)) == expected
    else:
        with pytest.raises(CoeditorError):
            asyncio.run(engine.check(query))
