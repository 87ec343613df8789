-- A buffer's text as LSP has it and as its file has it: line endings, the final one, byte order mark, encoding.
--
-- Neovim's own LSP client takes an empty file for one with an empty line; this module says what a write would
-- write. Never: a change of a buffer, or the disk.

local api = vim.api

local M = {}

local ENDINGS = { unix = "\n", dos = "\r\n", mac = "\r" }

-- As far as a text is ASCII; several times as fast as a Lua pattern.
local ASCII = vim.lpeg.R("\0\127") ^ 0

-- Every character of UTF-8 beyond ASCII.
local CHARACTERS = {
  "[\194-\223][\128-\191]",
  "\224[\160-\191][\128-\191]",
  "[\225-\236\238\239][\128-\191][\128-\191]",
  "\237[\128-\159][\128-\191]",
  "\240[\144-\191][\128-\191][\128-\191]",
  "[\241-\243][\128-\191][\128-\191][\128-\191]",
  "\244[\128-\143][\128-\191][\128-\191]",
}

---@param bufnr integer
---@return string
function M.ending(bufnr)
  return ENDINGS[vim.bo[bufnr].fileformat] or "\n"
end

--- Whether the buffer has no line at all, which Neovim shows as one empty line.
---@param bufnr integer
---@param lines string[]
---@return boolean
local function is_empty(bufnr, lines)
  if #lines > 1 or lines[1] ~= "" then
    return false
  end
  return api.nvim_buf_call(bufnr, function()
    return vim.fn.wordcount().bytes == 0
  end)
end

--- The text with its line endings, without byte order mark.
---@param bufnr integer
---@return string text
---@return boolean odd whether a line holds what looks like a line ending or is a NUL byte in the file
function M.of(bufnr)
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  if is_empty(bufnr, lines) then
    return "", false
  end
  local ending = M.ending(bufnr)
  local last = vim.bo[bufnr].endofline and ending or ""
  local text = table.concat(lines, ending) .. last
  -- Lines hold no NUL (it is kept as a line feed), so whatever is found stands inside a line.
  local inside = table.concat(lines, "\0")
  return text, (inside:find("\r", 1, true) or inside:find("\n", 1, true)) ~= nil
end

--- The text with what is no UTF-8 replaced: it could not be told at all otherwise, and is never applied to.
---@param text string
---@return string
function M.valid(text)
  -- Counting characters does not tell: a byte that is none counts as one.
  if ASCII:match(text) > #text then
    return text
  end
  local rest = text
  for _, known in ipairs(CHARACTERS) do
    rest = rest:gsub(known, " ")
  end
  if not rest:find("[\128-\255]") then
    return text
  end
  local parts, at = {}, 1
  while at <= #text do
    local found = text:find("[\128-\255]", at) or #text + 1
    parts[#parts + 1] = text:sub(at, found - 1)
    at = found
    local stop
    for _, known in ipairs(CHARACTERS) do
      stop = stop or select(2, text:find("^" .. known, at))
    end
    if at <= #text then
      parts[#parts + 1] = stop and text:sub(at, stop) or "\239\191\189"
      at = (stop or at) + 1
    end
  end
  return table.concat(parts)
end

--- What the hash in our protocol is of.
---@param text string
---@return string
function M.hash(text)
  return vim.fn.sha256(text)
end

--- The encoding, as our wire calls it.
---@param bufnr integer
---@return string
function M.encoding(bufnr)
  local name = vim.bo[bufnr].fileencoding:lower()
  if name == "" or name == "utf8" then
    name = "utf-8"
  end
  if name == "utf-8" then
    return vim.bo[bufnr].bomb and "utf-8-bom" or name
  end
  -- Neovim's wide encodings are big endian where their names do not say.
  for wide, known in pairs({ ["utf-16"] = "utf-16", ["ucs-2"] = "utf-16", ["utf-32"] = "utf-32", ["ucs-4"] = "utf-32" }) do
    if name == wide or name == wide .. "be" then
      return known .. "-be"
    elseif name == wide .. "le" then
      return known .. "-le"
    end
  end
  return name == "latin1" and "iso-8859-1" or name
end

---@param bufnr integer
---@return "lf"|"crlf"|"cr"
function M.eol(bufnr)
  return ({ unix = "lf", dos = "crlf", mac = "cr" })[vim.bo[bufnr].fileformat] or "lf"
end

--- All that decides, beside the lines, what the text and the file are.
---@param bufnr integer
---@return string
function M.shape(bufnr)
  local bo = vim.bo[bufnr]
  return table.concat({ bo.fileformat, tostring(bo.endofline), tostring(bo.bomb), bo.fileencoding }, " ")
end

--- The bytes that the file has when it holds ``text``; nil when the encoding cannot hold it.
---@param bufnr integer
---@param text string
---@return string?
function M.bytes(bufnr, text)
  local name = M.encoding(bufnr)
  if name == "utf-8" then
    return text
  elseif name == "utf-8-bom" then
    return "\239\187\191" .. text
  elseif vim.bo[bufnr].bomb and name:match("^utf%-") then
    text = "\239\187\191" .. text
  end
  -- Neovim knows the big endian ones by names that its converter takes for something else.
  if name:match("^utf%-16") then
    local little = vim.iconv(text, "utf-8", "utf-16le")
    return name == "utf-16-le" and little or (little and little:gsub("(.)(.)", "%2%1"))
  elseif name:match("^utf%-32") then
    local little = vim.iconv(text, "utf-8", "ucs-4le")
    return name == "utf-32-le" and little or (little and little:gsub("(.)(.)(.)(.)", "%4%3%2%1"))
  end
  return vim.iconv(text, "utf-8", vim.bo[bufnr].fileencoding)
end

return M
