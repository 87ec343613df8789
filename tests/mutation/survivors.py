"""Mutants that no test killed, and the reasons why that is right.

Never: a run; only the files that one leaves.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_REASONS = Path(__file__).with_name("survivors.toml")

_ALIVE = (0, 33)
"""Exit codes: the tests passed, or none reaches it."""
_WORDS = re.compile(r"f?\"(?:[^\"\\]|\\.)*\"|f?'(?:[^'\\]|\\.)*'")
_X = re.compile(r"XX(.*?)XX")


@dataclass(frozen=True, slots=True)
class Survivor:
    """One mutant: what stands in the sources, and what stood there in its place."""

    module: str
    function: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why mutants of one function may survive."""

    module: str
    function: str
    after: str
    """What the changed line holds; empty for every mutant of the function that changes ``before``."""
    before: str
    reason: str

    def fits(self, one: Survivor) -> bool:
        return (
            (one.module, one.function) == (self.module, self.function)
            and self.after in one.after
            and self.before in one.before
        )


def excused(one: Survivor) -> str | None:
    """The reason for a survivor; None where there is none."""
    if is_wording(one.before, one.after):
        return "the wording of a sentence for people and models, which tests hold to its facts, not to its letters"
    if re.sub(r", strict=\w+|, (?=\))", "", one.before) == re.sub(r", strict=\w+|, (?=\))", "", one.after):
        return "both are of one length where they are zipped: strict only guards that"
    return next((known.reason for known in reasons() if known.fits(one)), None)


def is_wording(before: str, after: str) -> bool:
    """Whether only a sentence differs: a literal with blanks between words, in other letters or not there."""
    sentences = [word for word in _WORDS.findall(before) if re.search(r"[a-z] [a-z{(]|[a-z]\. ", word)]
    for sentence in sentences:
        head, _, tail = before.partition(sentence)
        if after.startswith(head) and after.endswith(tail):
            new = after[len(head) : len(after) - len(tail) if tail else None]
            if new == "None" or _X.sub(r"\1", new).lower() == sentence.lower():
                return True
    return False


@cache
def reasons() -> tuple[Reason, ...]:
    """Those that are written down."""
    found = tomllib.loads(_REASONS.read_text(encoding="utf-8"))
    return tuple(
        Reason(module, row["function"], row.get("after", ""), row.get("before", ""), row["reason"])
        for module, rows in found.items()
        for row in rows
    )


def unfinished(results: Path) -> int:
    """How many mutants of a module have no verdict."""
    if not results.exists():
        return 1
    verdicts = json.loads(results.read_text(encoding="utf-8"))["exit_code_by_key"]
    return sum(code is None for code in verdicts.values())


def survivors_of(module: str, copy: Path) -> list[Survivor]:
    """What survived in a copy in which mutmut ran."""
    results = copy / "mutants" / f"{module}.meta"
    if not results.exists():
        return []
    verdicts = json.loads(results.read_text(encoding="utf-8"))["exit_code_by_key"]
    bodies = _bodies((copy / "mutants" / module).read_text(encoding="utf-8"))
    found = []
    for key, code in verdicts.items():
        if code in _ALIVE:
            name = key.rpartition(".")[2]
            stem = re.sub(r"__mutmut_\d+$", "", name)
            before, after = _change(bodies, stem + "__mutmut_orig", name)
            found.append(Survivor(module, _readable(stem), before, after))
    return found


def _bodies(source: str) -> dict[str, list[str]]:
    lines = source.split("\n")
    return {
        node.name: lines[node.lineno - 1 : node.end_lineno]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _change(bodies: dict[str, list[str]], one: str, other: str) -> tuple[str, str]:
    """The lines that differ, without their indentation."""
    before = [line.replace(one, "F") for line in bodies.get(one, [])]
    after = [line.replace(other, "F") for line in bodies.get(other, [])]
    rows = [row for row in difflib.ndiff(before, after) if row[:2] in ("- ", "+ ")]
    gone = " ".join(row[2:].strip() for row in rows if row[0] == "-")
    came = " ".join(row[2:].strip() for row in rows if row[0] == "+")
    return gone, came


def _readable(stem: str) -> str:
    """``xǁLineIndexǁposition_at`` is ``LineIndex.position_at``, ``x_fold_line`` is ``fold_line``."""
    return stem.removeprefix("xǁ").replace("ǁ", ".") if stem.startswith("xǁ") else stem.removeprefix("x_")
