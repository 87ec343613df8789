-- Deleting and renaming the files of buffers, with what other language servers do about it: imports follow.
--
-- A buffer that a rename would write otherwise than its file is (a missing line ending, say) is left to the server.
-- Never: a file whose buffer holds another text than was meant, or a formatter that runs because of a new name.

local api = vim.api
local agents = require("coeditor.agents")
local disk = require("coeditor.disk")
local documents = require("coeditor.documents")
local events = require("coeditor.events")

local M = {}

local PARTICIPANTS = 2000 -- milliseconds for one language server to say what follows a rename

---@class coeditor.FileOperation
---@field kind "rename"|"delete"
---@field uri string
---@field new_uri? string
---@field before? string hash

---@param one coeditor.FileOperation
---@return string? why it cannot be made
local function check(one)
  local document = documents.find(one.uri)
  if not document or not api.nvim_buf_is_loaded(document.bufnr) then
    return "closed"
  end
  local bufnr = document.bufnr
  local text = documents.text(document)
  if one.before and (vim.bo[bufnr].modified or documents.hash(document) ~= one.before) then
    return "changed"
  end
  local path = api.nvim_buf_get_name(bufnr)
  if one.before and (disk.holds(bufnr, text) ~= true or vim.uv.fs_realpath(path) ~= path) then
    return "disk"
  end
end

--- Whether a language server asked to hear of operations on this file.
local function wants(client, event, path)
  local registered = vim.tbl_get(client.server_capabilities, "workspace", "fileOperations", event)
  for _, filter in ipairs(registered and registered.filters or {}) do
    local is_file = filter.scheme == nil or filter.scheme == "file"
    local ok, pattern = pcall(vim.glob.to_lpeg, filter.pattern.glob)
    if is_file and ok and pattern:match(path) and filter.pattern.matches ~= "folder" then
      return true
    end
  end
  return false
end

---@param one coeditor.FileOperation
local function said(one)
  if one.kind == "rename" then
    return { files = { { oldUri = one.uri, newUri = one.new_uri } } }
  end
  return { files = { { uri = one.uri } } }
end

--- Takes the edits of one file out of a workspace edit.
local function taken_out(edit, uri)
  local found = edit.changes and edit.changes[uri] or {}
  if edit.changes then
    edit.changes[uri] = nil
  end
  edit.documentChanges = edit.documentChanges
    and vim.tbl_filter(function(change)
      local is_its = change.textDocument and change.textDocument.uri == uri
      vim.list_extend(found, is_its and change.edits or {})
      return not is_its
    end, edit.documentChanges)
  return found
end

--- What the other language servers want to have changed before; edits of the file itself come back, for afterwards.
---@param one coeditor.FileOperation
local function ask_servers(one)
  local event = one.kind == "rename" and "willRename" or "willDelete"
  local own = {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    if client.name ~= "coeditor" and wants(client, event, vim.uri_to_fname(one.uri)) then
      local answer = client:request_sync("workspace/" .. event .. "Files", said(one), PARTICIPANTS)
      if answer and answer.result and answer.result ~= vim.NIL then
        local mine = taken_out(answer.result, one.uri)
        own[#own + 1] = #mine > 0 and { edits = mine, encoding = client.offset_encoding } or nil
        vim.lsp.util.apply_workspace_edit(answer.result, client.offset_encoding)
      end
    end
  end
  return own
end

---@param one coeditor.FileOperation
local function tell_servers(one)
  local event = one.kind == "rename" and "didRename" or "didDelete"
  for _, client in ipairs(vim.lsp.get_clients()) do
    if client.name ~= "coeditor" and wants(client, event, vim.uri_to_fname(one.uri)) then
      client:notify("workspace/" .. event .. "Files", said(one))
    end
  end
end

---@param one coeditor.FileOperation
---@param own { edits: table[], encoding: string }[]
local function rename(one, own)
  local document = assert(documents.find(one.uri))
  local bufnr = document.bufnr
  local path = vim.uri_to_fname(one.new_uri)
  local fixes, ignored = vim.bo[bufnr].fixendofline, vim.o.eventignore
  vim.bo[bufnr].fixendofline = fixes and vim.bo[bufnr].endofline
  vim.opt.eventignore:append("BufWritePre")
  local ok, problem = pcall(vim.cmd, "silent lua require('coeditor.files').rename_quietly()")
  vim.o.eventignore = ignored
  if api.nvim_buf_is_valid(bufnr) then
    vim.bo[bufnr].fixendofline = fixes
  end
  assert(ok, problem)
  local old = vim.uri_to_fname(one.uri)
  assert(vim.uv.fs_stat(path) and not vim.uv.fs_stat(old), "the file kept its name")
  -- A buffer that gets another name leaves an empty one with its old name behind.
  for _, left in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_get_name(left) == old and not api.nvim_buf_is_loaded(left) then
      api.nvim_buf_delete(left, { force = true })
    end
  end
  for _, more in ipairs(own) do
    vim.lsp.util.apply_text_edits(more.edits, bufnr, more.encoding)
  end
end

---@type { old: string, new: string }?
local under_way

--- The rename itself, run by a command that keeps Neovim's messages about it away.
function M.rename_quietly()
  local names = assert(under_way)
  vim.lsp.util.rename(names.old, names.new, {})
end

---@param one coeditor.FileOperation
local function delete(one)
  local path = vim.uri_to_fname(one.uri)
  assert(vim.fn.delete(path) == 0, "Neovim could not delete the file")
  agents.follow_removal(one.uri)
end

---@param one coeditor.FileOperation
local function operate(one)
  local own = ask_servers(one)
  local why = check(one) -- answers were waited for
  assert(not why, why)
  if one.kind == "rename" then
    under_way = { old = vim.uri_to_fname(one.uri), new = vim.uri_to_fname(one.new_uri) }
    rename(one, own)
  else
    delete(one)
  end
  tell_servers(one)
end

local function refusal(reason, refused)
  return { applied = false, failureReason = reason, refused = refused }
end

--- The handler: all of it is checked before anything is done. What was done when a later one fails the server takes back.
function M.handle(_, params)
  if require("coeditor.apply").now() > params.expires then
    return refusal("nobody waits any more", {})
  end
  local refused = {}
  for _, one in ipairs(params.operations) do
    local why = check(one)
    refused[#refused + 1] = why and { uri = one.uri, why = why } or nil
  end
  if #refused > 0 then
    return refusal(refused[1].why, refused)
  end
  for _, one in ipairs(params.operations) do
    local ok, problem = pcall(operate, one)
    if not ok then
      local why = tostring(problem):match("[^:]*$")
      events.log(("a file was not to be %sd: %s"):format(one.kind, tostring(problem)))
      return refusal(why, { { uri = one.uri, why = why == "changed" and "changed" or "failed" } })
    end
  end
  return { applied = true }
end

return M
