-- Marks in lines that an edit replaces, which Neovim would drop.
-- Never: a mark in a line of which nothing is left.

local api = vim.api

local M = {}

---@class coeditor.Mark
---@field name string
---@field row integer 0-based
---@field column integer

---@return coeditor.Mark[]
local function all_marks(bufnr)
  local found = {}
  for _, list in ipairs({ vim.fn.getmarklist(bufnr), vim.fn.getmarklist() }) do
    for _, mark in ipairs(list) do
      local name = mark.mark:sub(2)
      if name:match("^%l$") or (name:match("^%u$") and mark.pos[1] == bufnr) then
        found[#found + 1] = { name = name, row = mark.pos[2] - 1, column = mark.pos[3] - 1 }
      end
    end
  end
  return found
end

--- The marks in replaced lines, with the row that they belong to afterwards.
---@param bufnr integer
---@param operations coeditor.Operation[] the last one in the text first
---@return coeditor.Mark[]
function M.keep(bufnr, operations)
  local kept = {}
  for _, mark in ipairs(all_marks(bufnr)) do
    local shift, row = 0, nil
    for _, one in ipairs(operations) do
      local stop = one.column and one.end_row + 1 or one.end_row
      if mark.row >= one.row and mark.row < stop and #one.lines > 0 then
        row = one.row + math.min(mark.row - one.row, #one.lines - 1)
      elseif mark.row >= stop then
        shift = shift + #one.lines - (stop - one.row)
      end
    end
    if row then
      kept[#kept + 1] = { name = mark.name, row = row + shift, column = mark.column }
    end
  end
  return kept
end

---@param bufnr integer
---@param kept coeditor.Mark[]
function M.restore(bufnr, kept)
  local last = api.nvim_buf_line_count(bufnr) - 1
  for _, mark in ipairs(kept) do
    local row = math.max(0, math.min(mark.row, last))
    local length = #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
    pcall(api.nvim_buf_set_mark, bufnr, mark.name, row + 1, math.min(mark.column, length), {})
  end
end

return M
