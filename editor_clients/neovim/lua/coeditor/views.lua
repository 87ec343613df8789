-- Scratch windows: what is connected, what happened, what the last edit changed.
-- Never: a message that waits for a key, or a window that keeps a file.

local api = vim.api
local agents = require("coeditor.agents")
local documents = require("coeditor.documents")
local events = require("coeditor.events")
local methods = require("coeditor.methods")
local servers = require("coeditor.servers")

local M = {}

---@param name string
---@param lines string[]
---@param filetype? string
local function show(name, lines, filetype)
  local title = "coeditor://" .. name
  local bufnr = vim.fn.bufadd(title)
  vim.bo[bufnr].buftype = "nofile"
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].swapfile = false
  local window = vim.fn.bufwinid(bufnr)
  if window ~= -1 then
    api.nvim_set_current_win(window)
  else
    vim.cmd("botright sbuffer " .. bufnr)
  end
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = filetype or ""
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = bufnr, desc = "Close this window" })
end

local function server_lines()
  local lines = {}
  for root, server in vim.spairs(servers.by_root) do
    local client = servers.client(server)
    local state = client and (client.initialized and "running" or "starting") or "not running"
    if server.last_end and not client then
      state = state .. " (" .. server.last_end .. ")"
    end
    lines[#lines + 1] = ("Server of %s: %s"):format(root, state)
    local open, unsaved = 0, 0
    for bufnr, document in pairs(documents.all()) do
      if document.client_id == server.client_id then
        open = open + 1
        unsaved = unsaved + (vim.bo[bufnr].modified and 1 or 0)
      end
    end
    lines[#lines + 1] = ("  %d documents open, %d unsaved"):format(open, unsaved)
  end
  if #lines == 0 then
    lines[1] = "No server: no file was opened, or setup() was not called."
  end
  return lines
end

--- What the editor knows of itself, without asking anybody.
---@return string[]
function M.status_lines()
  local lines = server_lines()
  local connected, conflicts = agents.all()
  lines[#lines + 1] = ("%d agents connected"):format(#connected)
  for _, one in ipairs(connected) do
    lines[#lines + 1] = ("  %s, session %s, since %s"):format(one.name or "?", one.session or "?", one.since or "?")
  end
  if conflicts > 0 then
    lines[#lines + 1] = ("%d times agents met unsaved changes of yours"):format(conflicts)
  end
  lines[#lines + 1] = "Last edit: " .. (agents.last_sentence() or "none yet")
  return lines
end

function M.status()
  show("status", M.status_lines())
end

function M.log()
  local lines = events.lines()
  show("log", #lines > 0 and vim.deepcopy(lines) or { "Nothing has happened yet." })
end

---@param file { file_path: string, operation: string, before?: string, after?: string }
local function diff_of(file)
  local before, after = file.before or "", file.after or ""
  if before == vim.NIL then
    before = ""
  end
  if after == vim.NIL then
    after = ""
  end
  local name = vim.fn.fnamemodify(file.file_path, ":.")
  local lines = { "--- a/" .. name, "+++ b/" .. name }
  local body = (vim.text and vim.text.diff or vim.diff)(before, after, { result_type = "unified", ctxlen = 3 })
  vim.list_extend(lines, vim.split(body --[[@as string]], "\n", { plain = true, trimempty = true }))
  return lines
end

--- The last edit's diff, in a window of its own as soon as the server has answered.
function M.diff()
  local last = agents.last
  local client = last and vim.lsp.get_client_by_id(last.client_id)
  if not last or not client then
    show("diff", { "No edit yet in this run of the server." })
    return
  end
  client:request(methods.FILE_VERSIONS, { edit_id = last.edit_id }, function(problem, answer)
    local lines = {}
    if problem then
      lines[1] = problem.message
    end
    for _, file in ipairs(answer and answer.files or {}) do
      vim.list_extend(lines, diff_of(file))
    end
    show("diff", lines, "diff")
  end)
end

return M
