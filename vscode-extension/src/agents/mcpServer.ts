/**
 * Offers `coeditor mcp` as an MCP server to this window's agents, so that nobody has to configure it.
 *
 * Never: a start of it; VS Code does that, when an agent wants it.
 */
import * as vscode from "vscode";
import { isWanted } from "../server/settings";
import type { Supervisor } from "../server/supervisor";

const ID = "coeditor.mcp";

export function offerMcpServer(context: vscode.ExtensionContext, server: Supervisor): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const version = String((context.extension.packageJSON as { version: unknown }).version);
  return vscode.Disposable.from(
    changed,
    server.onDidStart(() => { changed.fire(); }),
    server.onDidStop(() => { changed.fire(); }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("coeditor.chat")) {
        changed.fire();
      }
    }),
    vscode.lm.registerMcpServerDefinitionProvider(ID, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => definitions(server.program, version),
    }),
  );
}

/** One for the window: its server is that of all the folders, found by the first. */
function definitions(program: readonly string[] | undefined, version: string): vscode.McpStdioServerDefinition[] {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  const [command, ...args] = program ?? [];
  if (command === undefined || folder === undefined || !isWanted("chat.mcpServer")) {
    return [];
  }
  const definition = new vscode.McpStdioServerDefinition("Coeditor", command, [...args, "mcp"], {}, version);
  definition.cwd = folder.uri;
  return [definition];
}
