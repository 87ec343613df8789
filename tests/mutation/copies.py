"""Where mutants are run: a copy of the project for each module, kept outside of it, so that a run can be resumed.

A mutant that was killed stays killed until its function changes; one that survived is run again when the tests have
changed. Never: a change of the sources themselves.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

from tests.mutation.modules import ROOT
from tests.mutation.survivors import KILLED, copy_of

_PARTS = (
    "lsp_server",
    "editor_clients",
    "ledger",
    "tests",
    "pyproject.toml",
    "README.md",
    "requirements.lock",
)
_CONFIG = """\
[mutmut]
source_paths=
    lsp_server
    editor_clients
    ledger
"""


def copied(module: str, *, fresh: bool) -> Path:
    """The sources and tests as they are now, with the verdicts that still hold."""
    copy = copy_of(module)
    if fresh:
        shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True, exist_ok=True)
    for name in _PARTS:
        _brought(ROOT / name, copy / name)
    (copy / "setup.cfg").write_text(_CONFIG, encoding="utf-8")
    stamp, now = copy / "stamp", _stamp(copy)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != now:
        _forget_survivors(copy, module)
        stamp.write_text(now, encoding="utf-8")
    return copy


def unfinished_in(module: str) -> int | None:
    """How many mutants have no verdict; None when none was ever made."""
    verdicts = _verdicts(copy_of(module), module)
    return None if verdicts is None else sum(code is None for code in verdicts.values())


def _brought(source: Path, target: Path) -> None:
    if not source.is_dir():
        shutil.copy2(source, target)
        return
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(
        source, target, ignore=shutil.ignore_patterns("__pycache__", "e2e", "artifacts", "node_modules")
    )


def _stamp(copy: Path) -> str:
    """What decides whether a survivor is one still: all sources and tests."""
    digest = hashlib.sha256()
    for name in (
        "lsp_server/edits",
        "editor_clients",
        "ledger",
        "tests/lsp_server/edits",
        "tests/editor_clients",
    ):
        for path in sorted((copy / name).rglob("*.py")):
            digest.update(os.fsencode(path.relative_to(copy)) + path.read_bytes())
    return digest.hexdigest()


def _forget_survivors(copy: Path, module: str) -> None:
    mutants = copy / "mutants"
    if (verdicts := _verdicts(copy, module)) is not None:
        path = mutants / f"{module}.meta"
        found = json.loads(path.read_text(encoding="utf-8"))
        found["exit_code_by_key"] = {key: code if code in KILLED else None for key, code in verdicts.items()}
        path.write_text(json.dumps(found, indent=4), encoding="utf-8")


def _verdicts(copy: Path, module: str) -> dict[str, int | None] | None:
    path = copy / "mutants" / f"{module}.meta"
    if not path.exists():
        return None
    found: dict[str, int | None] = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found
