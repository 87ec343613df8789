-- What happened, for the log and for whoever waits for a "User CoeditorChanged".
-- Never: a message on the person's screen.

local M = {}

local KEPT = 200

local lines = {} ---@type string[]

---@param line string
function M.log(line)
  lines[#lines + 1] = os.date("%H:%M:%S ") .. line
  if #lines > KEPT then
    table.remove(lines, 1)
  end
end

---@return string[]
function M.lines()
  return lines
end

local waiting = false

--- Something changed that a status line or a plugin may show.
---@param what? string
---@param where? string
function M.tell(what, where)
  if what then
    M.log(("%s: %s"):format(what, where or ""))
  end
  if waiting then
    return
  end
  waiting = true
  vim.schedule(function()
    waiting = false
    vim.api.nvim_exec_autocmds("User", { pattern = "CoeditorChanged", modeline = false })
    vim.cmd.redrawstatus()
  end)
end

return M
