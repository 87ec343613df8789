-- The :Coeditor command, there before setup() is called. Never: a server that nobody asked for.

if vim.g.loaded_coeditor then
  return
end
vim.g.loaded_coeditor = true

vim.api.nvim_create_user_command("Coeditor", function(command)
  require("coeditor.command").run(command.fargs)
end, {
  nargs = "*",
  desc = "Agents connected to this editor, and what they edited",
  complete = function(lead, line)
    return require("coeditor.command").complete(lead, line)
  end,
})
