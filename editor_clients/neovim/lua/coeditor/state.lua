-- coeditor/documentState: what is unsaved, and how each document is encoded.
-- Never: a state that is older than the text that the server has.

local api = vim.api
local documents = require("coeditor.documents")
local methods = require("coeditor.methods")
local text_of = require("coeditor.text")

local M = {}

--- Whether a language server or a linter of the editor's looks after a document.
---@param document coeditor.Document
local function is_attended(document)
  if (document.diagnosed or 0) > 0 or next(vim.diagnostic.count(document.bufnr)) ~= nil then
    return true
  end
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = document.bufnr })) do
    if client.name ~= "coeditor" then
      return true
    end
  end
  return false
end

---@param document coeditor.Document
local function state_of(document)
  local bufnr = document.bufnr
  return {
    uri = document.uri,
    version = documents.version(document),
    dirty = vim.bo[bufnr].modified,
    encoding = text_of.encoding(bufnr),
    eol = text_of.eol(bufnr),
    readonly = vim.bo[bufnr].readonly or not vim.bo[bufnr].modifiable,
    untitled = document.version ~= nil,
    attended = is_attended(document),
  }
end

local function is_news(told, state)
  for name, value in pairs(state) do
    if name ~= "version" and told[name] ~= value then
      return true
    end
  end
  return false
end

--- Tell the state of a document if it is news. Everything that was typed is told before.
---@param document coeditor.Document
---@param always? boolean also when it is not
function M.report(document, always)
  local client = vim.lsp.get_client_by_id(document.client_id)
  if not client or not client.initialized or not api.nvim_buf_is_loaded(document.bufnr) then
    return
  end
  local state = state_of(document)
  if always or not document.told or is_news(document.told, state) then
    document.told = state
    client:notify(methods.DOCUMENT_STATE, state)
  end
end

--- The same as soon as Neovim is done with what it does now.
---@param bufnr integer
---@param always? boolean
function M.report_soon(bufnr, always)
  vim.schedule(function()
    local document = documents.of(bufnr)
    if document then
      M.report(document, always)
    end
  end)
end

return M
