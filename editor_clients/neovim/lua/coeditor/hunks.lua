-- From lines before and after to the smallest changes of a buffer: marks, folds, cursors and highlights of others
-- belong to lines, and stay where a line stays.
-- Never: a change of a buffer.

local M = {}

---@class coeditor.Operation a change of whole lines, or of text within one line
---@field row integer 0-based
---@field end_row integer exclusive for whole lines, the same row within one
---@field lines string[]
---@field column? integer bytes; nil for whole lines
---@field end_column? integer

--- A change of what differs in one line, cut between characters.
---@return coeditor.Operation?
local function within(row, before, after)
  if before == after then
    return nil
  end
  local most = math.min(#before, #after)
  local first = 0
  while first < most and before:byte(first + 1) == after:byte(first + 1) do
    first = first + 1
  end
  while first > 0 and (before:byte(first + 1) or 0) >= 0x80 and (before:byte(first + 1) or 0) < 0xC0 do
    first = first - 1
  end
  while first > 0 and (after:byte(first + 1) or 0) >= 0x80 and (after:byte(first + 1) or 0) < 0xC0 do
    first = first - 1
  end
  local last = 0
  while last < most - first and before:byte(#before - last) == after:byte(#after - last) do
    last = last + 1
  end
  while last > 0 and before:byte(#before - last + 1) >= 0x80 and before:byte(#before - last + 1) < 0xC0 do
    last = last - 1
  end
  local new = after:sub(first + 1, #after - last)
  return { row = row, end_row = row, column = first, end_column = #before - last, lines = { new } }
end

---@param lines string[]
---@return string
local function joined(lines)
  -- A line feed in a line stands for a NUL byte.
  local whole = table.concat(vim.tbl_map(function(line)
    return (line:gsub("\n", "\0"))
  end, lines), "\n")
  return whole .. "\n"
end

--- The changes, the last one in the text first.
---@param row integer of the first line
---@param before string[]
---@param after string[]
---@return coeditor.Operation[]
function M.between(row, before, after)
  if #before == 1 and #after == 1 then
    return { within(row, before[1], after[1]) }
  end
  local diff = vim.text and vim.text.diff or vim.diff
  local found = diff(joined(before), joined(after), { result_type = "indices" }) --[[@as integer[][] ]]
  local operations = {}
  for index = #found, 1, -1 do
    local first, removed, new, added = unpack(found[index])
    -- Where nothing is removed, the line before is named.
    local start = row + (removed == 0 and first or first - 1)
    if removed == added then
      for offset = added - 1, 0, -1 do
        local one = within(start + offset, before[first + offset], after[new + offset])
        operations[#operations + 1] = one
      end
    else
      local lines = vim.list_slice(after, new, new + added - 1)
      if added == 0 then
        lines = {}
      end
      operations[#operations + 1] = { row = start, end_row = start + removed, lines = lines }
    end
  end
  return operations
end

return M
