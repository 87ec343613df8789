"""What is not allowed whatever was read: patterns, trust, and what a session's end tells."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk


@pytest.mark.parametrize(
    ("settings", "tool", "allowed"),
    [
        ({"ask_first": ["ci/**"]}, "read", True),
        ({"ask_first": ["ci/**"]}, "edit", False),
        ({"ask_first": ["ci/**"]}, "write", False),
        ({"ask_first": ["ci/**"]}, "apply_patch", False),
        ({"forbidden": ["ci/**"]}, "read", False),
        ({"forbidden": ["ci/**"]}, "edit", False),
        ({"ask_first": ["other/**"], "forbidden": ["*.key"]}, "edit", True),
    ],
)
async def test_patterns(make_walk: MakeWalk, settings: dict[str, Any], tool: str, allowed: bool) -> None:
    walk = make_walk({**settings, "read_first": False})
    walk.put("ci/run.sh", "x = 1\n")
    arguments: dict[str, dict[str, Any]] = {
        "read": {"file_path": "ci/run.sh"},
        "edit": {"file_path": "ci/run.sh", "old_string": "x", "new_string": "y"},
        "write": {"file_path": "ci/new.sh", "content": "y\n"},
        "apply_patch": {"patch": "*** Begin Patch\n*** Add File: ci/new.sh\n+y\n*** End Patch\n"},
    }
    before = walk.there()
    found = await walk.call(tool, **arguments[tool])
    assert found["ok"] is allowed, found
    if not allowed:
        assert (found["code"], found["data"]["rule"]) == ("FS_DENIED", "protected:ci/**")
        assert walk.there() == before


@pytest.mark.parametrize(
    ("settings", "name", "rule"),
    [
        # As it comes: what others' programs run or take secrets from waits for a person.
        ({}, ".env", "protected:.env*"),
        ({}, "sub/.env.local", "protected:.env*"),
        ({}, ".env.example", None),
        ({}, ".github/workflows/ci.yml", "protected:.github/workflows/"),
        ({}, ".github/CODEOWNERS", None),
        ({}, ".vscode/tasks.json", "protected:.vscode/"),
        ({}, "sub/.claude/settings.json", "protected:.claude/"),
        ({}, ".husky/pre-commit", "protected:.husky/"),
        ({}, ".mcp.json", "protected:.mcp.json"),
        ({}, ".git/config", "protected:.git"),
        ({}, "vscode/tasks.json", None),
        ({}, "key.pem", None),
        ({"ask_first": []}, ".env", None),
        # Kinds of files.
        ({"extensions": [".py", "Makefile"]}, "a.py", None),
        ({"extensions": [".py", "Makefile"]}, "A.PY", None),
        ({"extensions": [".py", "Makefile"]}, "Makefile", None),
        ({"extensions": [".py", "Makefile"]}, "a.sh", "protected:extensions"),
        ({"extensions": ["py"]}, "py", None),
        ({"extensions": ["py"]}, "happy", "protected:extensions"),
        # What git ignores.
        ({"ignored_files": "refuse"}, "build/out.txt", "protected:ignored"),
        ({"ignored_files": "refuse"}, "deep/x.log", "protected:ignored"),
        ({"ignored_files": "refuse"}, "deep/keep.log", None),
        ({"ignored_files": "ask"}, "build/out.txt", "protected:ignored"),
        ({"ignored_files": "allow"}, "build/out.txt", None),
    ],
)
async def test_which_files_may_be_changed(
    make_walk: MakeWalk, settings: dict[str, Any], name: str, rule: str | None
) -> None:
    walk = make_walk({**settings, "read_first": False})
    walk.put(".gitignore", "build/\n*.log\n!keep.log\n")
    found = await walk.write(name, "text\n")
    assert (found.get("data", {}).get("rule"), (walk.root / name).exists()) == (rule, rule is None)
    if rule is not None:
        walk.put(name, "old\n")
        patch = await walk.patch(f"*** Update File: {name}", "@@", "-old", "+new")
        assert (patch["code"], patch["data"]["rule"]) == ("FS_DENIED", rule)
        assert walk.text(name) == "old\n"
        assert (await walk.read(name))["ok"]


@pytest.mark.parametrize("mode", ["workspace-write", "full"])
async def test_outside_of_the_folders(make_walk: MakeWalk, tmp_path: Path, mode: str) -> None:
    walk = make_walk({"mode": mode, "forbidden": ["closed"]})
    outside = walk.root.parent / "outside"
    (outside / ".git").mkdir(parents=True)
    for name in ("open", "closed", ".git/config"):
        (outside / name).write_text("old\n")
    (state,) = (tmp_path / "state/coeditor/folders").iterdir()
    allowed = mode == "full"
    assert (await walk.read(str(outside / "open")))["ok"] is allowed
    assert (await walk.edit(str(outside / "open"), "old", "new"))["ok"] is allowed
    assert (outside / "open").read_text() == ("new\n" if allowed else "old\n")
    for path in (outside / "closed", outside / ".git/config", state / "x", outside / ".env"):
        assert (await walk.write(str(path), "new\n"))["code"] == "FS_DENIED"
    assert not (await walk.call("glob", pattern="**", path=str(outside))).get("paths")


async def test_the_end_of_a_session_tells_whether_it_changed_anything(make_walk: MakeWalk) -> None:
    walk = make_walk()
    await walk.write("a.py", "x\n")
    for session in ("s", "idle"):
        await walk.call_event("sessionEnded", {"session": session})
    (stream,) = walk.root.parent.glob("state/coeditor/folders/*/events.jsonl")
    rows = [json.loads(line) for line in stream.read_text().splitlines()]
    ended = {row["session"]: row["had_edits"] for row in rows if row["event"] == "sessionEnded"}
    assert ended == {"s": True, "idle": False}
    assert rows[0]["event"] == "edit"


async def test_state_is_nobody_elses_to_read(make_walk: MakeWalk) -> None:
    walk = make_walk()
    await walk.write("a.py", "x\n")
    for base in ("state/coeditor", "run/coeditor"):
        top = walk.root.parent / base
        for path in (top, *top.rglob("*")):
            mode = stat.S_IMODE(path.lstat().st_mode)
            assert mode == (0o700 if stat.S_ISDIR(path.lstat().st_mode) else 0o600), path


async def test_what_a_damaged_journal_holds_is_refused_until_it_is_set_aside(make_walk: MakeWalk) -> None:
    walk = make_walk()
    path = str(walk.put("a.py", "x\n"))
    walk.put("b.py", "x\n")
    for name in ("a.py", "b.py"):
        await walk.read(name)
    held = {path: "The unfinished change t1 cannot be completed. Run coeditor doctor --repair."}
    walk.app.workspace.blocked = dict(held)
    walk.app.workspace.look_at_blocked = lambda: dict(held)
    refused = await walk.edit("a.py", "x", "y")
    assert (refused["code"], "doctor --repair" in refused["message"]) == ("FS_IO", True)
    assert (await walk.edit("b.py", "x", "y"))["ok"]
    held.clear()
    assert (await walk.edit("a.py", "x", "y"))["ok"]


@pytest.mark.parametrize("tool", ["read", "edit", "write"])
async def test_without_an_editor_there_is_no_untitled_document(make_walk: MakeWalk, tool: str) -> None:
    walk = make_walk()
    edit = {"old_string": "a", "new_string": "b"}
    more: dict[str, dict[str, Any]] = {"read": {}, "edit": edit, "write": {"content": "b"}}
    found = await walk.call(tool, file_path="untitled:Untitled-1", **more[tool])
    assert (found["code"], found["file_path"]) == ("FS_NOT_FOUND", "untitled:Untitled-1")
