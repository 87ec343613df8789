-- What the server asks about one document beside edits: save it, read it again, tell its text.
-- Never: an edit, or an answer that the server's picture of the text does not bear out.

local api = vim.api
local disk = require("coeditor.disk")
local documents = require("coeditor.documents")
local state = require("coeditor.state")
local text_of = require("coeditor.text")

local M = {}

local function not_open(uri)
  return nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.InvalidParams, "not open: " .. tostring(uri))
end

--- The document as it is now; all that was typed is told before this is answered.
local function now(document)
  state.report(document, true)
  return {
    version = documents.version(document),
    hash = documents.hash(document),
    dirty = vim.bo[document.bufnr].modified,
  }
end

--- Our handlers get an error, the params, and a context, as all of Neovim's do.
---@param run fun(document: coeditor.Document, params: table): table?, string?
local function about_document(run)
  return function(_, params)
    local document = documents.find(params.uri)
    if not document or not api.nvim_buf_is_loaded(document.bufnr) then
      return not_open(params.uri)
    end
    return run(document, params)
  end
end

--- With a hash, only the text that has it is saved: what the person typed since is theirs to save.
M.save = about_document(function(document, params)
  local bufnr = document.bufnr
  local text = documents.text(document)
  local saved, reason = true, nil
  if params.hash and params.hash ~= documents.hash(document) then
    saved, reason = false, "it was changed meanwhile"
  elseif vim.bo[bufnr].modified or disk.holds(bufnr, text) ~= true then
    if disk.has_moved(document, text) then
      saved, reason = false, "the file was written by somebody else meanwhile"
    else
      disk.settle(document)
      saved, reason = disk.write(document)
    end
  end
  if not api.nvim_buf_is_loaded(bufnr) then
    return not_open(document.uri)
  end
  local answer = now(document)
  answer.saved, answer.reason = saved, reason
  return answer
end)

M.reload = about_document(function(document, params)
  local bufnr = document.bufnr
  if vim.bo[bufnr].modified and params.discard == documents.hash(document) then
    disk.discard(bufnr)
  else
    disk.reload(bufnr)
  end
  -- A reload closes the document and opens it again.
  document = documents.of(bufnr)
  if not document then
    return not_open(params.uri)
  end
  return now(document)
end)

M.document_text = about_document(function(document)
  local answer = now(document)
  local text = text_of.valid((documents.text(document)))
  return { version = answer.version, text = text, dirty = answer.dirty }
end)

return M
