"""Which files are parsed, and where the first problem is."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.edits import syntax
from lsp_server.edits.syntax import Language, language_of, largest_of, problem_in

LANGUAGES: tuple[Language, ...] = ("python", "json", "toml", "yaml")


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/w/a.py", "python"),
        ("/w/A.PYI", "python"),
        ("/w/a.json", "json"),
        ("/w/n.ipynb", "json"),
        ("/w/package.json", "json"),
        ("/w/a.b.json", "json"),
        ("/w/pyproject.toml", "toml"),
        ("/w/Pipfile", "toml"),
        ("/w/a.yaml", "yaml"),
        ("/w/.github/x.yml", "yaml"),
        ("/w/tsconfig.json", None),
        ("/w/tsconfig.app.json", None),
        ("/w/tsconfig-base.json", None),
        ("/w/.vscode/mcp.json", None),
        ("/w/.eslintrc.json", None),
        ("/w/a.jsonc", None),
        ("/w/a.txt", None),
        ("/w/py", None),
        ("/w.py/Makefile", None),
        ("untitled:Untitled-1", None),
    ],
)
def test_languages_go_by_names(path: str, language: Language | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", ""),
        ("python", "x = '\\d'\r\nif x is 1: pass\r\n"),
        ("python", "\f\rdef f():\r\treturn 1\r"),
        ("python", "# -*- coding: nonsense -*-\n"),
        ("json", ' {"a": [1, NaN]} '),
        ("json", "1" * 10_000),
        ("toml", "a = 1\r\n[b]\r\nc = '1'\r\n"),
        ("yaml", "a: !Ref b\n---\nc: *unknown\n"),
        ("yaml", ""),
        ("python", "(" * (largest_of("python") + 1)),
    ],
)
def test_what_parses_and_what_cannot_be_told(language: Language, text: str) -> None:
    assert problem_in(language, text) is None


@pytest.mark.parametrize(
    ("language", "text", "place"),
    [
        ("python", "x = 1\ny = (\n", (2, 5)),
        ("python", "def f():\nreturn 1\n", (2, 1)),
        ("python", "é = 1; é 2\n", (1, 10)),
        ("python", "print 1\n", (1, 1)),
        ("python", "x\0", (1, 1)),
        ("python", "x = '\ud800'", (1, 1)),
        ("json", '{"a": 1 2}', (1, 9)),
        ("json", '{"a": 1\r\n "b": 2}', (2, 2)),
        ("json", "", (1, 1)),
        ("json", '{"a":\n', (2, 1)),
        ("json", '{"a": 1} // why\n', (1, 10)),
        ("json", "[\n" + "[" * 100_000 + "\n]", (2, 100_000)),
        ("toml", "a = 1\nb = " + "[" * 60_000 + "]" * 60_000, (2, 60_004)),
        ("toml", "a = 1\nb = \n", (2, 5)),
        ("toml", "a = 1\na = 2\n", (2, 6)),
        ("toml", "a = [\n", (2, 1)),
        ("yaml", "a: 1\nb: [1\n", (3, 1)),
        ("yaml", "a:\n\tb: 1\n", (2, 1)),
        ("yaml", "a: \x07", (1, 1)),
    ],
)
def test_where_a_problem_is(language: Language, text: str, place: tuple[int, int]) -> None:
    problem = problem_in(language, text)
    assert problem is not None
    assert (problem.language, problem.line, problem.column) == (language, *place)
    assert problem.message not in ("", "None")
    assert "(at " not in problem.message


def test_the_message_is_the_parsers_without_the_place() -> None:
    problem = problem_in("toml", "a = [\n")
    assert problem is not None
    assert problem.message == "Invalid value"


SIZES: dict[Language, int] = {"python": 1 << 18, "json": 1 << 23, "toml": 1 << 17, "yaml": 1 << 18}


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_up_to_a_size_are_looked_at(language: Language) -> None:
    assert largest_of(language) == SIZES[language]
    text = "[" + " " * (SIZES[language] - 1)
    assert problem_in(language, text) is not None
    assert problem_in(language, text + " ") is None


@pytest.fixture
def yaml_anew() -> Iterator[None]:
    """PyYAML is looked for again, in the test and after it."""
    syntax._yaml.cache_clear()
    yield
    syntax._yaml.cache_clear()


@pytest.mark.usefixtures("yaml_anew")
def test_without_pyyaml_its_files_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert [language_of(f"/w/a.{ending}") for ending in ("yaml", "json", "txt")] == [None, "json", None]
    assert problem_in("yaml", "a: [") is None
    assert largest_of("yaml") == SIZES["yaml"]


@pytest.mark.usefixtures("yaml_anew")
def test_without_its_c_library_yaml_is_looked_at_up_to_a_smaller_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("yaml.__with_libyaml__", False)
    assert {one: largest_of(one) for one in LANGUAGES} == SIZES | {"yaml": 1 << 14}
    assert problem_in("yaml", "a: [") is not None


@given(
    language=st.sampled_from(LANGUAGES),
    text=st.text(max_size=60) | st.text("[]{}()'\"#:,=-\n \t", max_size=60),
)
def test_no_text_is_too_odd(language: Language, text: str) -> None:
    problem = problem_in(language, text)
    assert problem is None or (problem.line >= 1 and problem.column >= 1 and str(problem))


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_that_is_cut_never_parses(value: object) -> None:
    text = json.dumps([value])
    assert problem_in("json", text) is None
    assert problem_in("json", text[:-1]) is not None
