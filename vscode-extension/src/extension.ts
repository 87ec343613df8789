/**
 * Coeditor in VS Code: starts the server of the open folder and lends it this window's documents.
 *
 * Never: a decision about an edit; those are the server's.
 */
import * as vscode from "vscode";
import { runDoctor, setUpAgent } from "./agents/commands";
import { offerMcpServer } from "./agents/mcpServer";
import { Reports } from "./agents/reports";
import { tellTerminals } from "./agents/terminals";
import { lendTools } from "./agents/tools";
import { Diagnostics } from "./mirror/diagnostics";
import { DocumentStates, type Notify } from "./mirror/documentState";
import { METHOD_DID_APPLY_EDIT, type DidApplyEdit } from "./protocol";
import { Supervisor } from "./server/supervisor";
import { LastEdit } from "./views/lastEdit";
import { ReviewViews } from "./views/review";
import { StatusBar } from "./views/statusBar";

let supervisor: Supervisor | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Coeditor", { log: true });
  const server = new Supervisor(context, log);
  supervisor = server;
  const notify: Notify = (method, params) => {
    server.running?.sendNotification(method, params).catch((error: unknown) => {
      log.debug(`${method} was not sent: ${String(error)}`);
    });
  };
  const uriOf = (uri: vscode.Uri): string => server.running?.code2ProtocolConverter.asUri(uri) ?? uri.toString();
  const states = new DocumentStates(notify, uriOf);
  const problems = new Diagnostics(notify, uriOf, (found) => converted(server, found));
  const bar = new StatusBar();
  const lastEdit = new LastEdit(() => server.running);
  const views = new ReviewViews(context.extensionUri, () => server.running, log, bar);
  context.subscriptions.push(
    log,
    server,
    states,
    problems,
    bar,
    lastEdit,
    views,
    server.onDidCreateClient((client) => {
      views.listen(client);
      client.onNotification(METHOD_DID_APPLY_EDIT, (edit: DidApplyEdit) => {
        problems.afterEdit(edit.files.map(({ uri }) => uri));
        bar.lastEdit(edit);
        lastEdit.note(edit);
        views.refresh();
      });
    }),
    server.onDidRemark((uri) => { problems.remarked(uri); }),
    server.onDidStart(() => {
      bar.running(true);
      states.tellAll();
      problems.tellAll();
      views.refresh();
    }),
    server.onDidStop(() => {
      bar.running(false);
      views.stopped();
    }),
    ...commands(server, lastEdit, log),
    ...forAgents(context, server, log),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.refresh()),
    vscode.workspace.onDidChangeConfiguration(() => server.refresh()),
    // The server is that of the first folder; the others it is told of by LSP.
    vscode.workspace.onDidChangeWorkspaceFolders(() => server.refresh()),
  );
  void server.restart();
}

export async function deactivate(): Promise<void> {
  await supervisor?.stop();
}

/** What agents inside this window and in its terminals need. */
function forAgents(
  context: vscode.ExtensionContext,
  server: Supervisor,
  log: vscode.LogOutputChannel,
): { dispose(): unknown }[] {
  const reports = new Reports();
  return [
    reports,
    lendTools(context, server),
    offerMcpServer(context, server),
    tellTerminals(context, server, log),
    server.onDidStart(() => void vscode.commands.executeCommand("setContext", "coeditor.running", true)),
    server.onDidStop(() => void vscode.commands.executeCommand("setContext", "coeditor.running", false)),
    vscode.commands.registerCommand("coeditor.setUpAgent", () => setUpAgent(server, reports)),
    vscode.commands.registerCommand("coeditor.getStarted", () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`, false)),
    vscode.commands.registerCommand("coeditor.doctor", () => runDoctor(server, reports)),
  ];
}

function commands(server: Supervisor, lastEdit: LastEdit, log: vscode.LogOutputChannel): vscode.Disposable[] {
  return [
    vscode.commands.registerCommand("coeditor.showLastEdit", () => lastEdit.show()),
    vscode.commands.registerCommand("coeditor.restartServer", () => server.restart()),
    vscode.commands.registerCommand("coeditor.showLog", () => { log.show(); }),
  ];
}

function converted(server: Supervisor, found: vscode.Diagnostic[]): object[] {
  const converter = server.running?.code2ProtocolConverter;
  return converter === undefined ? [] : found.map((one) => converter.asDiagnostic(one));
}
