-- Coeditor: AI agents edit through the editor, and never over what the person typed.
--
-- setup() starts `coeditor serve` for the folders of the files that are open. Never: work before setup().

local api = vim.api
local config = require("coeditor.config")

local M = {}

---@param group integer
---@param names string|string[]
---@param callback fun(arguments: table)
local function on(group, names, callback, pattern)
  api.nvim_create_autocmd(names, { group = group, pattern = pattern, callback = callback })
end

local function follow_buffers(group)
  local servers = require("coeditor.servers")
  local state = require("coeditor.state")
  local function attach(arguments)
    servers.attach(arguments.buf)
  end
  on(group, { "BufReadPost", "BufNewFile", "BufFilePost", "BufWinEnter" }, attach)
  on(group, { "BufFilePre" }, function(arguments)
    servers.detach(arguments.buf)
  end)
  on(group, { "BufModifiedSet" }, function(arguments)
    state.report_soon(arguments.buf)
  end)
  on(group, { "BufWritePost" }, function(arguments)
    M._written(arguments.buf)
  end)
  on(group, { "TextChanged", "TextChangedI" }, function(arguments)
    local document = require("coeditor.documents").of(arguments.buf)
    if document and require("coeditor.undo").follow(document) then
      require("coeditor.transport").tell_whole(document)
    end
  end)
end

local function follow_options(group)
  local state = require("coeditor.state")
  local function reshaped()
    local document = require("coeditor.documents").of(api.nvim_get_current_buf())
    if document then
      vim.schedule(function()
        require("coeditor.transport").tell_reshaped(document)
      end)
    end
  end
  on(group, { "OptionSet" }, reshaped, { "fileformat", "endofline", "bomb", "fileencoding" })
  on(group, { "OptionSet" }, function()
    state.report_soon(api.nvim_get_current_buf())
  end, { "readonly", "modifiable" })
end

--- Neovim writes a last line ending that was missing ('fixendofline'), and goes on as if it were missing.
---@param bufnr integer
function M._written(bufnr)
  local bo = vim.bo[bufnr]
  local document = require("coeditor.documents").of(bufnr)
  if not document or document.version then
    -- Its first write may have given it its name.
    require("coeditor.servers").attach(bufnr)
    return
  end
  if not bo.endofline and bo.fixendofline and not bo.binary then
    bo.endofline = true
    require("coeditor.transport").tell_reshaped(document)
  end
  require("coeditor.state").report_soon(bufnr, true)
end

--- Start working. May be called again with other options.
---@param options? table see :help coeditor-setup
function M.setup(options)
  config.set(options)
  local group = api.nvim_create_augroup("coeditor", { clear = true })
  follow_buffers(group)
  follow_options(group)
  on(group, { "LspAttach", "LspDetach" }, function(arguments)
    require("coeditor.state").report_soon(arguments.buf)
  end)
  on(group, { "DiagnosticChanged" }, function(arguments)
    require("coeditor.diagnostics").changed(arguments.buf)
  end)
  on(group, { "FocusGained", "BufEnter", "CursorHold", "TermLeave" }, function()
    require("coeditor.agents").follow_disk()
  end)
  on(group, { "VimLeavePre" }, function()
    require("coeditor.servers").leave()
  end)
  require("coeditor.servers").attach_all()
end

--- For a status line: the agents connected, or that there is no server.
---@return string
function M.statusline()
  local servers = require("coeditor.servers")
  local document = require("coeditor.documents").of(api.nvim_get_current_buf())
  if not document then
    return next(servers.by_root) and "" or "coeditor off"
  end
  local agents, conflicts = require("coeditor.agents").all()
  local text = ("coeditor %d"):format(#agents)
  return conflicts > 0 and ("%s !%d"):format(text, conflicts) or text
end

--- What :Coeditor status shows, as lines.
---@return string[]
function M.status()
  return require("coeditor.views").status_lines()
end

return M
