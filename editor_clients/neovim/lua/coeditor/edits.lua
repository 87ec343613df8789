-- From the edits of an LSP message to changes of a buffer's lines, planned as a whole before anything is touched.
-- Never: a change of a buffer.

local api = vim.api
local hunks = require("coeditor.hunks")
local text_of = require("coeditor.text")

local M = {}

---@class coeditor.Span
---@field first integer byte offset in the text, 0-based
---@field last integer its end, exclusive
---@field new string

---@class coeditor.Plan
---@field before string
---@field after string
---@field hash? string of after
---@field operations coeditor.Operation[] the last one in the text first
---@field endofline boolean
---@field empties boolean nothing, not even an empty line, is left

--- Start and end of an LSP line, as byte offsets, where lines of the buffer are lines of LSP.
local function row_at(bufnr, text, number, width)
  if number >= api.nvim_buf_line_count(bufnr) then
    return #text, #text
  end
  local start = number == 0 and 0 or api.nvim_buf_get_offset(bufnr, number) + number * (width - 1)
  return start, start + #api.nvim_buf_get_lines(bufnr, number, number + 1, true)[1]
end

--- The same where they are not: only the text can tell.
local function line_at(text, number)
  local start = 1
  for _ = 1, number do
    local found = text:find("[\r\n]", start)
    if not found then
      return #text, #text
    end
    start = found + (text:sub(found, found + 1) == "\r\n" and 2 or 1)
  end
  local stop = text:find("[\r\n]", start)
  return start - 1, stop and stop - 1 or #text
end

--- A function from an LSP position to a byte offset.
local function offsets(bufnr, text, odd, encoding)
  local width = #text_of.ending(bufnr)
  return function(position)
    local start, stop
    if odd then
      start, stop = line_at(text, position.line)
    else
      start, stop = row_at(bufnr, text, position.line, width)
    end
    return start + vim.str_byteindex(text:sub(start + 1, stop), encoding, position.character, false)
  end
end

--- The edits as spans in ascending order, touching ones joined.
---@return coeditor.Span[]
local function spans_of(edits, offset_at)
  local spans = {}
  for index, edit in ipairs(edits) do
    local first, last = offset_at(edit.range.start), offset_at(edit.range["end"])
    assert(first <= last, "an edit ends before it starts")
    spans[index] = { first = first, last = last, new = edit.newText, index = index }
  end
  table.sort(spans, function(one, other)
    if one.first ~= other.first then
      return one.first < other.first
    end
    return one.index < other.index
  end)
  local joined = {}
  for _, span in ipairs(spans) do
    local before = joined[#joined]
    assert(not before or before.last <= span.first, "edits overlap")
    if before and before.last == span.first then
      before.last, before.new = span.last, before.new .. span.new
    else
      joined[#joined + 1] = span
    end
  end
  return joined
end

---@param text string
---@param spans coeditor.Span[]
local function spliced(text, spans)
  local parts, at = {}, 0
  for _, span in ipairs(spans) do
    parts[#parts + 1] = text:sub(at + 1, span.first)
    parts[#parts + 1] = span.new
    at = span.last
  end
  parts[#parts + 1] = text:sub(at + 1)
  return table.concat(parts)
end

--- Row and column of a byte offset in the text without its final line ending.
local function place_of(bufnr, offset, width)
  local low, high = 0, api.nvim_buf_line_count(bufnr) - 1
  local function start_of(row)
    return row == 0 and 0 or api.nvim_buf_get_offset(bufnr, row) + row * (width - 1)
  end
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if start_of(middle) <= offset then
      low = middle
    else
      high = middle - 1
    end
  end
  return low, offset - start_of(low)
end

--- A span as lines of the buffer that are replaced by others.
---@return integer row
---@return string[] before
---@return string[] after
local function lines_of(bufnr, span, ending)
  local row, column = place_of(bufnr, span.first, #ending)
  local end_row, end_column = place_of(bufnr, span.last, #ending)
  local before = api.nvim_buf_get_lines(bufnr, row, end_row + 1, true)
  local new = before[1]:sub(1, column) .. span.new .. before[#before]:sub(end_column + 1)
  return row, before, vim.split(new, ending, { plain = true })
end

--- The operations of one span, the last one in the text first.
---@return coeditor.Operation[]
local function operations_of(bufnr, span, ending)
  local row, before, after = lines_of(bufnr, span, ending)
  -- A line feed in a line stands for a NUL byte, which no edit brings along.
  assert(not span.new:gsub(ending, ""):find("\n", 1, true), "a line ending does not fit 'fileformat'")
  return hunks.between(row, before, after)
end

--- The last span where it reaches the end of the text: Neovim keeps the final line ending apart, as an option.
local function tail_of(text, body, span, ending)
  local full = text:sub(1, span.first) .. span.new
  local endofline = full:sub(-#ending) == ending
  local rest = endofline and full:sub(1, -#ending - 1) or full
  local first = math.min(span.first, body, #rest)
  return { first = first, last = body, new = rest:sub(first + 1) }, endofline
end

--- What the edits make of the buffer. Raises when they cannot be made.
---@param bufnr integer
---@param text string the buffer's text
---@param edits lsp.TextEdit[]
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@param odd boolean as text.of says
---@return coeditor.Plan
function M.plan(bufnr, text, odd, edits, encoding)
  local ending, endofline = text_of.ending(bufnr), vim.bo[bufnr].endofline
  local body = (endofline and text ~= "") and #text - #ending or #text
  local spans = spans_of(edits, offsets(bufnr, text, odd, encoding))
  local after = spliced(text, spans)
  local last = spans[#spans]
  if last and last.last == #text then
    local tail, ends = tail_of(text, body, last, ending)
    spans[#spans] = tail
    if after ~= "" then
      endofline = ends
    end
  end
  local operations = {}
  for index = #spans, 1, -1 do
    vim.list_extend(operations, operations_of(bufnr, spans[index], ending))
  end
  if text == "" and after ~= "" then
    local lines = vim.split(spans[1].new, ending, { plain = true })
    operations = { { row = 0, end_row = 1, lines = lines } }
  end
  return {
    before = text,
    after = after,
    operations = operations,
    endofline = endofline,
    empties = after == "" and text ~= "",
  }
end

return M
