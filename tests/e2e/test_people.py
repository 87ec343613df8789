"""The commands for people, by real processes: review, lines, diff for git, and replay into another checkout."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place

LINES = "".join(f"line {number} end\n" for number in range(1, 31))
AGENTS = ("CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID", "GEMINI_SESSION_ID")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    yield found
    for pid in found.server_pids():
        os.kill(pid, signal.SIGTERM)


async def run(place: Place, *words: str, code: int | None = 0, stdin: bytes = b"") -> str:
    """What the command prints; ``code`` is what it must exit with."""
    environment = {name: value for name, value in place.environment.items() if name not in AGENTS}

    def call() -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "lsp_server", *words],
            cwd=place.folder,
            env=environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )

    done = await asyncio.to_thread(call)
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done.stdout.decode()


async def answer(place: Place, *words: str, code: int | None = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(await run(place, *words, "--json", code=code))
    return found


async def agents_work(place: Place) -> list[str]:
    """Three edits of one agent's session, in two files; their names."""
    place.write("a.py", LINES)
    agent = ("--session", "bot")
    await run(place, "read", "a.py", *agent)
    found = []
    for number in (5, 25):
        words = ("edit", "a.py", f"line {number} end", f"LINE {number}", "--turn", f"t{number}")
        found.append((await answer(place, *words, *agent))["edit_id"])
    found.append((await answer(place, "write", "sub/new.py", "made\n", *agent))["edit_id"])
    return found


async def test_a_review_at_the_terminal(place: Place) -> None:
    ids = await agents_work(place)
    text = await run(place, "review")
    assert "-line 5 end\n+LINE 5\n" in text
    assert "3 hunks are pending in 2 files." in text
    first, second = (
        hunk["hunk"] for hunk in (await answer(place, "review", "--file", "a.py"))["files"][0]["hunks"]
    )
    assert "Kept 1 hunks" in await run(place, "review", "keep", first)
    assert "+line 25 end\n" in await run(place, "review", "undo", second)
    assert place.text("a.py") == LINES.replace("line 5 end", "LINE 5")
    assert "sub/new.py" in await run(place, "review", "--ask", stdin=b"u\n")
    assert not (place.folder / "sub").exists()
    assert "Nothing is pending." in await run(place, "review")
    rows = {row["edit_id"]: row["review"] for row in (await answer(place, "history"))["edits"]}
    assert [rows[one] for one in ids] == ["kept", "undone", "undone"]
    await run(place, "review", "undo", second, code=1)
    await run(place, "review", "undo", code=2)


async def test_whose_lines_they_are(place: Place) -> None:
    ids = await agents_work(place)
    lines = (await run(place, "lines", "a.py")).splitlines()
    assert lines[4].startswith(f"bot {ids[0]}")
    assert lines[5].split() == ["person", "6", "line", "6", "end"]


async def test_git_takes_the_diff(place: Place, tmp_path: Path) -> None:
    await agents_work(place)
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "a.py").write_text(LINES)
    diff = await run(place, "diff", "--since", "bot")
    await asyncio.to_thread(subprocess.run, ["git", "apply", "-"], cwd=copy, input=diff.encode(), check=True)
    assert (copy / "a.py").read_text() == place.text("a.py")
    assert (copy / "sub" / "new.py").read_text() == "made\n"
    assert await run(place, "diff", "no.py", "--since", "bot") == ""


async def test_replay_into_another_checkout_names_what_no_longer_fits(place: Place) -> None:
    ids = await agents_work(place)
    agent = ("--session", "bot")
    steps = "*** Update File: a.py\n@@\n-line 10 end\n+ten\n*** Move File: sub/new.py -> n.py\n"
    patch = f"*** Begin Patch\n{steps}*** End Patch\n"
    (place.folder / "p").write_text(patch)
    ids.append((await answer(place, "apply-patch", "p", *agent))["edit_id"])
    ids.append((await answer(place, "rewind", ids[3], *agent))["edit_id"])
    ids.append((await answer(place, "write", "a.py", "all new\n", *agent, code=None)).get("edit_id", ""))
    other = place.base / "other"
    other.mkdir()
    (other / "a.py").write_text("mine\n" + LINES.replace("line 25 end", "twenty-five"))
    names = ("replay", "bot", "--into", str(other))
    planned = await answer(place, *names, "--dry-run", code=1)
    assert [path.name for path in other.rglob("*")] == ["a.py"]
    found = await answer(place, *names, code=1)
    told = [{**row, "done": []} for row in found["edits"]]
    assert (planned["edits"], planned["dry_run"]) == (told, True)
    fits = {row["edit_id"]: row["fits"] for row in found["edits"]}
    assert [fits[one] for one in ids if one] == [True, False, True, True, True, *([False] if ids[5] else [])]
    misfit = next(row for row in found["edits"] if row["edit_id"] == ids[1])
    assert misfit["code"] == "FS_NO_MATCH"
    assert (other / "a.py").read_text() == "mine\n" + LINES.replace("line 25 end", "twenty-five").replace(
        "line 5 end", "LINE 5"
    )
    assert (other / "sub" / "new.py").read_text() == "made\n"
    text = await run(place, "replay", f"{ids[1]}..{ids[1]}", "--into", str(other), code=1)
    assert "no longer fits" in text
    assert "0 of 1 edits fitted." in text
    text = await run(place, "replay", f"{ids[1]}..{ids[1]}", "--into", str(other), "--dry-run", code=1)
    assert "0 of 1 edits fit." in text
