-- An agent's edit is one undo block of its own, taken back by one "u".
-- Never: an undo step of the person joined to it.

local api = vim.api
local text_of = require("coeditor.text")

local M = {}

---@class coeditor.Flip an edit that changed whether the last line ends with a line ending
---@field number integer the undo state after it
---@field before boolean
---@field after boolean

---@param bufnr integer
---@return integer
local function number_of(bufnr)
  return vim.fn.undotree(bufnr).seq_cur
end

--- End the undo block that is open: setting 'undolevels' does that.
---@param bufnr integer
function M.close(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

--- Start a block; gives what to come back to.
---@param bufnr integer
function M.open(bufnr)
  M.close(bufnr)
  return { number = number_of(bufnr), endofline = vim.bo[bufnr].endofline }
end

--- Come back to the state of open(), whatever happened since.
---@param bufnr integer
---@param text string the text then
function M.back(bufnr, before, text)
  if number_of(bufnr) ~= before.number then
    pcall(api.nvim_buf_call, bufnr, function()
      vim.cmd("silent undo " .. before.number)
    end)
  end
  vim.bo[bufnr].endofline = before.endofline
  if (text_of.of(bufnr)) ~= text then
    local lines = vim.split(text, text_of.ending(bufnr), { plain = true })
    if before.endofline then
      lines[#lines] = nil
    end
    api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  end
end

--- Options are not part of Neovim's undo; remember what the edit made of this one.
---@param document coeditor.Document
---@param job table
function M.remember(document, job)
  local before, after = job.before.endofline, job.plan.endofline
  if before ~= after then
    local number = number_of(document.bufnr)
    table.insert(document.flips, { number = number, before = before, after = after })
  end
end

--- Let 'endofline' follow undo and redo. Returns whether it changed.
---@param document coeditor.Document
---@return boolean
function M.follow(document)
  if #document.flips == 0 then
    return false
  end
  local number, wanted = number_of(document.bufnr), document.flips[1].before
  for _, flip in ipairs(document.flips) do
    if flip.number <= number then
      wanted = flip.after
    end
  end
  if vim.bo[document.bufnr].endofline == wanted then
    return false
  end
  vim.bo[document.bufnr].endofline = wanted
  return true
end

return M
