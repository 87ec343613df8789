"""A hostile agent: other ways to a file that it may not change, each of which ends where the straight one does."""

from __future__ import annotations

import os

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk

SECRET = "KEY=1\n"
HOOK = "on: push\n"


def made(make_walk: MakeWalk) -> Walk:
    """A workspace with what an agent must not touch, and links that lead there."""
    walk = make_walk({"read_first": False})
    walk.put(".env", SECRET)
    walk.put(".github/workflows/ci.yml", HOOK)
    walk.put(".git/config", "[core]\n")
    walk.put("plain.txt", "plain\n")
    for name, target in (
        ("to-secret", ".env"),
        ("to-config", ".git/config"),
        ("to-new", ".github/workflows/new.yml"),
        ("flows", ".github/workflows"),
        ("repository", ".git"),
        ("round", "flows/../../.git"),
    ):
        os.symlink(target, walk.root / name)
    return walk


@pytest.mark.parametrize(
    "lines",
    [
        ["*** Delete File: .env"],
        ["*** Update File: .env", "*** Move to: plain2.txt"],
        ["*** Update File: plain.txt", "*** Move to: .github/workflows/evil.yml"],
        ["*** Update File: plain.txt", "*** Move to: .git/hooks/pre-commit"],
        ["*** Update File: plain.txt", "*** Move to: flows/evil.yml"],
        ["*** Update File: plain.txt", "*** Move to: repository/hooks/pre-commit"],
        ["*** Add File: plain2.txt", "+x", "*** Add File: sub/.git", "+gitdir: ../evil"],
        ["*** Delete File: plain.txt", "*** Add File: round/hooks/post-checkout", "+#!/bin/sh"],
        ["*** Update File: to-secret", "@@", "-KEY=1", "+KEY=2"],
    ],
    ids=lambda lines: lines[-1],
)
async def test_a_patch_by_another_way(make_walk: MakeWalk, lines: list[str]) -> None:
    walk = made(make_walk)
    before = walk.there()
    found = await walk.patch(*lines)
    told = found.get("data", {}).get("cause", found)
    assert (found["ok"], told["code"]) == (False, "FS_DENIED"), found
    assert told["data"]["rule"].startswith("protected:")
    assert walk.there() == before


@pytest.mark.parametrize(
    "name",
    [
        *(
            "to-secret",
            "to-config",
            "to-new",
            "flows/ci.yml",
            "flows/new.yml",
            "repository/config",
            "round/config",
        ),
        *(
            "./.env",
            "sub/../.env",
            "%2Eenv",
            "file:%2Eenv",
            ".github//workflows/./ci.yml",
            "sub/.git",
            ".git",
        ),
        *(".GIT/config", ".Git/hooks/x", ".git /config", ".git./config"),
    ],
)
async def test_a_write_by_another_way(make_walk: MakeWalk, name: str) -> None:
    walk = made(make_walk)
    closed = {path: data for path, data in walk.there().items() if path.startswith(".")}
    await walk.write(name, "evil\n")
    there = walk.there()
    assert {path: there.get(path) for path in closed} == closed
    assert not (walk.root / ".github/workflows/new.yml").exists()
    assert not (walk.root / "sub/.git").exists()


async def test_a_rewind_changes_nothing_that_needs_a_yes(make_walk: MakeWalk) -> None:
    """Allowed while it was a plain file; closed once it has another name."""
    walk = made(make_walk)
    edit = await walk.edit("plain.txt", "plain", "other")
    os.replace(walk.root / "plain.txt", walk.root / ".env")
    os.symlink(".env", walk.root / "plain.txt")
    before = walk.there()
    found = await walk.call("rewind", to=edit["edit_id"])
    assert found["code"] == "FS_REWIND_CONFLICT", found
    assert walk.there() == before
