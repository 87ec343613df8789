"""Patches through the whole walk: all or nothing, the ledger's word on every file, and what outcomes say."""

from __future__ import annotations

import pytest

from tests.lsp_server.tools.conftest import Walk


async def test_add_update_move_and_delete_in_one(walk: Walk) -> None:
    for name in ("u.txt", "m.txt", "d.txt"):
        walk.put(name, f"{name}\nend\n", 0o755 if name == "m.txt" else None)
        await walk.read(name)
    found = await walk.patch(
        "*** Add File: new/a.txt",
        "+one",
        "*** Update File: u.txt",
        "@@",
        "-u.txt",
        "+U",
        "*** Update File: m.txt",
        "*** Move to: deep/m2.txt",
        "@@",
        "-end",
        "+END",
        "*** Delete File: d.txt",
    )
    assert found["ok"], found
    assert walk.there() == {"new/a.txt": b"one\n", "u.txt": b"U\nend\n", "deep/m2.txt": b"m.txt\nEND\n"}
    assert (walk.root / "deep/m2.txt").stat().st_mode & 0o777 == 0o755
    rows = {row["file_path"]: row for row in found["changed_files"]}
    assert {path.removeprefix(str(walk.root) + "/"): row["operation"] for path, row in rows.items()} == {
        "new/a.txt": "create",
        "u.txt": "update",
        "deep/m2.txt": "move",
        "d.txt": "delete",
    }
    assert rows[str(walk.root / "deep/m2.txt")]["from"] == str(walk.root / "m.txt")
    assert rows[str(walk.root / "d.txt")]["version"] is None
    # The scope knows all of its results.
    assert (await walk.edit("deep/m2.txt", "END", "fin"))["ok"]
    assert (await walk.edit("u.txt", "U", "V"))["ok"]
    assert (await walk.edit("d.txt", "x", "y"))["code"] == "FS_NOT_FOUND"


@pytest.mark.parametrize(
    ("sections", "code", "path"),
    [
        (["*** Update File: b.txt", "@@", "-nope", "+x"], "FS_NO_MATCH", "b.txt"),
        (["*** Update File: unseen.txt", "@@", "-u", "+x"], "FS_NOT_OBSERVED", "unseen.txt"),
        (["*** Delete File: unseen.txt"], "FS_NOT_OBSERVED", "unseen.txt"),
        (["*** Add File: unseen.txt", "+x"], "FS_ALREADY_EXISTS", "unseen.txt"),
        (["*** Move File: b.txt -> unseen.txt"], "FS_ALREADY_EXISTS", "unseen.txt"),
        (["*** Delete File: gone.txt"], "FS_NOT_FOUND", "gone.txt"),
        (["*** Add File: b.txt/x", "+x"], "FS_NOT_FOUND", "b.txt/x"),
        (["*** Add File: .git/hooks/x", "+x"], "FS_DENIED", ".git/hooks/x"),
        (["*** Add File: ../out.txt", "+x"], "FS_DENIED", None),
        (["*** Add File: dangling", "+x"], "FS_ALREADY_EXISTS", "dangling"),
    ],
)
async def test_one_bad_section_and_nothing_happens(
    walk: Walk, sections: list[str], code: str, path: str | None
) -> None:
    walk.put("a.txt", "a\n")
    walk.put("b.txt", "b\n")
    walk.put("unseen.txt", "u\n")
    (walk.root / "dangling").symlink_to("nowhere")
    await walk.read("a.txt")
    await walk.read("b.txt")
    before = walk.there()
    found = await walk.patch(
        "*** Update File: a.txt", "@@", "-a", "+A", "*** Add File: n/n.txt", "+n", *sections
    )
    assert found["code"] == code, found
    if path is not None:
        assert found["file_path"] == str(walk.root / path)
    assert "line" in found["data"]
    assert walk.there() == before
    assert not (walk.root / "n").exists()
    assert (await walk.call("history"))["edits"] == []


async def test_one_stale_file_refuses_all_and_a_retry_applies(walk: Walk) -> None:
    walk.put("a.txt", "a\n")
    path = walk.put("b.txt", "b\nc\n")
    await walk.read("a.txt")
    await walk.read("b.txt")
    path.write_text("b\nc\nlate\n")
    lines = ("*** Update File: a.txt", "@@", "-a", "+A", "*** Update File: b.txt", "@@", "-b", "+B")
    found = await walk.patch(*lines)
    assert (found["code"], found["file_path"]) == ("FS_STALE_VERSION", str(path))
    assert "+late" in found["data"]["diff"]
    assert (await walk.patch(*lines))["ok"]
    assert walk.there() == {"a.txt": b"A\n", "b.txt": b"B\nc\nlate\n"}


