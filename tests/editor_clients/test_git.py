"""Where HEAD stands, read from git's own files."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_clients.git import Head, read_head

COMMIT = "c0ffee" + "0" * 34
OTHER = "beef" + "1" * 36
TAGS = "".join(f"{OTHER} refs/tags/v{number:06}\n" for number in range(3_000))
"""More than is read of other files of git's."""


@pytest.mark.parametrize(
    ("head", "packed", "found"),
    [
        ("ref: refs/heads/main\n", f"{COMMIT} refs/heads/main\n{TAGS}", Head(COMMIT, "main")),
        ("ref: refs/heads/main\n", f"{TAGS}{COMMIT} refs/heads/main\n", Head(COMMIT, "main")),
        (
            "ref: refs/heads/main\n",
            f"{OTHER} refs/heads/main2\n{OTHER} x/refs/heads/main\n",
            Head(None, "main"),
        ),
        ("ref: refs/heads/main\n", "", Head(None, "main")),
        (f"{COMMIT}\n", TAGS, Head(COMMIT, None)),
    ],
    ids=["before many tags", "after them", "others of like names", "no commit yet", "no branch"],
)
def test_head_of_packed_refs(tmp_path: Path, head: str, packed: str, found: Head) -> None:
    git = tmp_path / ".git"
    git.mkdir()
    (git / "HEAD").write_text(head)
    (git / "packed-refs").write_text("# pack-refs with: peeled fully-peeled sorted \n" + packed)
    assert read_head(str(tmp_path)) == found
