-- What setup() was given, over the defaults. Never: a setting of the server's; those are handed on as they are.

local M = {}

---@class coeditor.Config
---@field cmd string[] the server's command
---@field cmd_env? table<string, string> environment variables for it, beside the editor's own
---@field settings table<string, any> settings of the server
---@field root_dir? fun(bufnr: integer): string? the workspace folder of a file; nil: no server for it
---@field root_markers string[] names of which a workspace folder holds one
---@field trusted boolean|fun(root: string): boolean false: agents may read in this folder, not write
---@field attach fun(bufnr: integer): boolean false leaves a buffer to the disk alone
---@field reload boolean let clean buffers follow their files
---@field debounce integer milliseconds in which typed text is gathered before it is told
local defaults = {
  cmd = { "coeditor", "serve" },
  settings = vim.empty_dict(),
  root_markers = { ".git" },
  trusted = true,
  attach = function()
    return true
  end,
  reload = true,
  debounce = 20,
}

---@type coeditor.Config
M.options = vim.deepcopy(defaults)

---@param given? table
function M.set(given)
  given = given or {}
  vim.validate("cmd", given.cmd, "table", true)
  vim.validate("cmd_env", given.cmd_env, "table", true)
  vim.validate("settings", given.settings, "table", true)
  vim.validate("root_dir", given.root_dir, "function", true)
  vim.validate("root_markers", given.root_markers, "table", true)
  vim.validate("trusted", given.trusted, { "boolean", "function" }, true)
  vim.validate("attach", given.attach, "function", true)
  vim.validate("reload", given.reload, "boolean", true)
  vim.validate("debounce", given.debounce, "number", true)
  local options = vim.deepcopy(defaults)
  for name, value in pairs(given) do
    if defaults[name] == nil and name ~= "cmd_env" and name ~= "root_dir" then
      error(("coeditor: setup() knows no %q"):format(name), 0)
    end
    options[name] = value
  end
  if next(options.settings) == nil then
    options.settings = vim.empty_dict()
  end
  M.options = options
end

--- The workspace folder of a file: what root_dir says, else the folder above it with a marker, else the current
--- folder when it holds the file, else the file's own.
---@param bufnr integer
---@return string?
function M.root_of(bufnr)
  if M.options.root_dir then
    return M.options.root_dir(bufnr)
  end
  local path = vim.api.nvim_buf_get_name(bufnr)
  local marked = vim.fs.root(path, M.options.root_markers)
  if marked then
    return marked
  end
  local here = vim.fn.getcwd(-1, -1)
  local folder = vim.fs.dirname(path)
  if vim.fs.relpath(here, path) then
    folder = here
  end
  return vim.fn.isdirectory(folder) == 1 and folder or nil
end

---@param root string
---@return boolean
function M.is_trusted(root)
  local trusted = M.options.trusted
  if type(trusted) == "function" then
    return trusted(root) == true
  end
  return trusted
end

return M
