-- The person's configuration in these tests: the plugin, and news of everything that a test may wait for.

vim.opt.runtimepath:prepend(vim.env.COEDITOR_TEST_PLUGIN)
vim.o.swapfile = vim.env.COEDITOR_TEST_SWAP == "1"
vim.o.more = true

--- Nobody is told any more while Neovim leaves: an error would be a message that waits for a key.
local function news()
  pcall(vim.rpcnotify, 1, "news")
end

vim.api.nvim_create_autocmd({
  "BufReadPost",
  "BufWritePost",
  "CursorMoved",
  "CursorMovedI",
  "DiagnosticChanged",
  "FileChangedShellPost",
  "LspAttach",
  "LspDetach",
  "LspNotify",
  "ModeChanged",
  "TextChanged",
  "TextChangedI",
}, {
  callback = news,
})
vim.api.nvim_create_autocmd("User", {
  pattern = "CoeditorChanged",
  callback = news,
})

require("coeditor").setup({
  cmd = vim.json.decode(vim.env.COEDITOR_TEST_COMMAND),
  settings = vim.json.decode(vim.env.COEDITOR_TEST_SETTINGS),
})
