"""What a plan answers of the diagnostics that its texts would have, with servers that behave and that do not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from editor_clients.language_servers import LanguageServers
from editor_clients.language_specs import ServerSpec
from editor_clients.source_reports import Comparison
from lsp_server.effects.sources import DiagnosticSource
from lsp_server.wire.texts import error_text
from tests.editor_clients.language_server_scripts import scripted, servers_of
from tests.lsp_server.tools.conftest import MakeWalk, Walk

ON: Mapping[str, Any] = {"side_effects": {"diagnostics": True}, "limits": {"diagnostics_ms": 20_000}}


def with_servers(walk: Walk, servers: DiagnosticSource) -> Walk:
    walk.app.workspace.servers = servers
    return walk


def scripted_servers(walk: Walk, *specs: ServerSpec) -> Walk:
    return with_servers(walk, servers_of(*specs, root=walk.root))


async def test_validate_only_tells_what_the_patch_would_break_and_repair(make_walk: MakeWalk) -> None:
    walk = scripted_servers(make_walk(ON), scripted())
    walk.put("a.txt", "one\ntwo\n")
    walk.put("b.txt", "BAD\n")
    walk.put("c.txt", "BAD BAD\n")
    for name in ("a.txt", "b.txt", "c.txt"):
        await walk.read(name)
    before = walk.there()
    lines = (
        "*** Update File: a.txt",
        "",
        "-two",
        "+BAD",
        "*** Update File: b.txt",
        "",
        "-BAD",
        "+good",
        "*** Move File: c.txt -> d.txt",
        "*** Add File: e.txt",
        "+BAD",
    )
    found = await walk.patch(*lines, validate_only=True)
    told = found["diagnostics"]
    assert [(Path(item["file_path"]).name, item["line"]) for item in told["new"]] == [
        ("a.txt", 2),
        ("e.txt", 1),
    ]
    assert [Path(item["file_path"]).name for item in told["resolved"]] == ["b.txt"]
    assert (told["remaining"]["error"], told["state"], told["source"]) == (2, "fresh", ["scripted"])
    assert (walk.there(), found["side_effects"]) == (before, [])
    # Nothing of the trial is left: the patch itself breaks and repairs the same.
    applied = await walk.patch(*lines)
    assert applied["diagnostics"] == told


async def test_a_dry_run_of_a_rewind_tells_too(make_walk: MakeWalk) -> None:
    walk = scripted_servers(make_walk(ON), scripted())
    walk.put("a.txt", "BAD\n")
    await walk.read("a.txt")
    edit = await walk.edit("a.txt", "BAD", "good")
    found = await walk.call("rewind", to=edit["edit_id"], dry_run=True)
    assert [item["line"] for item in found["diagnostics"]["new"]] == [1]
    assert walk.text("a.txt") == "good\n"


@pytest.mark.parametrize(
    ("script", "state", "note"),
    [
        ({"delay": 60}, "none", "has not answered yet"),
        ({"start_delay": 60}, "none", "still starting"),
        ({"crash_at_start": True}, "none", "scripted"),
    ],
)
async def test_a_server_that_does_not_answer_is_named_in_time(
    make_walk: MakeWalk, script: dict[str, Any], state: str, note: str
) -> None:
    settings = {**ON, "limits": {"diagnostics_ms": 700}}
    walk = scripted_servers(make_walk(settings), scripted(**script))
    walk.put("a.txt", "one\n")
    await walk.read("a.txt")
    found = await walk.patch("*** Update File: a.txt", "", "-one", "+BAD", validate_only=True)
    assert (found["ok"], found["diagnostics"]["state"], found["diagnostics"]["new"]) == (True, state, [])
    assert note in " ".join(found["diagnostics"]["notes"])


async def test_a_file_that_no_server_knows_has_no_diagnostics(make_walk: MakeWalk) -> None:
    walk = scripted_servers(make_walk(ON), scripted())
    found = await walk.patch("*** Add File: a.unknown", "+BAD", validate_only=True)
    assert found["diagnostics"] == {
        "new": [],
        "resolved": [],
        "remaining": {"error": 0, "warning": 0, "information": 0, "hint": 0},
        "state": "none",
        "source": [],
    }


async def test_switched_off_nothing_is_asked(walk: Walk) -> None:
    found = await walk.patch("*** Add File: a.txt", "+BAD", validate_only=True)
    assert "diagnostics" not in found


class _Broken(LanguageServers):
    """A source with a mistake in it."""

    async def compare(self, changes: Any, *, deadline: float, keep: bool = True) -> list[Comparison]:
        raise RuntimeError("a mistake")


class _Stuck(LanguageServers):
    """A source that never answers, whatever the deadline."""

    async def compare(self, changes: Any, *, deadline: float, keep: bool = True) -> list[Comparison]:
        await asyncio.Event().wait()
        raise AssertionError("not reached")


@pytest.mark.parametrize("source", [_Broken, _Stuck])
async def test_a_source_that_fails_does_not_fail_the_plan(
    make_walk: MakeWalk, source: type[LanguageServers]
) -> None:
    walk = make_walk({**ON, "limits": {"diagnostics_ms": 50}})
    with_servers(walk, source(str(walk.root)))
    found = await walk.patch("*** Add File: a.txt", "+BAD", validate_only=True)
    assert (found["ok"], found["diagnostics"]["state"]) == (True, "none")
    assert found["diagnostics"]["notes"]


@pytest.mark.parametrize(("door", "whole"), [("mcp", False), ("lsp", True), ("cli", True)])
async def test_a_program_gets_all_of_the_diff_and_a_model_a_part(walk: Walk, door: Any, whole: bool) -> None:
    lines = ["*** Begin Patch"]
    for number in range(40):
        lines += [f"*** Add File: f{number}.txt", *(f"+{number} {row:050}" for row in range(40))]
    text = "\n".join([*lines, "*** End Patch"])
    found = await walk.call("apply_patch", door=door, patch=text, validate_only=True)
    assert ("diff_truncated" not in found, found["diff"].count("diff --git") == 40) == (whole, whole)
    assert bool(found["warnings"]) is not whole
    if not whole:
        assert "--validate-only" in found["warnings"][0]


PREVIEWING: Mapping[str, Any] = {**ON, "preview_diagnostics": True}


async def test_an_edit_that_would_bring_new_errors_is_told_so_and_not_made(make_walk: MakeWalk) -> None:
    walk = scripted_servers(make_walk(PREVIEWING), scripted())
    walk.put("a.txt", "BAD\nok\n")
    await walk.read("a.txt")
    before = walk.there()
    refused = await walk.edit("a.txt", "ok", "fine BAD")
    assert (refused["code"], refused["data"]["reason"]) == ("INVALID_ARGUMENT", "new_errors")
    assert refused["file_path"] == str(walk.root / "a.txt")
    assert [item["line"] for item in refused["data"]["diagnostics"]["new"]] == [2]
    assert walk.there() == before
    assert "2:6 new error [scripted E1] found E1" in error_text(refused)
    assert (await walk.call("history"))["edits"] == []

    again = await walk.edit("a.txt", "ok", "fine BAD")
    assert (again["ok"], len(again["diagnostics"]["new"])) == (True, 1)
    third = await walk.edit("a.txt", "fine BAD", "worse BAD BAD")
    assert third["data"]["reason"] == "new_errors"


async def test_an_edit_that_brings_no_new_errors_is_made_at_once(make_walk: MakeWalk) -> None:
    walk = scripted_servers(make_walk(PREVIEWING), scripted())
    walk.put("a.txt", "BAD\n")
    await walk.read("a.txt")
    warned = await walk.edit("a.txt", "BAD", "BAD MEH")
    assert (warned["applied"], len(warned["diagnostics"]["new"])) == ("applied", 1)
    back = await walk.call("rewind", to=warned["edit_id"])
    assert back["ok"] is True


async def test_a_silent_server_holds_no_edit_back(make_walk: MakeWalk) -> None:
    settings = {**PREVIEWING, "limits": {"diagnostics_ms": 100}}
    walk = scripted_servers(make_walk(settings), scripted(silent=True))
    walk.put("a.txt", "ok\n")
    await walk.read("a.txt")
    assert (await walk.edit("a.txt", "ok", "BAD"))["applied"] == "applied"
