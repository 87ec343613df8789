"""Names on a file system that folds letter case and Unicode forms: however a file is spelled, it is one target."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from editor_clients import spelling
from editor_clients.spelling import folds_case, true_spelling
from editor_clients.walls import Walls


def folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


class FoldingSystem:
    """What such a file system answers, over one that does not fold: the calls by which names are looked up."""

    path = os.path
    sep = os.sep

    def __init__(self, base: Path) -> None:
        self._base = str(base)

    def stat(self, path: str) -> os.stat_result:
        return os.stat(self._found(path))

    def lstat(self, path: str) -> os.stat_result:
        return os.lstat(self._found(path))

    def scandir(self, path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        return os.scandir(self._found(path))

    def _found(self, path: str) -> str:
        here = self._base
        for part in os.path.relpath(path, self._base).split(os.sep):
            names = os.listdir(here) if os.path.isdir(here) else []
            here = os.path.join(here, next((name for name in names if folded(name) == folded(part)), part))
        return here


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "Project"
    (found / "Src" / "Deep").mkdir(parents=True)
    (found / "Src" / "Main.py").write_text("one\n")
    (found / "Src" / "caf\u00e9.txt").write_text("one\n")
    os.link(found / "Src" / "Main.py", found / "Src" / "Other.py")
    monkeypatch.setattr(spelling, "os", FoldingSystem(tmp_path))
    return found


ROWS = [
    ("Src/Main.py", "Src/Main.py"),
    ("src/MAIN.py", "Src/Main.py"),
    ("SRC/other.PY", "Src/Other.py"),
    ("src/DEEP/New.py", "Src/Deep/New.py"),
    ("src/New/Newer.py", "Src/New/Newer.py"),
    ("src/cafe\u0301.txt", "Src/caf\u00e9.txt"),
    ("NEW", "NEW"),
]


@pytest.mark.parametrize(("asked", "listed"), ROWS)
def test_what_is_there_is_spelled_as_its_folder_lists_it(root: Path, asked: str, listed: str) -> None:
    assert true_spelling(str(root), str(root / asked)) == str(root / listed)


@pytest.mark.parametrize(("asked", "listed"), ROWS)
def test_every_spelling_is_one_target(root: Path, asked: str, listed: str) -> None:
    walls = Walls([str(root)])
    assert walls.canonical(str(root / asked)) == walls.canonical(str(root / listed)) == str(root / listed)


def test_the_file_system_is_asked_whether_it_folds(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folds_case(str(root))
    numbered = root.parent / "123"
    numbered.mkdir()
    assert not folds_case(str(numbered)), "nothing there tells"
    (numbered / "4").touch()
    (numbered / "Readme").touch()
    assert folds_case(str(numbered))
    monkeypatch.setattr(spelling, "os", os)
    assert not folds_case(str(root))
    assert not folds_case(str(numbered))
    assert Walls([str(root)]).canonical(str(root / "src/MAIN.py")) == str(root / "src/MAIN.py")
