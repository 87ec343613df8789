-- :Coeditor status|log|diff|answer|restart|stop|start
-- Never: more than the words of the command line.

local M = {}

local verbs = {
  status = function()
    require("coeditor.views").status()
  end,
  log = function()
    require("coeditor.views").log()
  end,
  diff = function()
    require("coeditor.views").diff()
  end,
  answer = function(number)
    require("coeditor.questions").choose(tonumber(number))
  end,
  stop = function()
    require("coeditor.servers").stop_all()
  end,
  start = function()
    require("coeditor.servers").start_all()
  end,
  restart = function()
    local servers = require("coeditor.servers")
    servers.stop_all()
    servers.start_all()
  end,
}

---@param words string[]
function M.run(words)
  local verb = verbs[words[1] or "status"]
  if not verb or #words > (words[1] == "answer" and 2 or 1) then
    vim.notify("Coeditor: " .. table.concat(M.complete("", ""), ", "), vim.log.levels.ERROR)
    return
  end
  verb(words[2])
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  if line:match("^%S+%s+%S+%s") then
    return {}
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, vim.fn.sort(vim.tbl_keys(verbs)))
end

return M
