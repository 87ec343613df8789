"""Whether a text parses as what its file's name says: Python, JSON, TOML, YAML.

A check is bounded by the size of the text; nothing of it is run or built.

Never: style, or a verdict on a language that is not known for sure (``tsconfig.json`` may hold comments).
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import Final, Literal

from editor_clients.lines import LineIndex

Language = Literal["python", "json", "toml", "yaml"]

LARGEST: Final[Mapping[Language, int]] = MappingProxyType(
    {"python": 1 << 18, "json": 1 << 23, "toml": 1 << 17, "yaml": 1 << 18}
)
"""Characters of the largest text that is looked at; each takes about a quarter of a second."""
_PURE_YAML: Final = 1 << 14
"""The same where YAML is parsed without its C library."""

_SUFFIXES: Final[Mapping[str, Language]] = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".json": "json",
    ".ipynb": "json",
    ".geojson": "json",
    ".webmanifest": "json",
    ".toml": "toml",
    ".yaml": "yaml",
    ".yml": "yaml",
}
_NAMES: Final[Mapping[str, Language]] = {
    "pipfile": "toml",
    "cargo.lock": "toml",
    "poetry.lock": "toml",
    "uv.lock": "toml",
}
_WITH_COMMENTS: Final = re.compile(
    r"(?:ts|js)config([.-].*)?\.json|\.?devcontainer\.json|language-configuration\.json|api-extractor\.json"
    r"|\.(?:eslintrc|babelrc|swcrc|jshintrc|hintrc)\.json|(?:babel\.config|deno|turbo|nx|wrangler|biome)\.json"
    r"|(?:settings|launch|tasks|extensions|keybindings)\.json"
)
"""JSON files whose programs also take comments and trailing commas."""
_BRACKETS: Final = re.compile(r"[()\[\]{}]")
_TOML_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """The first place where a text does not parse."""

    language: Language
    line: int
    column: int
    """Both 1-based."""
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


def language_of(path: str) -> Language | None:
    """The language that the file's name stands for, if there is a parser for it here."""
    folder, _, name = path.lower().rpartition("/")
    if name in _NAMES:
        return _NAMES[name]
    language = _SUFFIXES.get("." + name.rpartition(".")[2]) if "." in name else None
    if language == "json" and (_WITH_COMMENTS.fullmatch(name) or folder.endswith("/.vscode")):
        return None
    if language == "yaml" and _yaml() is None:
        return None
    return language


def largest_of(language: Language) -> int:
    """Characters of the largest text of that language that is looked at."""
    yaml = _yaml() if language == "yaml" else None
    return _PURE_YAML if yaml is not None and not yaml.is_fast else LARGEST[language]


def problem_in(language: Language, text: str) -> SyntaxProblem | None:
    """The first problem of ``text``; None when it parses, and when that cannot be told."""
    if len(text) > largest_of(language):
        return None
    try:
        return _PARSERS[language](text)
    except (RecursionError, MemoryError):
        message = "nested too deeply for the parser"
        return SyntaxProblem(language, *_place(text, _deepest(text)), message)


def _deepest(text: str) -> int:
    """Where most brackets are open, whatever they mean."""
    depth = most = found = 0
    for bracket in _BRACKETS.finditer(text):
        depth += 1 if bracket[0] in "([{" else -1
        if depth > most:
            most, found = depth, bracket.start()
    return found


def _python(text: str) -> SyntaxProblem | None:
    """By the grammar of the Python that runs this."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError as error:
            message = f"{error.msg} (Python {sys.version_info.major}.{sys.version_info.minor})"
            return SyntaxProblem("python", max(error.lineno or 1, 1), max(error.offset or 1, 1), message)
        except ValueError as error:
            return SyntaxProblem("python", 1, 1, str(error))
    return None


def _json(text: str) -> SyntaxProblem | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return SyntaxProblem("json", *_place(text, error.pos), error.msg)
    except ValueError:
        return None  # a number of more digits than Python takes
    return None


def _toml(text: str) -> SyntaxProblem | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _TOML_PLACE.search(message)  # of both numbers, or the end
        line, column = (int(place[1]), int(place[2])) if place and place[1] else _place(text, len(text))
        return SyntaxProblem("toml", line, column, _TOML_PLACE.sub("", message))
    except ValueError:
        return None
    return None


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, which may be the end of the text."""
    index = LineIndex(text[:offset])
    line = index.line_of(offset)
    return line, offset - index.start_of(line) + 1


@dataclass(frozen=True, slots=True)
class _Yaml:
    """PyYAML, where it is installed."""

    problem_in: Callable[[str], SyntaxProblem | None]
    is_fast: bool


@lru_cache(maxsize=1)
def _yaml() -> _Yaml | None:
    try:
        yaml = import_module("yaml")
    except ImportError:
        return None
    is_fast = bool(yaml.__with_libyaml__)
    loader = yaml.CSafeLoader if is_fast else yaml.SafeLoader

    def problem_in(text: str) -> SyntaxProblem | None:
        try:
            # Events alone: no tag means anything then, and no alias is followed.
            deque(yaml.parse(text, Loader=loader), maxlen=0)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
            what = getattr(error, "problem", None) or getattr(error, "reason", None)
            return SyntaxProblem("yaml", line, column, str(what or "invalid YAML"))
        return None

    return _Yaml(problem_in, is_fast)


def _yaml_problem(text: str) -> SyntaxProblem | None:
    found = _yaml()
    return found.problem_in(text) if found is not None else None


_PARSERS: Final[Mapping[Language, Callable[[str], SyntaxProblem | None]]] = {
    "python": _python,
    "json": _json,
    "toml": _toml,
    "yaml": _yaml_problem,
}
