"""Files that hold secrets: edited like any, and nowhere in our state."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from lsp_server.service import CallContext
from tests.lsp_server.tools.conftest import MakeWalk, Walk

SECRET, NEW = "hunter2-of-before", "hunter3-of-after"


def stored(state: Path) -> Iterator[bytes]:
    """All that is written down: files as they are, and what their databases hold unpacked."""
    for path in state.rglob("*"):
        if not path.is_file():
            continue
        yield path.read_bytes()
        if path.name == "ledger.db":
            with sqlite3.connect(path) as link:
                tables = [
                    row[0] for row in link.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
                ]
                for table in tables:
                    for row in link.execute(f"SELECT * FROM {table}"):
                        yield from map(plain, row)
            link.close()


def plain(value: Any) -> bytes:
    if isinstance(value, bytes):
        try:
            return zlib.decompress(value)
        except zlib.error:
            return value
    return str(value).encode()


def is_stored(tmp_path: Path, text: str) -> bool:
    return any(text.encode() in data for data in stored(tmp_path / "state"))


UNASKED: Final[dict[str, Any]] = {"ask_first": []}


async def person(walk: Walk, tool: str, **arguments: Any) -> dict[str, Any]:
    context = CallContext(walk.caller("person"), "lsp", str(walk.root), person=True)
    return await walk.app.call(tool, arguments, context)


async def worked_on(walk: Walk, name: str) -> dict[str, Any]:
    """Read, refused, edited, moved below the agent and looked at: each stores a text of other files."""
    walk.put(name, f"a = 1\nkey = {SECRET}\n")
    await walk.read(name)
    assert (await walk.edit(name, "no such line", "x"))["code"] == "FS_NO_MATCH"
    done = await walk.edit(name, f"key = {SECRET}", f"key = {NEW}", call_id="c")
    assert done["ok"], done
    assert NEW in done["diff"]
    walk.put(name, walk.text(name) + "b = 2\n")
    assert "+b = 2" in str(await walk.edit(name, "a = 1", "a = 3"))
    assert (await walk.call("grep", pattern="key"))["ok"]
    hunks = (await person(walk, "review"))["files"][0]["hunks"]
    await person(walk, "review/keep", hunks=[hunks[0]["hunk"]])
    return done


@pytest.mark.parametrize(
    ("name", "secret"), [("settings.txt", False), (".env", True), ("tls/server.key", True)]
)
async def test_no_text_of_a_secret_file_is_written_down(
    make_walk: MakeWalk, tmp_path: Path, name: str, secret: bool
) -> None:
    walk = make_walk(UNASKED)
    done = await worked_on(walk, name)
    await walk.app.close()
    assert is_stored(tmp_path, done["edit_id"])
    assert is_stored(tmp_path, SECRET) is is_stored(tmp_path, NEW) is not secret
    assert done["rewindable"] is not secret
    assert any("secret_files" in one for one in done["warnings"]) is secret
    assert all(row["ok"] for row in done["side_effects"])


async def test_the_history_goes_on_without_the_texts(make_walk: MakeWalk, tmp_path: Path) -> None:
    walk = make_walk(UNASKED)
    done = await worked_on(walk, ".env")
    assert NEW in (await walk.call("diff"))["diff"], "in memory they are there"
    await walk.app.close()
    later = make_walk(UNASKED)
    assert [row["edit_id"] for row in (await later.call("history"))["edits"]] == [done["edit_id"]]
    told = await later.call("diff")
    assert (told["diff"], ".env is left out" in told["warnings"][0]) == ("", True)
    refused = await later.call("rewind", to=done["edit_id"])
    assert (refused["code"], refused["data"]["reason"]) == ("FS_REWIND_CONFLICT", "not_kept")
    assert NEW in later.text(".env")
    assert (await person(later, "review"))["ok"]
    answer = await later.app.outcome_of("s", "c")
    assert answer is not None
    assert (answer["result"]["edit_id"], answer["result"]["diff"]) == (done["edit_id"], "")
    assert not is_stored(tmp_path, NEW)


async def test_other_files_of_the_same_patch_can_be_taken_back(make_walk: MakeWalk, tmp_path: Path) -> None:
    walk = make_walk(UNASKED)
    walk.put(".env", SECRET + "\n")
    walk.put("a.py", "old\n")
    for name in (".env", "a.py"):
        await walk.read(name)
    done = await walk.patch(
        *("*** Update File: .env", "@@", f"-{SECRET}", f"+{NEW}"),
        *("*** Update File: a.py", "@@", "-old", "+new"),
        *("*** Add File: new.pem", f"+{SECRET}"),
    )
    assert (done["ok"], done["rewindable"]) == (True, False)
    await walk.app.close()
    assert not is_stored(tmp_path, SECRET)
    later = make_walk(UNASKED)
    assert (await later.call("rewind", to=done["edit_id"], file_path="a.py"))["ok"]
    assert (later.text("a.py"), later.text(".env")) == ("old\n", NEW + "\n")


async def test_which_files_is_a_setting(make_walk: MakeWalk, tmp_path: Path) -> None:
    walk = make_walk({**UNASKED, "secret_files": ["settings.*"]})
    assert (await worked_on(walk, ".env"))["rewindable"] is True
    assert (await worked_on(walk, "settings.txt"))["rewindable"] is False
