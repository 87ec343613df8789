-- coeditor/publishDiagnostics: what all of the editor's language servers and linters say of one document.
-- Where an edit changes nothing, some say nothing; so a moment after each edit of an agent what stands is told once
-- more, marked as no news.
-- Never: what our own server says.

local api = vim.api
local documents = require("coeditor.documents")
local methods = require("coeditor.methods")
local state = require("coeditor.state")

local M = {}

local scheduled = {} ---@type table<integer, true>
local is_remarking = false

--- After an agent's edit, in milliseconds.
local STANDING_MS = 100

--- Our server's own findings must not come back to it.
local function is_ours(diagnostic)
  local namespace = vim.diagnostic.get_namespaces()[diagnostic.namespace]
  return namespace ~= nil and namespace.name:find("%.coeditor%.") ~= nil
end

---@param encoding "utf-8"|"utf-16"|"utf-32"
local function position(bufnr, row, column, encoding)
  row = math.max(0, row)
  local line = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
  return { line = row, character = vim.str_utfindex(line, encoding, math.min(column, #line), false) }
end

---@param diagnostic vim.Diagnostic
local function to_lsp(bufnr, diagnostic, encoding)
  local from_server = vim.tbl_get(diagnostic, "user_data", "lsp") or {}
  local end_row = diagnostic.end_lnum or diagnostic.lnum
  local end_column = diagnostic.end_col or diagnostic.col
  return {
    range = {
      start = position(bufnr, diagnostic.lnum, diagnostic.col, encoding),
      ["end"] = position(bufnr, end_row, end_column, encoding),
    },
    severity = diagnostic.severity,
    code = diagnostic.code or from_server.code,
    source = diagnostic.source or from_server.source,
    message = diagnostic.message,
  }
end

---@param document coeditor.Document
---@param standing? boolean nobody said anything new
function M.publish(document, standing)
  local client = vim.lsp.get_client_by_id(document.client_id)
  local bufnr = document.bufnr
  if not client or not client.initialized or not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
    if not is_ours(diagnostic) then
      found[#found + 1] = to_lsp(bufnr, diagnostic, client.offset_encoding)
    end
  end
  document.diagnosed = math.max(document.diagnosed or 0, #found)
  state.report(document)
  client:notify(methods.PUBLISH_DIAGNOSTICS, {
    uri = document.uri,
    version = documents.version(document),
    diagnostics = found,
    standing = standing,
  })
end

--- An agent's edit has happened: tell soon what stands.
---@param uris string[]
function M.after_edit(uris)
  vim.defer_fn(function()
    for _, uri in ipairs(uris) do
      local document = documents.find(uri)
      if document then
        M.publish(document, true)
      end
    end
  end, STANDING_MS)
end

--- Remarks of our own server: shown as any server's, and no news for it.
function M.remark(problem, params, context)
  is_remarking = true
  local ok, raised = pcall(vim.lsp.handlers["textDocument/publishDiagnostics"], problem, params, context)
  is_remarking = false
  if not ok then
    error(raised, 0)
  end
end

--- Several servers that speak at once are told together.
---@param bufnr integer
function M.changed(bufnr)
  if is_remarking or scheduled[bufnr] or not documents.of(bufnr) then
    return
  end
  scheduled[bufnr] = true
  vim.schedule(function()
    scheduled[bufnr] = nil
    local document = documents.of(bufnr)
    if document then
      M.publish(document)
    end
  end)
end

return M