async def test_validate_only_shows_the_plan_and_leaves_ledger_and_files(walk: Walk) -> None:
    walk.put("a.txt", "a\n")
    walk.put("unseen.txt", "u\n")
    await walk.read("a.txt")
    found = await walk.patch("*** Update File: a.txt", "@@", "-a", "+A", validate_only=True)
    assert (found["applied"], found["rewindable"], "edit_id" in found) == ("planned", False, False)
    assert "+A" in found["diff"]
    refused = await walk.patch("*** Update File: unseen.txt", "@@", "-u", "+U", validate_only=True)
    assert refused["code"] == "FS_NOT_OBSERVED"
    # What that refusal showed does not count.
    again = await walk.patch("*** Update File: unseen.txt", "@@", "-u", "+U")
    assert again["code"] == "FS_NOT_OBSERVED"
    assert walk.there() == {"a.txt": b"a\n", "unseen.txt": b"u\n"}


async def test_delete_takes_the_link_and_never_what_it_leads_to(walk: Walk) -> None:
    walk.put("real.txt", "r\n")
    (walk.root / "link.txt").symlink_to("real.txt")
    await walk.read("link.txt")
    found = await walk.patch("*** Delete File: link.txt")
    assert found["ok"], found
    assert not (walk.root / "link.txt").is_symlink()
    assert walk.text("real.txt") == "r\n"
    assert (await walk.edit("real.txt", "r", "R"))["ok"]


async def test_move_of_a_link_moves_the_link(walk: Walk) -> None:
    walk.put("real.txt", "r\n")
    (walk.root / "link.txt").symlink_to("real.txt")
    await walk.read("link.txt")
    found = await walk.patch("*** Move File: link.txt -> other.txt")
    assert found["ok"], found
    assert (walk.root / "other.txt").is_symlink()
    assert walk.text("other.txt") == walk.text("real.txt") == "r\n"


async def test_delete_then_add_keeps_the_mode_and_is_an_update(walk: Walk) -> None:
    path = walk.put("run.sh", "old\n", 0o755)
    await walk.read("run.sh")
    found = await walk.patch("*** Delete File: run.sh", "*** Add File: run.sh", "+new")
    assert found["changed_files"][0]["operation"] == "update"
    assert path.stat().st_mode & 0o777 == 0o755
    assert walk.text("run.sh") == "new\n"


async def test_move_onto_what_the_same_patch_deletes(walk: Walk) -> None:
    walk.put("a.txt", "a\n")
    walk.put("b.txt", "b\n")
    await walk.read("a.txt")
    await walk.read("b.txt")
    found = await walk.patch("*** Delete File: b.txt", "*** Move File: a.txt -> b.txt")
    assert found["ok"], found
    assert walk.there() == {"b.txt": b"a\n"}
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]
    assert walk.there() == {"a.txt": b"a\n", "b.txt": b"b\n"}


async def test_two_files_change_places(walk: Walk) -> None:
    walk.put("a.txt", "a\n")
    walk.put("b.txt", "b\n")
    await walk.read("a.txt")
    await walk.read("b.txt")
    found = await walk.patch(
        "*** Move File: a.txt -> t.txt", "*** Move File: b.txt -> a.txt", "*** Move File: t.txt -> b.txt"
    )
    assert found["ok"], found
    assert walk.there() == {"a.txt": b"b\n", "b.txt": b"a\n"}


@pytest.mark.parametrize(
    ("limits", "lines", "name"),
    [
        ({"patch_files": 1}, ["*** Add File: a", "+a", "*** Add File: b", "+b"], "patch_files"),
        ({"patch_chunks": 1}, ["*** Update File: w", "@@", "-1", "+a", "@@", "-2", "+b"], "patch_chunks"),
        ({"patch_bytes": 20}, ["*** Add File: a", "+a"], "patch_bytes"),
        ({"patch_lines": 1}, ["*** Add File: a", "+a", "+b"], "patch_lines"),
        ({"patch_file_bytes": 3}, ["*** Update File: w", "@@", "-1", "+a"], "patch_file_bytes"),
    ],
)
async def test_limits_are_told(make_walk, limits: dict[str, int], lines: list[str], name: str) -> None:  # type: ignore[no-untyped-def]
    walk: Walk = make_walk({"limits": limits})
    walk.put("w", "1\n2\n")
    await walk.read("w")
    found = await walk.patch(*lines)
    assert (found["code"], found["data"]["limit_name"]) == ("FS_TOO_LARGE", name)
    assert found["data"]["limit"] == limits[name]


@pytest.mark.parametrize(
    "sections",
    [
        ["*** Add File: q", "+1", "*** Add File: q/r/s", "+2"],
        ["*** Add File: q/r/s", "+2", "*** Add File: q", "+1"],
        ["*** Move File: a.txt -> q", "*** Add File: q/r/s", "+2"],
        ["*** Add File: q", "+1", "*** Update File: a.txt", "*** Move to: q/r/s", "@@", "-a", "+b"],
    ],
)
async def test_no_file_comes_below_another_file_of_the_patch(walk: Walk, sections: list[str]) -> None:
    walk.put("a.txt", "a\n")
    await walk.read("a.txt")
    found = await walk.patch(*sections)
    line = next(number for number, text in enumerate(sections, start=2) if "q/r/s" in text)
    assert (found["code"], found["file_path"]) == ("FS_NOT_FOUND", str(walk.root / "q/r/s"))
    assert found["data"]["line"] in (line, line - 1)  # a move's section begins above
    assert walk.there() == {"a.txt": b"a\n"}
