-- Marks that an edit of a part of their line would lose.
-- Never: a mark in a line that is gone.

local api = vim.api

local M = {}

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

--- Where a mark is after an edit of text within lines, before edits of other lines.
local function moved(mark, one)
  local added = #one.lines - 1
  if mark.row == one.end_row and mark.column >= one.end_column and mark.row > one.row then
    return one.row + added
  end
  return math.min(mark.row, one.row + added)
end

--- The marks in lines of which a part is edited, with the row that they belong to afterwards.
---@param bufnr integer
---@param operations coeditor.Operation[] the last one in the text first
function M.keep(bufnr, operations)
  local kept = {}
  for _, mark in ipairs(all_marks(bufnr)) do
    local shift, row = 0, nil
    for _, one in ipairs(operations) do
      local rows = #one.lines - (one.column and 1 or 0) - (one.end_row - one.row)
      if one.column and mark.row >= one.row and mark.row <= one.end_row then
        row = moved(mark, one)
      elseif (one.column and one.end_row < mark.row) or (not one.column and one.end_row <= mark.row) then
        shift = shift + rows
      end
    end
    if row then
      kept[#kept + 1] = { name = mark.name, row = row + shift, column = mark.column }
    end
  end
  return kept
end

---@param bufnr integer
function M.restore(bufnr, kept)
  local last = api.nvim_buf_line_count(bufnr) - 1
  for _, mark in ipairs(kept) do
    local row = math.max(0, math.min(mark.row, last))
    local length = #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
    pcall(api.nvim_buf_set_mark, bufnr, mark.name, row + 1, math.min(mark.column, length), {})
  end
end

return M
