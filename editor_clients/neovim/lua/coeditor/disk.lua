-- A buffer and its file: whether the file moved on, reading it again, and writing it without a question.
--
-- Neovim asks the person before it writes over a file that others have written. An agent's edit must not wait for
-- an answer, so the file is looked at before, and once more when everything else that belongs to a write has run.
-- Never: a prompt, or an old text over a new one.

local api = vim.api
local documents = require("coeditor.documents")
local text_of = require("coeditor.text")

local M = {}

---@param path string
---@return string?
local function read(path)
  local file = io.open(path, "rb")
  if not file then
    return nil
  end
  local bytes = file:read("*a")
  file:close()
  return bytes
end

---@param bufnr integer
---@param text string the buffer's text
---@return boolean? same whether the file holds exactly this text; nil when there is no file
function M.holds(bufnr, text)
  local bytes = read(api.nvim_buf_get_name(bufnr))
  if not bytes then
    return nil
  end
  return bytes == text_of.bytes(bufnr, text)
end

--- Whether somebody else wrote the file since buffer and file were last in step.
---@param document coeditor.Document
---@param text string the buffer's text
---@return boolean
function M.has_moved(document, text)
  local bufnr = document.bufnr
  local same = M.holds(bufnr, text)
  if same then
    return false
  elseif vim.bo[bufnr].modified then
    return documents.stamp(bufnr) ~= document.stamp
  end
  return same == false or document.stamp ~= nil
end

--- Run what may find the file changed, and answer for the person.
---@param answer fun(reason: string): string
local function with_answer(bufnr, answer, run)
  local id = api.nvim_create_autocmd("FileChangedShell", {
    buffer = bufnr,
    callback = function()
      vim.v.fcs_choice = answer(vim.v.fcs_reason)
    end,
  })
  local ok, problem = pcall(api.nvim_buf_call, bufnr, run)
  pcall(api.nvim_del_autocmd, id)
  return ok, problem
end

--- Have Neovim take notice that only the time of the file changed, so that it does not ask when it writes.
local function settle_time(bufnr)
  local autoread = vim.bo[bufnr].autoread -- nil where the buffer has no value of its own
  vim.bo[bufnr].autoread = false
  with_answer(bufnr, function(reason)
    return reason == "time" and "ask" or ""
  end, function()
    vim.cmd("silent! checktime " .. bufnr)
  end)
  if autoread ~= nil then
    vim.bo[bufnr].autoread = autoread
  else
    api.nvim_buf_call(bufnr, function()
      vim.cmd("setlocal autoread<")
    end)
  end
end

--- Read a file again into its buffer, which has nothing unsaved.
---@param bufnr integer
function M.reload(bufnr)
  local document = documents.of(bufnr)
  local path = api.nvim_buf_get_name(bufnr)
  if vim.bo[bufnr].modified or vim.fn.filereadable(path) == 0 then
    return
  end
  with_answer(bufnr, function(reason)
    return reason == "deleted" and "" or "reload"
  end, function()
    vim.cmd("silent! checktime " .. bufnr)
  end)
  if api.nvim_buf_is_loaded(bufnr) and M.holds(bufnr, (text_of.of(bufnr))) == false then
    -- Size and time are as they were, and the content is not.
    api.nvim_buf_call(bufnr, function()
      vim.cmd("silent! edit")
    end)
  end
  document = documents.of(bufnr) or document
  if document then
    document.stamp = documents.stamp(bufnr)
  end
end

--- Let a clean buffer follow its file where the person wants that ('autoread').
---@param bufnr integer
function M.follow(bufnr)
  local document, wanted = documents.of(bufnr), vim.bo[bufnr].autoread
  if wanted == nil then
    wanted = vim.go.autoread
  end
  if wanted and (not document or documents.stamp(bufnr) ~= document.stamp) then
    vim.cmd("silent! checktime " .. bufnr)
  end
end

--- The same over unsaved text that is known to be nobody's.
---@param bufnr integer
function M.discard(bufnr)
  api.nvim_buf_call(bufnr, function()
    vim.cmd("silent! edit!")
  end)
end

--- Refuse the write when the file moved while autocommands of a write (a formatter, say) ran.
local function guard(bufnr)
  local stamp = documents.stamp(bufnr)
  return api.nvim_create_autocmd("BufWritePre", {
    buffer = bufnr,
    callback = function()
      if documents.stamp(bufnr) ~= stamp then
        error("the file was written by somebody else meanwhile", 0)
      end
    end,
  })
end

---@param problem any
---@return string
local function sentence(problem)
  local text = tostring(problem):match("E%d+: [^\n]*") or tostring(problem):match("written by[^\n]*")
  return text or tostring(problem):match("[^\n]*")
end

--- Write a buffer to its file, with everything that belongs to a write, formatters included.
---@param document coeditor.Document
---@return boolean saved
---@return string? reason why not
function M.write(document)
  local bufnr = document.bufnr
  if document.version or api.nvim_buf_get_name(bufnr) == "" then
    return false, "it has no file yet"
  end
  local stamp = documents.stamp(bufnr)
  if document.stamp ~= stamp then
    return false, "the file was written by somebody else meanwhile"
  end
  local fixes, asks = vim.bo[bufnr].fixendofline, vim.o.confirm
  vim.o.confirm = false
  if not vim.bo[bufnr].endofline then
    vim.bo[bufnr].fixendofline = false
  end
  local id = guard(bufnr)
  local ok, problem = pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd("silent lockmarks keepalt write")
  end)
  pcall(api.nvim_del_autocmd, id)
  vim.o.confirm = asks
  if not api.nvim_buf_is_loaded(bufnr) then
    return false, "the buffer is gone"
  end
  vim.bo[bufnr].fixendofline = fixes
  local saved = not vim.bo[bufnr].modified
  if saved then
    document.stamp = documents.stamp(bufnr)
    return true
  end
  return false, ok and "it was changed again while it was saved" or sentence(problem)
end

--- Make a buffer ready for a write that is to follow at once: its file is as the buffer, whatever its time.
---@param document coeditor.Document
function M.settle(document)
  local stamp = documents.stamp(document.bufnr)
  if stamp ~= document.stamp then
    settle_time(document.bufnr)
    document.stamp = stamp
  end
end

return M
