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
---@field tick? integer the buffer's changedtick when the text was told last
---@field diagnosed? integer how many diagnostics were told last
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

--- The whole text, which is about to be told.
---@param document coeditor.Document
---@return string
function M.whole(document)
  local text, odd = text_of.of(document.bufnr)
  document.odd = odd
  document.blank = M.is_blank(document.bufnr)
  document.shape = text_of.shape(document.bufnr)
  document.lines = api.nvim_buf_line_count(document.bufnr)
  return text
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
