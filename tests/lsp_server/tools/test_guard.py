"""The syntax guard in the walk: what breaks a file is told of or refused before anything is written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk

GOOD = {
    "a.py": "x = 1\ny = 2\n",
    "b.json": '{"x": 1}\n',
    "c.toml": "x = 1\n",
    "d.yaml": "x: 1\n",
    "e.txt": "x = 1\n",
}


async def change(walk: Walk, how: str, name: str, bad: str) -> dict[str, Any]:
    match how:
        case "edit":
            return await walk.edit(name, "1", bad)
        case "write":
            return await walk.write(name, GOOD[name].replace("1", bad))
        case _:
            old = next(line for line in GOOD[name].split("\n") if "1" in line)
            return await walk.patch(f"*** Update File: {name}", "@@", "-" + old, "+" + old.replace("1", bad))


@pytest.mark.parametrize("how", ["edit", "write", "patch"])
@pytest.mark.parametrize(
    ("name", "bad", "language", "place"),
    [
        ("a.py", "(", "python", (1, 5)),
        ("b.json", "1 2", "json", (1, 9)),
        ("c.toml", "", "toml", (1, 5)),
        ("d.yaml", "[", "yaml", (2, 1)),
    ],
)
async def test_the_three_settings(
    make_walk: MakeWalk, how: str, name: str, bad: str, language: str, place: tuple[int, int]
) -> None:
    for setting in ("refuse", "warn", "off"):
        walk = make_walk({"syntax_guard": setting}, name=setting)
        walk.put(name, GOOD[name])
        await walk.read(name)
        found = await change(walk, how, name, bad)
        if setting == "refuse":
            assert (found["code"], walk.text(name)) == ("INVALID_ARGUMENT", GOOD[name])
            data = found["data"]
            assert (data["reason"], data["language"], (data["line"], data["column"])) == (
                "syntax",
                language,
                place,
            )
            assert bad in data["after"]
            assert found["file_path"] == str(walk.root / name)
            assert (await walk.call("history"))["edits"] == []
        else:
            assert walk.text(name) == GOOD[name].replace("1", bad)
            told = [warning for warning in found["warnings"] if "does not any more" in warning]
            assert len(told) == (setting == "warn")


@pytest.mark.parametrize(
    ("name", "before", "old", "new"),
    [
        ("a.py", "x = (\n", "x", "y"),
        ("a.py", "x = 1\n", "1", "2"),
        ("tsconfig.json", "{}\n", "{}", "{} // none"),
        ("e.txt", "x = 1\n", "1", "("),
        ("b.json", "", "", '{"x"'),
    ],
)
async def test_what_the_guard_lets_pass(
    make_walk: MakeWalk, name: str, before: str, old: str, new: str
) -> None:
    walk = make_walk({"syntax_guard": "refuse"})
    walk.put(name, before)
    await walk.read(name)
    found = await walk.edit(name, old, new)
    assert (found["ok"], found["warnings"]) == (True, [])


@pytest.mark.parametrize("how", ["edit", "write", "patch", "move"])
async def test_a_new_file_is_told_of_and_never_refused(make_walk: MakeWalk, how: str) -> None:
    walk = make_walk({"syntax_guard": "refuse"})
    walk.put("old.txt", "x = (\n")
    await walk.read("old.txt")
    match how:
        case "edit":
            found = await walk.edit("new.py", "", "x = (\n")
        case "write":
            found = await walk.write("new.py", "x = (\n")
        case "patch":
            found = await walk.patch("*** Add File: new.py", "+x = (")
        case _:
            found = await walk.patch(
                "*** Update File: old.txt", "*** Move to: new.py", "@@", "-x = (", "+y = ("
            )
    assert found["ok"], found
    assert [warning for warning in found["warnings"] if "does not parse: line 1, column 5" in warning]


async def test_one_broken_file_of_a_patch_refuses_all_and_names_the_others(make_walk: MakeWalk) -> None:
    walk = make_walk({"syntax_guard": "refuse"})
    for name, text in GOOD.items():
        walk.put(name, text)
        await walk.read(name)
    before = walk.there()
    lines = [
        "*** Update File: e.txt",
        "@@",
        "-x = 1",
        "+x",
        "*** Update File: a.py",
        "@@",
        "-x = 1",
        "+x = (",
    ]
    lines += ["*** Update File: c.toml", "@@", "-x = 1", "+x = "]
    found = await walk.patch(*lines)
    assert found["file_path"] == str(walk.root / "a.py")
    assert [each["file_path"] for each in found["data"]["failures"]] == [str(walk.root / "c.toml")]
    assert walk.there() == before
    planned = await walk.patch(*lines, validate_only=True)
    assert planned["data"]["reason"] == "syntax"


async def test_a_rewind_brings_back_what_was_there(make_walk: MakeWalk) -> None:
    walk = make_walk({"syntax_guard": "refuse"})
    walk.put("a.py", "x = (\n")
    await walk.read("a.py")
    found = await walk.edit("a.py", "(", "1")
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]
    assert walk.text("a.py") == "x = (\n"


async def test_a_text_that_takes_long_is_named(make_walk: MakeWalk) -> None:
    walk = make_walk({"syntax_guard": "refuse"})
    walk.put("a.py", "x = 1\n" * 100_000 + "y = 2\n")
    await walk.read("a.py")
    found = await walk.edit("a.py", "y = 2", "y = (")
    assert found["ok"]
    assert any("too large for the syntax guard" in warning for warning in found["warnings"])


async def test_what_is_nested_too_deeply_to_be_parsed_does_not_go_through(make_walk: MakeWalk) -> None:
    walk = make_walk({"syntax_guard": "refuse"})
    walk.put("b.json", GOOD["b.json"])
    await walk.read("b.json")
    found = await walk.edit("b.json", "1", "[" * 50_000 + "\n" + "]" * 50_000)
    assert (found["code"], found["data"]["reason"]) == ("INVALID_ARGUMENT", "syntax")
    assert (found["data"]["line"], found["data"]["column"]) == (1, 50_006)
    assert walk.text("b.json") == GOOD["b.json"]
    assert "does not parse" in (await walk.write("new.json", "[" * 50_000))["warnings"][0]
