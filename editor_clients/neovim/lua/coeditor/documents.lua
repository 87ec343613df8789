-- The buffers that the server knows, and what it was told of each.
-- Never: a message of its own accord.

local api = vim.api
local text_of = require("coeditor.text")

local M = {}

---@class coeditor.Document
---@field bufnr integer
---@field uri string
---@field client_id integer
---@field shape string all that decides on the text beside the lines, when the text was told last
---@field lines integer lines of the text that was told last, as LSP counts them
---@field odd boolean lines of the buffer are not lines of LSP: changes are told as whole texts
---@field blank boolean it was one empty line or none when it was told last
---@field told? table the state that was told last
---@field known? { version: integer, shape: string, text: string, odd: boolean, hash?: string }
---@field tick? integer the version that was told last
---@field diagnosed? integer the most diagnostics that were told at once
---@field version? fun(): integer for documents that Neovim's client does not track
---@field flips coeditor.Flip[]
---@field stamp? string what the file was when buffer and file were last in step

---@type table<integer, coeditor.Document>
local documents = {}

---@param uri string
---@return coeditor.Document?
function M.find(uri)
  for _, document in pairs(documents) do
    if document.uri == uri then
      return document
    end
  end
end

---@param bufnr integer
---@return coeditor.Document?
function M.of(bufnr)
  return documents[bufnr]
end

---@return table<integer, coeditor.Document>
function M.all()
  return documents
end

--- The loaded buffer that Neovim spells so.
---@param uri string
---@return integer?
function M.buffer_of(uri)
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(bufnr) and vim.uri_from_bufnr(bufnr) == uri then
      return bufnr
    end
  end
end

--- Keep a document.
---@param bufnr integer
---@param uri string
---@param client_id integer
---@param version? fun(): integer
---@return coeditor.Document
function M.open(bufnr, uri, client_id, version)
  local document = { bufnr = bufnr, uri = uri, client_id = client_id, version = version, flips = {} }
  document.stamp = M.stamp(bufnr)
  documents[bufnr] = document
  return document
end

--- Whether there is one empty line or none, which look the same.
---@param bufnr integer
---@return boolean
function M.is_blank(bufnr)
  return api.nvim_buf_line_count(bufnr) == 1 and api.nvim_buf_get_lines(bufnr, 0, 1, true)[1] == ""
end

--- The text as it is now, read from the buffer only after a change.
---@param document coeditor.Document
---@return string text
---@return boolean odd
function M.text(document)
  local version, shape = M.version(document), text_of.shape(document.bufnr)
  local known = document.known
  if not known or known.version ~= version or known.shape ~= shape or M.is_blank(document.bufnr) then
    local text, odd = text_of.of(document.bufnr)
    known = { version = version, shape = shape, text = text, odd = odd }
    document.known = known
  end
  return known.text, known.odd
end

--- The same, surely from the buffer.
---@param document coeditor.Document
---@return string
function M.read(document)
  document.known = nil
  return (M.text(document))
end

--- The text's hash.
---@param document coeditor.Document
---@return string
function M.hash(document)
  M.text(document)
  local known = document.known
  known.hash = known.hash or text_of.hash(known.text)
  return known.hash
end

--- The whole text, which is about to be told.
---@param document coeditor.Document
---@return string
function M.whole(document)
  local text, odd = M.text(document)
  document.odd = odd
  document.blank = M.is_blank(document.bufnr)
  document.shape = text_of.shape(document.bufnr)
  document.lines = api.nvim_buf_line_count(document.bufnr)
  return text_of.valid(text)
end

---@param document coeditor.Document
function M.close(document)
  if documents[document.bufnr] == document then
    documents[document.bufnr] = nil
  end
end

---@param document coeditor.Document
---@return integer
function M.version(document)
  if document.version then
    return document.version()
  end
  return vim.lsp.util.buf_versions[document.bufnr]
end

--- What the file is now, as far as its entry in the folder tells; nil when there is none.
---@param bufnr integer
---@return string?
function M.stamp(bufnr)
  local path = api.nvim_buf_get_name(bufnr)
  local stat = path ~= "" and vim.uv.fs_stat(path)
  if not stat then
    return nil
  end
  return table.concat({ stat.dev, stat.ino, stat.size, stat.mtime.sec, stat.mtime.nsec }, " ")
end

return M
