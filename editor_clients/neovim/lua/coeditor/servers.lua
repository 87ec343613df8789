-- One server for each workspace folder: started for its first buffer, started again when it ends.
-- Never: a server that the person stopped, or one that fails over and over without a pause.

local api = vim.api
local config = require("coeditor.config")
local documents = require("coeditor.documents")
local events = require("coeditor.events")
local methods = require("coeditor.methods")
local transport = require("coeditor.transport")
local untitled = require("coeditor.untitled")

local M = {}

local FIRST_WAIT, LONGEST_WAIT, STEADY = 100, 30000, 60000 -- milliseconds

---@class coeditor.Server
---@field root string
---@field client_id? integer
---@field failures integer ends in a row, none of which had a steady run before
---@field started integer when, in milliseconds of the event loop
---@field timer? uv.uv_timer_t
---@field last_end? string

---@type table<string, coeditor.Server>
M.by_root = {}

local is_stopped = false

---@param server coeditor.Server
---@return vim.lsp.Client?
function M.client(server)
  local client = server.client_id and vim.lsp.get_client_by_id(server.client_id)
  return client and not client:is_stopped() and client or nil
end

local function handlers()
  local requests = require("coeditor.requests")
  local agents = require("coeditor.agents")
  return {
    [methods.APPLY_EDIT] = require("coeditor.apply").handle,
    [methods.SAVE] = requests.save,
    [methods.RELOAD] = requests.reload,
    [methods.DOCUMENT_TEXT] = requests.document_text,
    [methods.FILE_OPERATIONS] = require("coeditor.files").handle,
    [methods.DID_APPLY_EDIT] = agents.did_apply_edit,
    [methods.AGENTS] = agents.told_agents,
    [methods.ASK] = require("coeditor.questions").ask,
    [methods.WITHDRAW] = require("coeditor.questions").withdraw,
    ["textDocument/publishDiagnostics"] = require("coeditor.diagnostics").remark,
  }
end

---@param root string
local function init_options(root)
  return {
    coeditor = {
      protocol = methods.PROTOCOL,
      checkedApply = true,
      documentState = true,
      documentText = true,
      save = true,
      reload = true,
      publishDiagnostics = true,
      fileOperations = true,
      questions = true,
      trusted = config.is_trusted(root),
      settings = config.options.settings,
    },
  }
end

---@param server coeditor.Server
local function ended(server, code, signal)
  vim.schedule(function()
    for _, document in pairs(documents.all()) do
      if document.client_id == server.client_id then
        documents.close(document)
      end
    end
    server.last_end = ("exit code %d, signal %d"):format(code, signal)
    require("coeditor.questions").withdraw_all(server.client_id)
    server.client_id = nil
    require("coeditor.agents").forget(server.root)
    events.tell()
    if not is_stopped and M.by_root[server.root] == server then
      M.start_again(server)
    end
  end)
end

---@param server coeditor.Server
local function on_init(server)
  return function(client)
    -- We add the text to didSave ourselves; Neovim would put it together once more.
    local sync = client.server_capabilities.textDocumentSync
    if type(sync) == "table" and sync.save then
      sync.save = true
    end
    for _, bufnr in ipairs(api.nvim_list_bufs()) do
      M.attach(bufnr)
    end
    events.tell("started", server.root, client.id)
  end
end

---@param server coeditor.Server
local function start(server)
  if vim.fn.executable(config.options.cmd[1]) == 0 then
    server.last_end = config.options.cmd[1] .. " is not executable"
    events.log(server.last_end)
    return
  end
  server.started = vim.uv.now()
  local run = transport.command(server, config.options.cmd, config.options.cmd_env, function(code, signal)
    ended(server, code, signal)
  end)
  server.client_id = vim.lsp.start({
    name = "coeditor",
    cmd = run,
    root_dir = server.root,
    init_options = init_options(server.root),
    handlers = handlers(),
    flags = { debounce_text_changes = config.options.debounce, exit_timeout = 1000 },
    get_language_id = function(_, filetype)
      return filetype ~= "" and filetype or "plaintext"
    end,
    on_init = on_init(server),
  }, {
    attach = false,
    silent = true,
    reuse_client = function()
      return false
    end,
  })
end

--- Start a server that ended, after a pause that doubles with each failure in a row.
---@param server coeditor.Server
function M.start_again(server)
  if vim.uv.now() - server.started > STEADY then
    server.failures = 0
  end
  local wait = math.min(LONGEST_WAIT, FIRST_WAIT * 2 ^ server.failures)
  server.failures = server.failures + 1
  events.log(("the server of %s ended (%s); starting it again in %d ms"):format(server.root, server.last_end, wait))
  server.timer = vim.defer_fn(function()
    server.timer = nil
    if not is_stopped and M.by_root[server.root] == server and not server.client_id then
      start(server)
    end
  end, wait)
end

---@param root string
---@return coeditor.Server
local function server_of(root)
  local server = M.by_root[root]
  if not server then
    server = { root = root, failures = 0, started = vim.uv.now() }
    M.by_root[root] = server
    start(server)
  end
  return server
end

--- Whether a buffer is text of the person's.
local function is_text(bufnr)
  return api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == "" and config.options.attach(bufnr) ~= false
end

---@param bufnr integer
local function attach_unnamed(bufnr)
  local server = M.by_root[vim.fn.getcwd(-1, -1)] or select(2, next(M.by_root))
  local client = server and M.client(server)
  if client and client.initialized and vim.bo[bufnr].buflisted then
    untitled.attach(bufnr, client, config.options.debounce)
  end
end

--- Tell the server of a buffer, if it is one that servers are told of; start the server if need be.
---@param bufnr integer
function M.attach(bufnr)
  if is_stopped or not is_text(bufnr) then
    return
  end
  local name = api.nvim_buf_get_name(bufnr)
  if name == "" then
    attach_unnamed(bufnr)
  elseif not name:match("^%a[%w+.-]*://") and vim.fn.isdirectory(name) == 0 then
    untitled.detach(bufnr)
    local root = config.root_of(bufnr)
    local server = root and server_of(vim.fs.normalize(root))
    if server and server.client_id and not vim.lsp.buf_is_attached(bufnr, server.client_id) then
      vim.lsp.buf_attach_client(bufnr, server.client_id)
    end
  end
end

--- Forget a buffer that is about to get another name.
---@param bufnr integer
function M.detach(bufnr)
  local document = documents.of(bufnr)
  if document and not document.version and vim.lsp.buf_is_attached(bufnr, document.client_id) then
    vim.lsp.buf_detach_client(bufnr, document.client_id)
  end
end

function M.attach_all()
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    M.attach(bufnr)
  end
end

--- End all servers. They are not started again before start_all().
function M.stop_all()
  is_stopped = true
  for _, server in pairs(M.by_root) do
    local client = M.client(server)
    if client then
      client:stop()
    end
  end
  M.by_root = {}
end

function M.start_all()
  is_stopped = false
  M.attach_all()
end

--- Editor and server part for good; no restart while Neovim leaves.
function M.leave()
  is_stopped = true
end

return M
