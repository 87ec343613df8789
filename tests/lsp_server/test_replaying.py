"""Recorded requests as they are made in another checkout, and what is said of those that do not fit."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_server.replay_command import lines_of
from lsp_server.replaying import Places, arguments_at


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("*** Add File: a.py", "/goal/a.py"),
        ("*** Add File: ./a.py", "/goal/a.py"),
        ("*** Add File: ../a.py", "/goal/a.py"),
        ("*** Add File: /source/a.py", "/goal/a.py"),
        ("*** Add File: .env", "/goal/sub/.env"),
        ("*** Add File: ../.env", "/goal/sub/.env"),
        ("*** Add File: file:///source/sub/.env", "/goal/sub/.env"),
        ("*** Add File: elsewhere.py", "elsewhere.py"),
    ],
)
def test_a_header_of_a_patch_names_the_file_of_the_other_checkout(header: str, wanted: str) -> None:
    files = [{"file_path": path} for path in ("/source/a.py", "/source/sub/.env", "/source/env")]
    edit: dict[str, Any] = {
        "request": {"patch": f"*** Begin Patch\n{header}\n+x\n*** End Patch\n"},
        "files": files,
    }
    sent = arguments_at(edit, Places(["/source"], "/goal"))["patch"]
    assert sent.split("\n")[1] == f"*** Add File: {wanted}"


def test_what_was_done_before_it_did_not_fit_is_told() -> None:
    row = {"edit_id": "e", "tool": "shell", "files": ["a", "b"], "fits": False, "code": "FS_X", "why": "no"}
    told = "e shell a, b: no longer fits: no (FS_X)"
    assert next(lines_of([row | {"done": []}])) == told
    assert next(lines_of([row | {"done": ["e1", "e2"]}])) == f"{told}; done before that: e1, e2"
