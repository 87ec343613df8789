-- The agents that are connected, and what they edited.
-- Never: a change of a text; the server made it and tells of it.

local api = vim.api
local config = require("coeditor.config")
local disk = require("coeditor.disk")
local documents = require("coeditor.documents")
local events = require("coeditor.events")

local M = {}

---@class coeditor.Edit
---@field client_id integer
---@field edit_id string
---@field agent? string
---@field session? string
---@field tool? string
---@field files { uri: string, operation: string, added: integer, removed: integer }[]

---@type coeditor.Edit?
M.last = nil

---@type table<string, { agents: table[], unsaved_conflicts: integer }> by workspace folder
local connected = {}

--- Let clean buffers follow their files: the server wrote those that the editor does not hold open.
function M.follow_disk()
  if not config.options.reload then
    return
  end
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    local is_file = api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == ""
    if is_file and not vim.bo[bufnr].modified then
      local path = api.nvim_buf_get_name(bufnr)
      if path ~= "" and vim.uv.fs_stat(path) then
        disk.follow(bufnr)
      end
    end
  end
end

--- A file that an agent deleted or moved: a clean buffer of it goes as well, or gives way to the new name.
---@param uri string
---@param new? string where the file is now
function M.follow_removal(uri, new)
  local bufnr = documents.buffer_of(uri)
  if not bufnr or vim.bo[bufnr].modified or vim.uv.fs_stat(api.nvim_buf_get_name(bufnr)) then
    return
  end
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    api.nvim_win_call(window, function()
      local view = vim.fn.winsaveview()
      if new then
        vim.cmd("silent! keepalt edit " .. vim.fn.fnameescape(vim.uri_to_fname(new)))
        vim.fn.winrestview(view)
      else
        vim.cmd("silent! bprevious")
      end
      if api.nvim_get_current_buf() == bufnr then
        vim.cmd("silent! enew")
      end
    end)
  end
  pcall(api.nvim_buf_delete, bufnr, {})
end

local function sentence(edit)
  local names = {}
  for _, file in ipairs(edit.files) do
    local name = vim.fs.basename(file.uri:match("^file:") and vim.uri_to_fname(file.uri) or file.uri)
    names[#names + 1] = ("%s %s +%d -%d"):format(file.operation, name, file.added or 0, file.removed or 0)
  end
  return ("%s by %s: %s"):format(edit.tool or "edit", edit.agent or edit.session or "an agent", table.concat(names, ", "))
end

function M.did_apply_edit(_, params, context)
  M.last = vim.tbl_extend("force", params, { client_id = context.client_id })
  events.log(sentence(M.last))
  require("coeditor.diagnostics").after_edit(vim.tbl_map(function(file)
    return file.uri
  end, params.files))
  for _, file in ipairs(params.files) do
    if file.operation == "delete" then
      M.follow_removal(file.uri)
    end
    if file.operation == "move" and file.from then
      M.follow_removal(file.from, file.uri)
    end
  end
  M.follow_disk()
  events.tell()
end

function M.told_agents(_, params, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if client then
    connected[client.root_dir] = params
    events.tell()
  end
end

--- Whether a server has told of its agents: it owns its folder then, and they find it.
---@return boolean
function M.is_in_service()
  return next(connected) ~= nil
end

---@param root string
function M.forget(root)
  connected[root] = nil
end

---@return table[] agents
---@return integer conflicts
function M.all()
  local found, conflicts = {}, 0
  for _, params in pairs(connected) do
    vim.list_extend(found, params.agents or {})
    conflicts = conflicts + (params.unsaved_conflicts or 0)
  end
  return found, conflicts
end

---@return string?
function M.last_sentence()
  return M.last and sentence(M.last)
end

return M
