-- Buffers without a name, which Neovim's LSP client cannot tell apart: told as untitled: documents, as whole texts.
-- Never: a buffer that is no text of the person's (help, terminals, lists).

local api = vim.api
local documents = require("coeditor.documents")

local M = {}

---@param bufnr integer
---@return string
local function uri_of(bufnr)
  return "untitled:Untitled-" .. bufnr
end

---@param document coeditor.Document
local function tell_change(document, method)
  local client = vim.lsp.get_client_by_id(document.client_id)
  if client and client.initialized then
    local identity = { uri = document.uri, version = documents.version(document) }
    client:notify(method, { textDocument = identity, contentChanges = { {} } })
  end
end

--- Forget a document that has a name now, or is gone.
---@param bufnr integer
function M.detach(bufnr)
  local document = documents.of(bufnr)
  if not document or not document.version then
    return
  end
  local client = vim.lsp.get_client_by_id(document.client_id)
  if client and client.initialized then
    client:notify("textDocument/didClose", { textDocument = { uri = document.uri } })
  end
  documents.close(document)
end

---@param document coeditor.Document
local function follow(document, debounce)
  local bufnr, waits = document.bufnr, false
  local function is_current()
    return documents.of(bufnr) == document
  end
  api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      if not is_current() then
        return true
      end
      if not waits then
        waits = true
        vim.defer_fn(function()
          waits = false
          if is_current() and api.nvim_buf_is_loaded(bufnr) then
            tell_change(document, "textDocument/didChange")
          end
        end, debounce)
      end
    end,
    on_detach = function()
      vim.schedule(function()
        if is_current() then
          M.detach(bufnr)
        end
      end)
    end,
  })
end

--- Tell a buffer without a name, and follow it.
---@param bufnr integer
---@param client vim.lsp.Client one that is initialized
---@param debounce integer
function M.attach(bufnr, client, debounce)
  local before = documents.of(bufnr)
  if before and before.client_id == client.id then
    return
  end
  local function version()
    return api.nvim_buf_get_changedtick(bufnr)
  end
  local document = documents.open(bufnr, uri_of(bufnr), client.id, version)
  local identity = { uri = document.uri, languageId = "plaintext", version = version(), text = "" }
  client:notify("textDocument/didOpen", { textDocument = identity })
  follow(documents.of(bufnr) or document, debounce)
end

return M
