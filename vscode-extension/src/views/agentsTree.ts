/** The view of the agents that are connected, and of what each has seen. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { METHOD_LEDGER, type Agents } from "../protocol";
import { pathForPeople, uriOfPath } from "../review/answers";
import type { Ledger, SeenFile } from "../review/types";
import { seenWords, short } from "../review/words";
import { whenText } from "./moments";

type Agent = Agents["agents"][number];
type AgentNode = { kind: "agent"; agent: Agent } | { kind: "seen"; scope: string; file: SeenFile };

export class AgentsTree implements vscode.Disposable, vscode.TreeDataProvider<AgentNode> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<AgentNode>;
  private agents: Agent[] = [];
  /** Also of agents that went, so that what they changed keeps their name. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.view = vscode.window.createTreeView("coeditor.agents", { treeDataProvider: this });
  }

  tell({ agents }: Agents): void {
    this.agents = agents;
    for (const agent of agents) {
      const name = agent.title ?? agent.name;
      if (name != null) {
        this.names.set(agent.session, name);
      }
    }
    this.changed.fire(undefined);
  }

  readonly nameOfSession = (session: string): string | undefined => this.names.get(session);

  async getChildren(node?: AgentNode): Promise<AgentNode[]> {
    if (node === undefined) {
      return this.agents.map((agent) => ({ kind: "agent", agent }));
    }
    const client = this.client();
    if (node.kind === "seen" || client === undefined) {
      return [];
    }
    try {
      const sessions = [node.agent.session];
      const found = await client.sendRequest<Ledger>(METHOD_LEDGER, { person: true, sessions });
      return found.scopes.flatMap(({ scope, files }) =>
        files.map((file): AgentNode => ({ kind: "seen", scope, file })),
      );
    } catch (error) {
      this.log.debug(`ledger: ${String(error)}`);
      return [];
    }
  }

  getTreeItem(node: AgentNode): vscode.TreeItem {
    return node.kind === "agent" ? agentItem(node.agent) : seenItem(node.scope, node.file);
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }
}

function agentItem(agent: Agent): vscode.TreeItem {
  const name = agent.title ?? agent.name ?? "An agent";
  const found = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Collapsed);
  const files = agent.files === undefined ? "" : agent.files === 1 ? "1 file seen" : `${agent.files} files seen`;
  found.id = agent.session;
  found.description = [`session ${short(agent.session)}`, files].filter((part) => part !== "").join(" · ");
  found.tooltip = `${name}\nSession ${agent.session}, connected ${whenText(agent.since)}`;
  found.iconPath = new vscode.ThemeIcon("hubot");
  found.contextValue = "agent";
  found.accessibilityInformation = { label: `${name}, ${found.description}` };
  return found;
}

function seenItem(scope: string, file: SeenFile): vscode.TreeItem {
  const uri = uriOfPath(file.file_path);
  const path = pathForPeople(uri);
  const found = new vscode.TreeItem(path, vscode.TreeItemCollapsibleState.None);
  const who = scope === "main" ? "" : `sub-agent ${short(scope)}: `;
  found.description = `${who}${seenWords(file)}`;
  found.tooltip = `${path}\n${found.description}\nLast ${whenText(file.time)}`;
  found.resourceUri = uri;
  found.iconPath = vscode.ThemeIcon.File;
  found.contextValue = "seen";
  found.accessibilityInformation = { label: `${path}, seen: ${found.description}` };
  if (file.state === "present") {
    found.command = { command: "vscode.open", title: "Open", arguments: [uri] };
  }
  return found;
}
