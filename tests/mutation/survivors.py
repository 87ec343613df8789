"""Mutants that no test killed, and the reasons why that is right.

Never: a run; only the files that one leaves.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import os
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.mutation.modules import ROOT

_REASONS = Path(__file__).with_name("survivors.toml")

KILLED = (1, 3, 36, -24, 24, 152, 255, -11, -9)
"""Exit codes: a test failed, or the tests did not come to an end."""
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
    after: tuple[str, ...]
    """The changed lines as the mutants have them: each excuses one."""
    reason: str


@dataclass(frozen=True, slots=True)
class Counted:
    """What came of the mutants of one module."""

    module: str
    mutants: int
    killed: int
    excused: int
    without: tuple[Survivor, ...]
    """Survivors that have no reason."""
    for_nothing: tuple[str, ...]
    """Reasons that excuse no mutant: it was killed, or is no more."""
    not_run: int

    def say(self) -> None:
        """What is to be mended."""
        for one in self.without:
            print(f"{self.module}: {one.function}\n    - {one.before}\n    + {one.after}")
        for row in self.for_nothing:
            print(f"{self.module}: a reason for nothing: {row}")
        print(f"{self.module}: {len(self.without)} survived without a reason", flush=True)


def counted(module: str, unfinished: int | None) -> Counted:
    """Survivors against their reasons, as far as the module was run."""
    found, total = survivors_of(module)
    left = [(one.function, after) for one in reasons() if one.module == module for after in one.after]
    without = []
    for survivor in found:
        if (key := (survivor.function, survivor.after)) in left:
            left.remove(key)
        elif excused(survivor) is None:
            without.append(survivor)
    return Counted(
        module,
        total,
        total - len(found) - (unfinished or 0),
        len(found) - len(without),
        tuple(without),
        () if unfinished != 0 else tuple(f"{function}: {after}" for function, after in left),
        1 if unfinished is None else unfinished,
    )


def excused(one: Survivor) -> str | None:
    """The reason that holds for all of its kind; None where there is none."""
    if is_wording(one.before, one.after):
        return "the wording of a sentence for people and models, which tests hold to its facts, not to its letters"
    if re.sub(r", strict=\w+|, (?=\))", "", one.before) == re.sub(r", strict=\w+|, (?=\))", "", one.after):
        return "both are of one length where they are zipped: strict only guards that"
    return None


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
        Reason(module, row["function"], tuple(row["after"]), row["reason"])
        for module, rows in found.items()
        for row in rows
    )


def copy_of(module: str) -> Path:
    """Where the mutants of a module are run: outside of the project, apart for each checkout of it."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    checkout = hashlib.sha256(os.fsencode(ROOT)).hexdigest()[:12]
    return cache / "coeditor-tests" / "mutation" / checkout / module.removesuffix(".py").replace("/", ".")


def survivors_of(module: str) -> tuple[list[Survivor], int]:
    """What survived in the copy in which mutmut ran, and how many mutants there were."""
    copy = copy_of(module)
    results = copy / "mutants" / f"{module}.meta"
    if not results.exists():
        return [], 0
    verdicts = json.loads(results.read_text(encoding="utf-8"))["exit_code_by_key"]
    bodies = _bodies((copy / "mutants" / module).read_text(encoding="utf-8"))
    found = []
    for key, code in verdicts.items():
        if code is not None and code not in KILLED:
            name = key.rpartition(".")[2]
            stem = re.sub(r"__mutmut_\d+$", "", name)
            before, after = _change(bodies, stem + "__mutmut_orig", name)
            found.append(Survivor(module, _readable(stem), before, after))
    return found, len(verdicts)


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
