-- A question of an agent's, in a small window that takes no key: the person types on and answers when it suits.
--
-- It goes by itself when the person settles the matter otherwise, or when nobody waits any more.
-- Never: the keyboard taken from the person, or an answer that nobody gave.

local api = vim.api
local events = require("coeditor.events")

local M = {}

---@class coeditor.Question
---@field id string no other question of the same server has it
---@field client_id integer the server that asked
---@field titles string[]
---@field window integer
---@field bufnr integer
---@field answer fun(title?: string)

---@type coeditor.Question[] the one asked first comes first
M.open = {}

local WIDTH = 60

---@param text string
local function wrapped(text)
  local lines, line = {}, ""
  for word in text:gmatch("%S+") do
    if #line > 0 and vim.fn.strdisplaywidth(line .. " " .. word) > WIDTH then
      lines[#lines + 1], line = line, word
    else
      line = #line > 0 and line .. " " .. word or word
    end
  end
  lines[#lines + 1] = line
  return lines
end

---@param question coeditor.Question
local function close(question)
  M.open = vim.tbl_filter(function(one)
    return one ~= question
  end, M.open)
  if api.nvim_win_is_valid(question.window) then
    api.nvim_win_close(question.window, true)
  end
  events.tell()
end

--- Close a question with what was chosen; nil where it was closed without a choice.
---@param question coeditor.Question
---@param title? string
local function finish(question, title)
  if vim.list_contains(M.open, question) then
    close(question)
    question.answer(title)
  end
end

---@param question coeditor.Question
---@param first integer line of the first choice
local function map_keys(question, first)
  local function map(key, run, desc)
    vim.keymap.set("n", key, run, { buffer = question.bufnr, nowait = true, desc = desc })
  end
  for number, title in ipairs(question.titles) do
    map(tostring(number), function()
      finish(question, title)
    end, title)
  end
  map("<CR>", function()
    local title = question.titles[api.nvim_win_get_cursor(0)[1] - first + 1]
    if title then
      finish(question, title)
    end
  end, "Choose the line under the cursor")
  for _, key in ipairs({ "q", "<Esc>" }) do
    map(key, function()
      finish(question)
    end, "Close the question without a choice")
  end
  api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(question.window),
    once = true,
    callback = function()
      vim.schedule(function()
        finish(question)
      end)
    end,
  })
end

---@param params table
---@param client_id integer
---@param answer fun(title?: string)
local function show(params, client_id, answer)
  local lines = wrapped(params.text)
  local first = #lines + 2
  lines[#lines + 1] = ""
  for number, title in ipairs(params.choices) do
    lines[#lines + 1] = (" %d  %s"):format(number, title)
  end
  vim.list_extend(lines, { "", ":Coeditor answer [number]" })
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].bufhidden = "wipe"
  local window = api.nvim_open_win(bufnr, false, {
    relative = "editor",
    anchor = "SE",
    row = math.max(1, vim.o.lines - vim.o.cmdheight - 1 - #M.open),
    col = vim.o.columns,
    width = math.min(WIDTH + 2, math.max(1, vim.o.columns - 4)),
    height = math.min(#lines, math.max(1, vim.o.lines - 4)),
    style = "minimal",
    border = "rounded",
    title = " Coeditor ",
    noautocmd = true,
  })
  vim.wo[window].wrap = true
  local question = {
    id = params.id,
    client_id = client_id,
    titles = params.choices,
    window = window,
    bufnr = bufnr,
    answer = answer,
  }
  M.open[#M.open + 1] = question
  map_keys(question, first)
  events.tell()
end

--- The handler of `coeditor/ask`: answered when the person does, in the coroutine in which Neovim runs it.
function M.ask(_, params, context)
  local thread, is_main = coroutine.running()
  if not thread or is_main or not coroutine.isyieldable() then
    return nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.MethodNotFound, "this Neovim cannot wait")
  end
  show(params, context.client_id, function(title)
    vim.schedule(function()
      coroutine.resume(thread, title)
    end)
  end)
  local title = coroutine.yield()
  return title and { title = title } or vim.NIL
end

--- The handler of `coeditor/withdraw`.
function M.withdraw(_, params, context)
  for _, question in ipairs(vim.list_slice(M.open)) do
    if question.id == params.id and question.client_id == context.client_id then
      finish(question)
    end
  end
end

--- The server that asked is gone: nobody waits for an answer any more. The questions of other folders stay.
---@param client_id? integer
function M.withdraw_all(client_id)
  for _, question in ipairs(vim.list_slice(M.open)) do
    if question.client_id == client_id then
      close(question)
    end
  end
end

--- :Coeditor answer [number]: answers the question asked first, or goes to its window.
---@param number? integer
function M.choose(number)
  local question = M.open[1]
  if not question then
    vim.notify("Coeditor: nothing is asked")
  elseif not number then
    api.nvim_set_current_win(question.window)
  elseif question.titles[number] then
    finish(question, question.titles[number])
  else
    vim.notify(("Coeditor: 1 to %d"):format(#question.titles), vim.log.levels.ERROR)
  end
end

return M
