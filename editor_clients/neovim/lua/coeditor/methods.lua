-- Names of every message that LSP does not have and that this plugin and the server say to each other.
-- Never: behaviour.

return {
  PROTOCOL = 1,

  -- Asked of the editor.
  APPLY_EDIT = "workspace/applyEdit",
  ASK = "coeditor/ask",
  SAVE = "coeditor/save",
  RELOAD = "coeditor/reload",
  DOCUMENT_TEXT = "coeditor/documentText",
  FILE_OPERATIONS = "coeditor/fileOperations",
  -- Not offered: a handler of Neovim's answers at once, and asking the servers would hold up the person.
  QUICK_FIXES = "coeditor/quickFixes",
  -- Not offered: Neovim has no notebooks.
  APPLY_NOTEBOOK_EDIT = "coeditor/applyNotebookEdit",

  -- Told to the editor.
  DID_APPLY_EDIT = "coeditor/didApplyEdit",
  AGENTS = "coeditor/agents",
  WITHDRAW = "coeditor/withdraw",
  DID_CHANGE_REVIEW = "coeditor/didChangeReview",

  -- Told by the editor.
  DOCUMENT_STATE = "coeditor/documentState",
  PUBLISH_DIAGNOSTICS = "coeditor/publishDiagnostics",

  -- Asked by the editor.
  STATUS = "coeditor/status",
  FILE_VERSIONS = "coeditor/fileVersions",
}
