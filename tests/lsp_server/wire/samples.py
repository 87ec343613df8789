"""One full answer of every tool, and errors with every detail that has words of its own."""

from __future__ import annotations

from typing import Any

FILE: dict[str, Any] = {
    "file_path": "/w/a.py",
    "operation": "update",
    "version": "v1",
    "authority": "editor",
    "saved": False,
    "added": 1,
    "removed": 2,
}
PROBLEM: dict[str, Any] = {
    "file_path": "/w/a.py",
    "line": 3,
    "column": 5,
    "end_line": 3,
    "end_column": 9,
    "severity": "error",
    "code": "F821",
    "source": "Ruff",
    "message": "Undefined name\n`x`",
}
OUTCOME: dict[str, Any] = {
    "ok": True,
    "edit_id": "e7",
    "changed_files": [FILE],
    "diff": "diff --git a/a.py b/a.py\n@@ -1,2 +1 @@\n-x = 1\n-y = 2\n+x = 2\n",
    "bytes_changed": 12,
    "version_check": "passed",
    "match": {"level": "trailing-space", "count": 2, "lines": [[1, 2], [5, 5]]},
    "formatted": "@@ -1 +1 @@\n-x=2\n+x = 2\n",
    "diagnostics": {
        "new": [PROBLEM],
        "resolved": [{**PROBLEM, "severity": "warning", "code": None}],
        "remaining": {"error": 0, "warning": 2, "information": 1, "hint": 0},
        "state": "partial",
        "source": ["ruff"],
    },
    "side_effects": [
        {"name": "diagnostics", "ok": True, "ms": 3.5},
        {"name": "history", "ok": False, "ms": 1, "error": "The disk is full."},
    ],
    "rewindable": False,
    "warnings": ["The file has CRLF line endings; they were kept."],
    "notices": [{"file_path": "/w/b.py", "moved_by": "session:s2", "version": "v9", "lines": [[4, 6]]}],
    "applied": "applied",
}
READ: dict[str, Any] = {
    "ok": True,
    "text": "2\tbeta\n3\tgamma",
    "start_line": 2,
    "end_line": 3,
    "total_lines": 9,
    "version": "v1",
    "authority": "editor",
    "unsaved": True,
    "unchanged": False,
    "encoding": "utf-8",
    "eol": "lf",
    "truncated": False,
}
ANSWERS: dict[str, dict[str, Any]] = {
    "read": READ,
    "edit": OUTCOME,
    "write": OUTCOME,
    "apply_patch": OUTCOME,
    "edit_notebook": OUTCOME,
    "rewind": OUTCOME,
    "glob": {"ok": True, "paths": ["/w/a.py", "/w/b.py"], "truncated": True, "total": None},
    "grep": {
        "ok": True,
        "matches": [
            {"file_path": "/w/a.py", "line": 3, "text": "x = 1", "before": ["import y"], "after": [""]},
            {"file_path": "/w/a.py", "line": 9, "text": "x = 2"},
            {"file_path": "/w/b.py", "line": 1, "text": "x"},
        ],
        "truncated": True,
    },
    "diagnostics": {"ok": True, "items": [PROBLEM], "state": "fresh", "source": ["ruff"]},
    "history": {
        "ok": True,
        "edits": [
            {
                "edit_id": "e7",
                "time": "2026-01-02T03:04:05Z",
                "session": "s1",
                "scope": "sub",
                "turn": "t2",
                "call_id": None,
                "tool": "edit",
                "agent": "codex",
                "files": [{**FILE, "operation": "move", "from": "/w/old.py"}],
                "added": 1,
                "removed": 2,
                "state": "applied",
                "review": "pending",
                "rewinds": "e5",
            }
        ],
    },
    "diff": {"ok": True, "diff": OUTCOME["diff"], "diff_truncated": True},
    "status": {
        "ok": True,
        "server": {"version": "0.1", "pid": 7, "headless": True},
        "editor": None,
        "workspace_folders": ["/w"],
        "sessions": [{"session": "s1", "agent": "codex"}],
        "open_documents": [],
        "unsaved_documents": [],
        "policy": {"read_first": True},
        "language_servers": [{"name": "ruff", "running": True}],
    },
    "context_event": {"ok": True, "forgotten": ["/w/a.py"]},
}
"""By tool."""

STALE: dict[str, Any] = {
    "ok": False,
    "code": "FS_STALE_VERSION",
    "message": "/w/a.py changed since you read it. Adapt the edit.",
    "file_path": "/w/a.py",
    "data": {
        "moved_by": "user-saved",
        "version": "v2",
        "seen_version": "v1",
        "diverged": True,
        "diff": "@@ -1 +1 @@\n-x = 1\n+x = 3\n",
        "diff_truncated": True,
        "lines": "1\tx = 3\n2\ty = 2",
        "start_line": 1,
        "end_line": 2,
        "total_lines": 2,
    },
}
MISS: dict[str, Any] = {
    "ok": False,
    "code": "FS_NO_MATCH",
    "message": "old_string is not in the file",
    "file_path": "/w/a.py",
    "data": {
        "reason": "miscopied",
        "nearest": {"lines": [4, 5], "text": "4\tx = 1\n5\ty", "differs": "a tab where 4 blanks were sent"},
        "enclosing": ["class A", "def f"],
    },
}
AMBIGUOUS: dict[str, Any] = {
    "ok": False,
    "code": "FS_AMBIGUOUS_MATCH",
    "message": "old_string fits 2 places.",
    "file_path": "/w/a.py",
    "data": {"lines": [[3, 3], [9, 10]]},
}
SEVERAL: dict[str, Any] = {
    "ok": False,
    "code": "FS_TRANSACTION_FAILED",
    "message": "Nothing was changed: one file of the patch cannot be. See the cause.",
    "data": {
        "rolled_back": True,
        "not_restored": [],
        "cause": STALE,
        "files": [{"file_path": "/w/c.py", "lines": [[1, 2]], "moved_by": "external"}],
    },
}
