"""Edits and whole-file writes against the ledger and the disk: what is refused, what is kept, what is told."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk

WHAT = ("edit", "write")


async def change(walk: Walk, what: str, **more: Any) -> dict[str, Any]:
    if what == "edit":
        return await walk.edit("a.py", "x = 1", "x = 2", **more)
    return await walk.write("a.py", "x = 2\n", **more)


@pytest.mark.parametrize("what", WHAT)
async def test_of_an_unseen_file_is_refused_and_shows_it(walk: Walk, what: str) -> None:
    walk.put("a.py", "x = 1\n")
    found = await change(walk, what)
    assert found["code"] == "FS_NOT_OBSERVED"
    assert found["data"]["lines"] == "1\tx = 1"
    assert walk.text("a.py") == "x = 1\n"


@pytest.mark.parametrize(("what", "code"), [("edit", None), ("write", "FS_NOT_OBSERVED")])
async def test_what_a_refusal_showed_is_enough_for_an_edit_and_not_for_a_write(
    walk: Walk, what: str, code: str | None
) -> None:
    walk.put("a.py", "x = 1\n")
    await change(walk, "edit" if what == "edit" else "write")
    assert (await change(walk, what)).get("code") in (code, "FS_PARTIALLY_OBSERVED" if code else None)


@pytest.mark.parametrize("what", WHAT)
async def test_after_a_read_it_applies_again_and_again(walk: Walk, what: str) -> None:
    walk.put("a.py", "x = 1\n")
    await walk.read("a.py")
    assert (await change(walk, what))["ok"]
    assert (await walk.edit("a.py", "x = 2", "x = 3"))["ok"]
    assert (await walk.write("a.py", "x = 4\n"))["ok"]
    assert walk.text("a.py") == "x = 4\n"


@pytest.mark.parametrize("what", WHAT)
async def test_of_a_file_that_moved_is_stale_with_the_difference(walk: Walk, what: str) -> None:
    path = walk.put("a.py", "x = 1\n")
    await walk.read("a.py")
    path.write_text("x = 1\nlate = 1\n")
    found = await change(walk, what)
    assert found["code"] == "FS_STALE_VERSION"
    assert "+late = 1" in found["data"]["diff"]
    assert found["data"]["moved_by"] == "external"
    assert walk.text("a.py") == "x = 1\nlate = 1\n"


async def test_a_stale_edit_goes_through_the_second_time_and_a_write_needs_a_read(walk: Walk) -> None:
    path = walk.put("a.py", "x = 1\n")
    await walk.read("a.py")
    path.write_text("x = 1\nlate = 1\n")
    await walk.edit("a.py", "x = 1", "x = 2")
    assert "code" in await walk.write("a.py", "x = 9\n")
    assert (await walk.edit("a.py", "x = 1", "x = 2"))["ok"]
    await walk.read("a.py", refresh=True)
    assert (await walk.write("a.py", "x = 9\n"))["ok"]


async def test_staleness_is_told_before_matching(walk: Walk) -> None:
    path = walk.put("a.py", "x = 1\n")
    await walk.read("a.py")
    path.write_text("all new\n")
    assert (await walk.edit("a.py", "x = 1", "x = 2"))["code"] == "FS_STALE_VERSION"


@pytest.mark.parametrize("what", WHAT)
async def test_of_a_vanished_file_is_stale_once_and_then_absent(walk: Walk, what: str) -> None:
    walk.put("a.py", "x = 1\n")
    await walk.read("a.py")
    (walk.root / "a.py").unlink()
    found = await change(walk, what)
    assert (found["code"], found["data"]["vanished"]) == ("FS_STALE_VERSION", True)
    assert (await walk.edit("a.py", "x = 1", "x = 2"))["code"] == "FS_NOT_FOUND"
    assert (await walk.write("a.py", "x = 2\n"))["changed_files"][0]["operation"] == "create"


async def test_edit_of_a_missing_file_is_not_found(walk: Walk) -> None:
    assert (await walk.edit("gone.py", "a", "b"))["code"] == "FS_NOT_FOUND"
    assert (await walk.read("gone.py"))["code"] == "FS_NOT_FOUND"


async def test_write_to_a_path_that_somebody_took_meanwhile(walk: Walk) -> None:
    await walk.read("a.py")
    walk.put("a.py", "mine\n")
    assert (await walk.write("a.py", "x\n"))["code"] == "FS_NOT_OBSERVED"
    assert walk.text("a.py") == "mine\n"


async def test_write_makes_folders_and_knows_what_it_wrote(walk: Walk) -> None:
    found = await walk.write("deep/er/a.py", "x = 1\n")
    assert found["changed_files"][0]["operation"] == "create"
    assert (found["changed_files"][0]["added"], found["version_check"]) == (1, "skipped")
    assert (await walk.edit("deep/er/a.py", "x = 1", "x = 2"))["ok"]


async def test_write_over_a_part_names_the_missing_lines(walk: Walk) -> None:
    walk.put("a.py", "".join(f"{n}\n" for n in range(1, 101)))
    await walk.read("a.py", limit=10)
    await walk.read("a.py", offset=21, limit=10)
    found = await walk.write("a.py", "x\n")
    assert found["code"] == "FS_PARTIALLY_OBSERVED"
    assert found["data"]["missing"] == [[11, 20], [31, 100]]
    await walk.read("a.py", offset=11, limit=90)
    assert (await walk.write("a.py", "x\n"))["ok"]


async def test_an_edit_outside_the_lines_shown_warns_and_names_them(walk: Walk) -> None:
    walk.put("a.py", "".join(f"line {n} end\n" for n in range(1, 101)))
    await walk.read("a.py", limit=10)
    inside = await walk.edit("a.py", "line 3 end", "LINE 3 END")
    outside = await walk.edit("a.py", "line 50 end", "LINE 50 END")
    assert inside["warnings"] == []
    assert "50" in outside["warnings"][0]


@pytest.mark.parametrize(
    ("kept", "content", "after"),
    [
        (b"a\r\nb\r\n", "c\nd\n", b"c\r\nd\r\n"),
        (b"a\r\nb\n", "c\nd\n", b"c\nd\n"),
        (b"\xef\xbb\xbfa\n", "c\n", b"\xef\xbb\xbfc\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffc\n", b"\xef\xbb\xbfc\n"),
        (b"a\n", "c\r\nd\r\n", b"c\r\nd\r\n"),
        ("\ufeffé\n".encode("utf-16-le"), "ü\n", "\ufeffü\n".encode("utf-16-le")),
    ],
)
async def test_a_write_keeps_mark_encoding_and_uniform_crlf(
    walk: Walk, kept: bytes, content: str, after: bytes
) -> None:
    path = walk.put("a.txt", kept)
    await walk.read("a.txt")
    assert (await walk.write("a.txt", content))["ok"]
    assert path.read_bytes() == after


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\nc\r", "b", "B", b"a\r\nB\nc\r"),
        (b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n"),
        (b"caf\xe9 = 1\n", "= 1", "= 2", b"caf\xe9 = 2\n"),
        (b"no end", "end", "END", b"no END"),
    ],
)
async def test_every_byte_outside_the_edit_stays(
    walk: Walk, before: bytes, old: str, new: str, after: bytes
) -> None:
    path = walk.put("a.txt", before)
    await walk.read("a.txt")
    assert (await walk.edit("a.txt", old, new))["ok"]
    assert path.read_bytes() == after


async def test_text_that_the_encoding_cannot_hold_is_refused(walk: Walk) -> None:
    path = walk.put("a.txt", b"caf\xe9\n")
    await walk.read("a.txt")
    assert (await walk.edit("a.txt", "caf", "β"))["code"] == "FS_ENCODING"
    assert path.read_bytes() == b"caf\xe9\n"


async def test_outcome_of_an_edit(walk: Walk) -> None:
    walk.put("a.py", "w\nx = 1\n")
    await walk.read("a.py")
    found = await walk.edit("a.py", "x = 1", "x = 22")
    assert found["diff"] == (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n w\n-x = 1\n+x = 22\n"
    )
    assert found["match"] == {"level": "exact", "count": 1, "lines": [[2, 2]]}
    assert (found["version_check"], found["rewindable"], found["applied"]) == ("passed", True, "applied")
    assert (found["bytes_changed"], found["warnings"]) == (11, [])
    row = found["changed_files"][0]
    assert (row["operation"], row["added"], row["removed"], row["saved"]) == ("update", 1, 1, True)
    assert row["version"] == (await walk.read("a.py", refresh=True))["version"]
    assert [effect["name"] for effect in found["side_effects"]] == ["history", "refresh", "events"]
    assert all(effect["ok"] for effect in found["side_effects"])


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o664])
@pytest.mark.parametrize("what", WHAT)
async def test_the_mode_stays(walk: Walk, what: str, mode: int) -> None:
    path = walk.put("a.py", "x = 1\n", mode)
    await walk.read("a.py")
    assert (await change(walk, what))["ok"]
    assert path.stat().st_mode & 0o777 == mode


async def test_links_are_written_through_and_hard_links_kept(walk: Walk) -> None:
    real = walk.put("real.py", "x = 1\n")
    (walk.root / "link.py").symlink_to("real.py")
    os.link(real, walk.root / "hard.py")
    await walk.read("link.py")
    assert (await walk.edit("link.py", "x = 1", "x = 2"))["ok"]
    assert (await walk.edit("real.py", "x = 2", "x = 3"))["ok"]
    assert (walk.root / "link.py").is_symlink()
    assert real.stat().st_ino == (walk.root / "hard.py").stat().st_ino
    assert walk.text("hard.py") == "x = 3\n"


@pytest.mark.parametrize(
    ("settings", "moved_to", "code", "after"),
    [
        ({"staleness": "on-miss"}, "top\nx = 1\n", None, "top\nx = 2\n"),
        ({"staleness": "on-miss"}, "top\nx = 9\n", "FS_STALE_VERSION", None),
        ({"staleness": "on-miss"}, "x = 1\nx = 1\n", "FS_STALE_VERSION", None),
        ({"on_conflict": "merge"}, "k\nk\nx = 1\n", "FS_STALE_VERSION", None),
        ({"matching": "exact"}, None, None, "x = 2\n"),
    ],
)
async def test_settings(
    make_walk: MakeWalk, settings: dict[str, Any], moved_to: str | None, code: str | None, after: str | None
) -> None:
    walk = make_walk(settings)
    path = walk.put("a.py", "x = 1\n")
    await walk.read("a.py")
    if moved_to is not None:
        path.write_text(moved_to)
    found = await walk.edit("a.py", "x = 1", "x = 2")
    assert found.get("code") == code
    assert walk.text("a.py") == (after or moved_to)


async def test_merge_keeps_what_changed_far_away_and_says_so(make_walk: MakeWalk) -> None:
    walk = make_walk({"on_conflict": "merge"})
    lines = [f"k{n}\n" for n in range(1, 11)]
    path = walk.put("a.py", "".join(lines))
    await walk.read("a.py")
    path.write_text("K1\n" + "".join(lines[1:]))
    found = await walk.edit("a.py", "k8\n", "K8\nmore\n")
    assert found["ok"]
    assert "line 1" in found["warnings"][-1]
    assert walk.text("a.py") == "K1\n" + "".join(lines[1:7]) + "K8\nmore\n" + "".join(lines[8:])
    assert (await walk.edit("a.py", "k9", "K9"))["ok"]


async def test_read_first_off_needs_no_read_and_says_that_nothing_was_checked(make_walk: MakeWalk) -> None:
    walk = make_walk({"read_first": False})
    walk.put("a.py", "x = 1\n")
    found = await walk.edit("a.py", "x = 1", "x = 2")
    assert (found["ok"], found["version_check"]) == (True, "skipped")
    assert (await walk.write("new.py", "n\n"))["ok"]
    assert (await walk.edit("gone.py", "a", "b"))["code"] == "FS_NOT_FOUND"


async def test_read_only_mode_refuses(make_walk: MakeWalk) -> None:
    walk = make_walk({"mode": "read-only"})
    walk.put("a.py", "x = 1\n")
    await walk.read("a.py")
    found = await walk.edit("a.py", "x = 1", "x = 2")
    assert (found["code"], found["data"]["rule"]) == ("FS_DENIED", "mode")


@pytest.mark.parametrize(
    ("path", "rule"),
    [("../out.py", "workspace"), (".git/config", "protected:.git"), ("leak/new.py", "workspace")],
)
@pytest.mark.parametrize("what", WHAT)
async def test_walls(walk: Walk, what: str, path: str, rule: str) -> None:
    (walk.root.parent / "out").mkdir()
    (walk.root / "leak").symlink_to("../out")
    edit = {"old_string": "a", "new_string": "b"}
    arguments: dict[str, Any] = edit if what == "edit" else {"content": "b"}
    found = await walk.call(what, file_path=path, **arguments)
    assert (found["code"], found["data"]["rule"]) == ("FS_DENIED", rule)


@pytest.mark.parametrize(
    ("sent", "reason"), [("1\tx = 1\n2\ty = 1", "own_output"), ("no such line", "miscopied")]
)
async def test_reasons_of_a_miss(walk: Walk, sent: str, reason: str) -> None:
    walk.put("a.py", "x = 1\ny = 1\n")
    await walk.read("a.py")
    found = await walk.edit("a.py", sent, "z")
    assert (found["code"], found["data"]["reason"]) == ("FS_NO_MATCH", reason)


async def test_a_miss_where_nothing_was_shown_is_not_read(walk: Walk) -> None:
    walk.put("a.py", "first = 1\n" + "filler\n" * 200 + "total_price = compute(items)\n")
    await walk.read("a.py", limit=1)
    found = await walk.edit("a.py", "total_price = computed(items)", "z")
    assert found["data"]["reason"] == "not_read"


async def test_own_output_is_no_content(walk: Walk) -> None:
    walk.put("a.py", "x = 1\ny = 1\n")
    shown = await walk.read("a.py")
    found = await walk.write("a.py", shown["text"])
    assert (found["code"], found["data"]["reason"]) == ("INVALID_ARGUMENT", "own_output")


async def test_a_table_that_counts_its_rows_is_content(walk: Walk) -> None:
    table = "1\tapple\n2\tpear\n3\tplum\n"
    walk.put("a.py", "x = 1\ny = 1\nz = 1\n")
    await walk.read("a.py")
    assert (await walk.write("t.tsv", table))["ok"]
    assert walk.text("t.tsv") == table


async def test_own_output_of_one_file_is_no_content_of_another(walk: Walk) -> None:
    walk.put("a.py", "x = 1\ny = 1\nz = 1\n")
    shown = await walk.read("a.py")
    found = await walk.write("copy.py", shown["text"].replace("z", "zz"))
    assert (found["code"], found["data"]["reason"]) == ("INVALID_ARGUMENT", "own_output")


async def test_empty_old_string_makes_or_fills_and_never_inserts(walk: Walk) -> None:
    assert (await walk.edit("new.py", "", "x\n"))["changed_files"][0]["operation"] == "create"
    walk.put("empty.py", "")
    await walk.read("empty.py")
    assert (await walk.edit("empty.py", "", "y\n"))["ok"]
    walk.put("full.py", "z\n")
    await walk.read("full.py")
    assert (await walk.edit("full.py", "", "a\n"))["code"] == "INVALID_ARGUMENT"


async def test_equal_text_is_no_change(walk: Walk) -> None:
    walk.put("a.py", "x = 1\n")
    await walk.read("a.py")
    assert (await walk.edit("a.py", "x = 1", "x = 1"))["code"] == "FS_NO_CHANGE"
    assert (await walk.write("a.py", "x = 1\n"))["code"] == "FS_NO_CHANGE"
