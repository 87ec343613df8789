"""Line ends of new files: as sent, or as ``.editorconfig`` has them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk

CONFIG = """\
root = true
[*.{txt,bat}]
end_of_line = CRLF
[*.mac]
end_of_line = cr
[*.sh]
end_of_line = lf
[plain.txt]
end_of_line = unset
[odd.txt]
end_of_line = lfcr
"""


async def create(walk: Walk, how: str, name: str, text: str) -> dict[str, Any]:
    match how:
        case "write":
            return await walk.write(name, text)
        case "edit":
            return await walk.edit(name, "", text)
        case _:
            return await walk.patch(f"*** Add File: {name}", *("+" + line for line in text.split("\n")[:-1]))


@pytest.mark.parametrize("how", ["write", "edit", "patch"])
@pytest.mark.parametrize(
    ("name", "sent", "there"),
    [
        ("a.txt", "a\nb\n", "a\r\nb\r\n"),
        ("a.txt", "a\r\nb\n", "a\r\nb\r\n"),
        ("a.txt", "a\r\nb\r\n", "a\r\nb\r\n"),
        ("deep/er/a.bat", "a\n", "a\r\n"),
        ("a.mac", "a\nb\n", "a\rb\r"),
        ("a.sh", "a\r\nb\n", "a\nb\n"),
        ("plain.txt", "a\n", "a\n"),
        ("odd.txt", "a\n", "a\n"),
        ("a.py", "a\n", "a\n"),
    ],
)
async def test_new_files(make_walk: MakeWalk, how: str, name: str, sent: str, there: str) -> None:
    walk = make_walk({"new_file_eol": "editorconfig"})
    walk.put(".editorconfig", CONFIG)
    if how == "patch":
        sent = sent.replace("\r\n", "\n")
    found = await create(walk, how, name, sent)
    assert (found["ok"], walk.text(name)) == (True, there), found
    assert any(".editorconfig" in warning for warning in found["warnings"]) == (sent != there)
    assert found["changed_files"][0]["version"] == (await walk.read(name))["version"]
    assert (await walk.edit(name, "a", "c"))["ok"]


async def test_a_lone_cr_is_content(make_walk: MakeWalk) -> None:
    walk = make_walk({"new_file_eol": "editorconfig"})
    walk.put(".editorconfig", CONFIG)
    await walk.write("a.txt", "a\rb\n")
    assert walk.text("a.txt") == "a\rb\r\n"


async def test_what_is_there_and_what_comes_back_stays(make_walk: MakeWalk) -> None:
    walk = make_walk({"new_file_eol": "editorconfig"})
    walk.put(".editorconfig", CONFIG)
    walk.put("a.txt", "a\nb\n")
    await walk.read("a.txt")
    await walk.write("a.txt", "b\nc\n")
    assert walk.text("a.txt") == "b\nc\n"
    found = await walk.patch("*** Delete File: a.txt")
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]
    assert walk.text("a.txt") == "b\nc\n"


@pytest.mark.parametrize("how", ["write", "edit", "patch"])
async def test_without_the_setting_as_sent(walk: Walk, how: str) -> None:
    walk.put(".editorconfig", CONFIG)
    await create(walk, how, "a.txt", "a\nb\n")
    assert walk.text("a.txt") == "a\nb\n"


async def test_a_config_that_cannot_be_read_says_nothing(make_walk: MakeWalk) -> None:
    walk = make_walk({"new_file_eol": "editorconfig"})
    (walk.root / ".editorconfig").mkdir()
    assert (await walk.write("a.txt", "a\n"))["warnings"] == []
    assert walk.text("a.txt") == "a\n"


async def test_a_plan_shows_the_line_ends_that_will_be(make_walk: MakeWalk) -> None:
    walk = make_walk({"new_file_eol": "editorconfig"})
    walk.put(".editorconfig", CONFIG)
    found = await walk.patch("*** Add File: a.txt", "+a", validate_only=True)
    assert "+a\r\n" in found["diff"]
    assert not (walk.root / "a.txt").exists()
