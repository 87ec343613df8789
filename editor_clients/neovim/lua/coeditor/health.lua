-- :checkhealth coeditor
-- Never: a change of anything.

local M = {}

local function check_editor()
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok("Neovim " .. tostring(vim.version()))
  else
    vim.health.error("Neovim 0.11 or newer is needed", { "This is " .. tostring(vim.version()) })
  end
  if vim.o.autoread then
    vim.health.ok("'autoread' is set: clean buffers follow what agents write on disk")
  else
    vim.health.warn("'autoread' is not set: clean buffers show old text until they are edited or reloaded")
  end
end

---@return boolean
local function check_command(cmd)
  if vim.fn.executable(cmd[1]) == 0 then
    vim.health.error(("%s is not executable"):format(cmd[1]), {
      "Install it (README, Use it with), or name it: require('coeditor').setup{ cmd = {...} }",
    })
    return false
  end
  vim.health.ok("command: " .. table.concat(cmd, " "))
  return true
end

local function check_servers()
  local servers = require("coeditor.servers")
  if next(servers.by_root) == nil then
    vim.health.info("no server yet: it starts with the first file, after setup()")
  end
  for root, server in vim.spairs(servers.by_root) do
    local client = servers.client(server)
    if client and client.initialized then
      local version = client.server_info and client.server_info.version or "?"
      vim.health.ok(("server of %s: running, version %s, positions in %s"):format(root, version, client.offset_encoding))
    else
      vim.health.error(("server of %s: not running"):format(root), { server.last_end or "it is starting" })
    end
  end
end

local function check_buffer()
  local count = vim.tbl_count(require("coeditor.documents").all())
  vim.health.info(("%d buffers are told to servers"):format(count))
end

function M.check()
  vim.health.start("coeditor")
  check_editor()
  if check_command(require("coeditor.config").options.cmd) then
    check_servers()
    check_buffer()
  end
end

return M
