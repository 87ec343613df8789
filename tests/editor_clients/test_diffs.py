"""Diffs are judged by git itself: what ``git apply`` makes of the text before must be the text after."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editor_clients.diffs import FileDiff, cut_diff, unified_diff
from editor_clients.replacements import hunks_between
from tests.editor_clients.text_strategies import text_pairs

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")


def text_diff(path: str, before: str, after: str, context: int = 3) -> str:
    """The diff of one text that stays where it is."""
    return unified_diff([FileDiff(path, path, before, after)], context)


@dataclass(frozen=True)
class Tree:
    """A folder that is no repository, and git in it."""

    folder: Path

    def fill(self, files: list[FileDiff]) -> None:
        for one in files:
            if one.path_before is not None:
                self._path(one.path_before).parent.mkdir(parents=True, exist_ok=True)
                self._path(one.path_before).write_bytes((one.before or "").encode())
                self._path(one.path_before).chmod(0o644 if one.mode_before is None else one.mode_before)

    def apply(self, diff: str) -> None:
        environment = {
            **os.environ,
            "GIT_CEILING_DIRECTORIES": str(self.folder.parent),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        done = subprocess.run(
            [GIT or "git", "apply", "--whitespace=nowarn", "-"],
            cwd=self.folder,
            input=diff.encode(),
            env=environment,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (done.stderr.decode(), diff)

    def assert_after(self, files: list[FileDiff]) -> None:
        expected = {one.path_after: one for one in files if one.path_after is not None}
        found = {
            os.path.relpath(Path(folder, name), self.folder)
            for folder, _, names in os.walk(self.folder)
            for name in names
        }
        assert found == set(expected)
        for path, one in expected.items():
            assert self._path(path).read_bytes() == (one.after or "").encode()
            if one.mode_after is not None:
                assert self._path(path).stat().st_mode & 0o100 == one.mode_after & 0o100

    def _path(self, relative: str) -> Path:
        return self.folder / relative


def assert_git_agrees(folder: Path, files: list[FileDiff]) -> str:
    tree = Tree(folder)
    tree.fill(files)
    diff = unified_diff(files)
    diff.encode()
    if diff:
        tree.apply(diff)
    tree.assert_after(files)
    return diff


def same(path: str, before: str, after: str) -> FileDiff:
    return FileDiff(path, path, before, after)


TEN = "".join(f"line {number}\n" for number in range(1, 11))
SETS: dict[str, list[FileDiff]] = {
    "one line": [same("a.txt", TEN, TEN.replace("5", "five"))],
    "first and last": [same("a.txt", TEN, TEN.replace("line 1\n", "").replace("10", "ten"))],
    "close changes in one hunk": [same("a.txt", TEN, TEN.replace("2", "two").replace("8", "eight"))],
    "no final newline": [
        same("a.txt", "a\nb", "a\nc"),
        same("b.txt", "a\nb", "a\nb\n"),
        same("c", "a\n", "a"),
    ],
    "no newline, kept as context": [same("a.txt", "a\nb\nc", "x\nb\nc")],
    "crlf": [same("a.txt", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n")],
    "crlf to lf": [same("a.txt", "a\r\nb\r\n", "a\nb\n")],
    "lone cr": [
        same("a.txt", "a\rb\rc\n", "a\rB\rc\n"),
        same("b", "a\rb", "a\nb"),
        same("c", "a\r", "a\r\n"),
    ],
    "odd separators": [same("a.txt", "a\fb\u2028c\x85d\n", "a\fb\u2028C\x85d\n")],
    "to and from nothing": [same("a.txt", "", "a\n"), same("b.txt", "a\n", "")],
    "created": [FileDiff(None, "new/deep/a.txt", None, "a\nb\n")],
    "created without newline": [FileDiff(None, "a.txt", None, "a")],
    "created empty": [FileDiff(None, "a.txt", None, ""), FileDiff(None, "b/c d", None, "")],
    "created executable": [FileDiff(None, "run.sh", None, "#!/bin/sh\n", mode_after=0o755)],
    "deleted": [FileDiff("a.txt", None, "a\nb\n", None), FileDiff("b", None, "x", None)],
    "deleted empty": [FileDiff("a.txt", None, "", None)],
    "deleted executable": [FileDiff("a.txt", None, "x\n", None, mode_before=0o755)],
    "renamed": [FileDiff("a.txt", "b/c.txt", TEN, TEN)],
    "renamed empty": [FileDiff("a.txt", "b.txt", "", "")],
    "renamed with edits": [FileDiff("a.txt", "b.txt", TEN, TEN.replace("5", "V"))],
    "renamed with a mode": [FileDiff("a", "b", TEN, TEN + "x", mode_before=0o644, mode_after=0o755)],
    "mode alone": [FileDiff("a.txt", "a.txt", TEN, TEN, mode_before=0o755, mode_after=0o644)],
    "mode and text": [FileDiff("a b", "a b", TEN, "x", mode_before=0o600, mode_after=0o700)],
    "same kind of mode": [FileDiff("a", "a", "x\n", "y\n", mode_before=0o644, mode_after=0o600)],
    "unchanged": [FileDiff("a", "a", TEN, TEN, mode_before=0o644, mode_after=0o644)],
    "looks like a diff": [
        same("a", "--- a\n+++ b\n@@ -1 +1 @@\n", "--- a\n+++ c\n@@ -1 +1 @@\ndiff --git\n")
    ],
}
NAMES = [
    "a b.txt",
    " lead",
    "trail ",
    "käse/棚.txt",
    'quo"te',
    "back\\slash",
    "tab\there",
    "new\nline",
    "bell\aesc\x1bdel\x7f",
    "a b/c b/d",
    "dev/null",
    "~x$*?[]{}",
    "nbsp\xa0x",
]


@needs_git
@pytest.mark.parametrize("files", SETS.values(), ids=SETS.keys())
def test_git_apply_gives_the_text_after(tmp_path: Path, files: list[FileDiff]) -> None:
    assert_git_agrees(tmp_path, files)


@needs_git
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "kind", ["update", "create", "create-empty", "delete", "rename", "rename-edit", "mode"]
)
def test_git_apply_understands_odd_names(tmp_path: Path, name: str, kind: str) -> None:
    one = {
        "update": same(name, "a\n", "b\n"),
        "create": FileDiff(None, name, None, "a\n"),
        "create-empty": FileDiff(None, name, None, ""),
        "delete": FileDiff(name, None, "a\n", None),
        "rename": FileDiff(name, "other " + name.strip(), "a\n", "a\n"),
        "rename-edit": FileDiff("other " + name.strip(), name, TEN, TEN + "a\n"),
        "mode": FileDiff(name, name, "a\n", "a\n", mode_before=0o644, mode_after=0o755),
    }[kind]
    assert_git_agrees(tmp_path, [one])


@needs_git
def test_a_name_that_is_not_utf_8_is_quoted_byte_by_byte(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    diff = assert_git_agrees(tmp_path, [same(name, "a\n", "b\n")])
    assert '+++ "b/caf\\351.txt"\n' in diff


@needs_git
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(text_pairs, min_size=4, max_size=12))
def test_git_apply_gives_any_text_after(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    files = [same(f"f{number}", before, after) for number, (before, after) in enumerate(pairs)]
    files += [FileDiff(f"f{n}.old", f"f{n}.new", before, after) for n, (before, after) in enumerate(pairs)]
    try:
        assert_git_agrees(folder, files)
    finally:
        shutil.rmtree(folder)


@given(text_pairs)
def test_hunks_that_are_known_give_the_same_diff(pair: tuple[str, str]) -> None:
    before, after = pair
    known = FileDiff("a", "a", before, after, hunks=hunks_between(before, after))
    assert unified_diff([known]) == text_diff("a", before, after)


def test_the_shape_of_a_diff() -> None:
    files = [
        same("a b.txt", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive"),
        FileDiff("old.py", "new.py", "x\n", "x\n"),
        FileDiff(None, "run.sh", None, "go\n", mode_after=0o755),
        FileDiff("gone", None, "a\nb\n", None),
    ]
    assert unified_diff(files) == (
        "diff --git a/a b.txt b/a b.txt\n"
        "--- a/a b.txt\t\n"
        "+++ b/a b.txt\t\n"
        "@@ -2,4 +2,4 @@\n"
        " 2\n 3\n 4\n-5\n+five\n"
        "\\ No newline at end of file\n"
        "diff --git a/old.py b/new.py\n"
        "similarity index 100%\n"
        "rename from old.py\n"
        "rename to new.py\n"
        "diff --git a/run.sh b/run.sh\n"
        "new file mode 100755\n"
        "--- /dev/null\n"
        "+++ b/run.sh\n"
        "@@ -0,0 +1 @@\n"
        "+go\n"
        "diff --git a/gone b/gone\n"
        "deleted file mode 100644\n"
        "--- a/gone\n"
        "+++ /dev/null\n"
        "@@ -1,2 +0,0 @@\n"
        "-a\n-b\n"
    )


@pytest.mark.parametrize("context", [0, 1, 3, 10])
def test_context_lines(context: int) -> None:
    diff = text_diff("a", TEN, TEN.replace("3", "three").replace("10", "ten"), context)
    hunks = diff.count("\n@@ ")
    assert hunks == (1 if context >= 3 else 2)
    assert diff.count("\n ") == {0: 0, 1: 3, 3: 8, 10: 8}[context]


LONG = "".join(f"line {number}\n" for number in range(200))
EDITED = LONG.replace("line 20\n", "line twenty\n").replace("line 90\n", "").replace("line 150\n", "x\ny\n")


def _complete(diff: str) -> bool:
    """Whether every hunk has the lines that its head promises, and every head of a file its hunk."""
    old = new = 0
    head_open = False
    for line in diff.split("\n")[:-1]:
        if line.startswith(("diff --git", "@@ ")):
            if old or new or (head_open and not line.startswith("@@ ")):
                return False
            head_open = False
        if line.startswith("+++ ") and not new:
            head_open = True
        elif line.startswith("@@ "):
            sizes = [part.partition(",")[2] or "1" for part in line.split()[1:3]]
            old, new = map(int, sizes)
        elif line[:1] in ("-", " ", "+") and not line.startswith("--- "):
            old -= line[0] in "- "
            new -= line[0] in "+ "
    return not old and not new and not head_open


@pytest.mark.parametrize("limit", [*range(0, 700, 7), 5000])
def test_cut_at_the_border_of_a_hunk(limit: int) -> None:
    files = [same("a.txt", LONG, EDITED), FileDiff("b", "c", "", ""), FileDiff(None, "d", None, LONG)]
    diff = unified_diff(files)
    kept, truncated = cut_diff(diff, limit)
    assert len(kept) <= limit or not truncated
    assert truncated == (limit < len(diff))
    assert truncated or kept == diff
    assert _complete(kept), kept


def test_a_first_hunk_that_does_not_fit_is_made_smaller() -> None:
    kept, truncated = cut_diff(unified_diff([FileDiff(None, "a", None, LONG)]), 200)
    assert truncated
    assert "+line 0\n" in kept
    assert _complete(kept)


def test_a_line_and_its_missing_newline_are_not_parted() -> None:
    diff = text_diff("a", "old", "new " * 50 + "\n")
    for limit in range(40, 120):
        kept, _ = cut_diff(diff, limit)
        assert not kept or kept.endswith("-old\n\\ No newline at end of file\n")


def test_not_even_one_line_fits() -> None:
    kept, truncated = cut_diff(text_diff("a", "x" * 500 + "\n", "y" * 500 + "\n"), 100)
    assert truncated
    assert len(kept) <= 100


@needs_git
@pytest.mark.parametrize("limit", [200, 400])
def test_what_is_kept_can_be_applied(tmp_path: Path, limit: int) -> None:
    tree = Tree(tmp_path)
    files = [same("a.txt", LONG, EDITED)]
    tree.fill(files)
    kept, _ = cut_diff(unified_diff(files), limit)
    tree.apply(kept)
    assert (tmp_path / "a.txt").read_text() != LONG
