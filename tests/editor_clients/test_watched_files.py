"""Which changes on disk a language server hears of."""

from __future__ import annotations

from typing import Any

import pytest

from editor_clients.watched_files import WatchedFiles


def registered(*patterns: object) -> WatchedFiles:
    watched = WatchedFiles("/w")
    rows = [{"globPattern": pattern} for pattern in patterns]
    options: Any = {"watchers": rows}
    watched.register(
        {
            "registrations": [
                {"id": "1", "method": "workspace/didChangeWatchedFiles", "registerOptions": options},
                {"id": "2", "method": "textDocument/diagnostic"},
            ]
        }
    )
    return watched


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [
        ("**/*.json", "/w/a.json", True),
        ("**/*.json", "/w/deep/er/a.json", True),
        ("**/*.json", "/w/a.ts", False),
        ("**/*.json", "/elsewhere/a.json", False),
        ("**/{package,tsconfig}.json", "/w/b/tsconfig.json", True),
        ("/w/**/*.c", "/w/src/a.c", True),
        ({"baseUri": "file:///lib", "pattern": "**/*.py"}, "/lib/x/a.py", True),
        ({"baseUri": "file:///lib", "pattern": "**/*.py"}, "/w/a.py", False),
        ({"baseUri": {"uri": "file:///w/sub", "name": "sub"}, "pattern": "*.go"}, "/w/sub/a.go", True),
        ("{a,", "/w/a", False),
        (7, "/w/a", False),
    ],
)
def test_patterns(pattern: object, path: str, wanted: bool) -> None:
    assert registered(pattern).wants(path) is wanted


def test_without_a_wish_everything_is_told() -> None:
    watched = WatchedFiles("/w")
    assert watched.wants("/w/a")
    assert not watched


@pytest.mark.parametrize("spelled", ["unregisterations", "unregistrations"])
def test_wishes_are_taken_back(spelled: str) -> None:
    watched = registered("*.py")
    assert not watched.wants("/w/a.c")
    watched.unregister({spelled: [{"id": "1", "method": "workspace/didChangeWatchedFiles"}]})
    assert watched.wants("/w/a.c")
