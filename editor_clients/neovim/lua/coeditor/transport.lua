-- The server's process, and the notifications of Neovim's LSP client on their way to it.
--
-- Neovim tells changes by its own lines. Where those are not LSP's (a carriage return inside a line, a NUL byte,
-- an empty file, an option that changed the line endings), the whole text is told instead, so that the server
-- always holds what a write would write. Never: a document told twice, or a change of one that is not open.

local documents = require("coeditor.documents")
local state = require("coeditor.state")
local text_of = require("coeditor.text")

local M = {}

-- Bytes of a text that is told once more when it is saved, in case that the server missed something.
local LARGEST_SAVED = 1048576

---@alias coeditor.Send fun(method: string, params: table): boolean

---@param send coeditor.Send
---@param client_id integer
local function did_open(send, params, client_id)
  local uri = params.textDocument.uri
  local known = documents.find(uri)
  local bufnr = known and known.bufnr or documents.buffer_of(uri)
  if not bufnr then
    return true
  end
  local before = documents.of(bufnr)
  if before and before ~= known and before.client_id == client_id then
    send("textDocument/didClose", { textDocument = { uri = before.uri } })
  end
  local document = documents.open(bufnr, uri, client_id, known and known.version)
  params.textDocument.text = documents.whole(document)
  document.tick = documents.version(document)
  local sent = send("textDocument/didOpen", params)
  state.report_soon(bufnr, true)
  return sent
end

--- Whether the changes say all that happened: then both sides count the same lines afterwards.
---@param document coeditor.Document
local function fits(document, params)
  local lines, ending = document.lines, text_of.ending(document.bufnr)
  for _, change in ipairs(params.contentChanges) do
    if not change.range or text_of.valid(change.text) ~= change.text then
      return false
    end
    local rest, breaks = change.text:gsub(ending, "")
    if rest:find("[\r\n]") then
      return false
    end
    lines = lines + breaks - (change.range["end"].line - change.range.start.line)
  end
  document.lines = lines
  return lines == vim.api.nvim_buf_line_count(document.bufnr)
end

--- Undo says only when it is done whether an empty line is left, or nothing: look again then.
---@param document coeditor.Document
---@param told string
local function check_blank(document, told)
  vim.schedule(function()
    local bufnr = document.bufnr
    if documents.of(bufnr) == document and documents.is_blank(bufnr) and (text_of.of(bufnr)) ~= told then
      M.tell_whole(document)
    end
  end)
end

---@param send coeditor.Send
local function did_change(send, params)
  local document = documents.find(params.textDocument.uri)
  if not document then
    return true
  end
  local bufnr = document.bufnr
  local is_whole = document.odd or document.blank or documents.is_blank(bufnr)
  if is_whole or document.shape ~= text_of.shape(bufnr) or not fits(document, params) then
    local text = documents.whole(document)
    params.contentChanges = { { text = text } }
    if document.blank then
      check_blank(document, text)
    end
  end
  document.tick = documents.version(document)
  local sent = send("textDocument/didChange", params)
  state.report(document)
  return sent
end

---@param send coeditor.Send
local function did_save(send, params)
  local document = documents.find(params.textDocument.uri)
  if not document then
    return true
  end
  document.stamp = documents.stamp(document.bufnr)
  local text = documents.text(document)
  params.text = #text <= LARGEST_SAVED and documents.whole(document) or nil
  local sent = send("textDocument/didSave", params)
  state.report_soon(document.bufnr, true)
  return sent
end

---@param send coeditor.Send
local function did_close(send, params)
  local document = documents.find(params.textDocument.uri)
  if not document then
    return true
  end
  documents.close(document)
  return send("textDocument/didClose", params)
end

--- The whole text of a document, told after all that was typed.
---@param document coeditor.Document
function M.tell_whole(document)
  local client = vim.lsp.get_client_by_id(document.client_id)
  if not client or not client.initialized then
    return
  end
  state.report(document, true)
  local identity = { uri = document.uri, version = documents.version(document) }
  client.rpc.notify("textDocument/didChange", { textDocument = identity, contentChanges = { {} } })
end

--- The same if an option changed the text.
---@param document coeditor.Document
function M.tell_reshaped(document)
  local is_loaded = vim.api.nvim_buf_is_loaded(document.bufnr)
  if is_loaded and document.shape and document.shape ~= text_of.shape(document.bufnr) then
    M.tell_whole(document)
  end
end

--- What vim.lsp.start() takes as cmd.
---@param server coeditor.Server
---@param ended fun(code: integer, signal: integer) called once, when the process has ended
function M.command(server, cmd, env, ended)
  return function(dispatchers, config)
    local own = vim.tbl_extend("force", dispatchers, {
      on_exit = function(code, signal)
        -- The end is told by ourselves, without a message that waits for a key.
        dispatchers.on_exit(0, 0)
        ended(code, signal)
      end,
    })
    local rpc = vim.lsp.rpc.start(cmd, own, { cwd = config.root_dir, env = env })
    local send = rpc.notify
    local ways = {
      ["textDocument/didOpen"] = did_open,
      ["textDocument/didChange"] = did_change,
      ["textDocument/didSave"] = did_save,
      ["textDocument/didClose"] = did_close,
    }
    rpc.notify = function(method, params)
      local way = ways[method]
      if not way then
        return send(method, params)
      end
      -- Neovim hands the same table to every client.
      return way(send, vim.deepcopy(params), server.client_id)
    end
    return rpc
  end
end

return M
