/** The view of what agents were stopped at, and the ways to look at one: all three texts, and the merge editor. */
import * as vscode from "vscode";
import { Refusal, pathForPeople, uriOfPath } from "../review/answers";
import type { Stops } from "../review/stops";
import type { Conflict } from "../review/types";
import { agentOf, conflictWords } from "../review/words";
import { whenText } from "./moments";
import { RowKeys } from "./rowKeys";

const SCHEME = "coeditor-conflict";
const OPEN_ROW = "coeditor.openConflictRow";
type Side = "seen" | "wanted";

export class ConflictsTree
  implements vscode.Disposable, vscode.TreeDataProvider<Conflict>, vscode.TextDocumentContentProvider
{
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<Conflict>;
  private readonly registered: vscode.Disposable;
  /** The texts that are shown, by URI. */
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly stops: Stops,
    private readonly nameOfSession: (session: string) => string | undefined,
  ) {
    this.view = vscode.window.createTreeView("coeditor.conflicts", { treeDataProvider: this });
    const keys = new RowKeys<Conflict, "dismiss">("coeditor.conflictKey", this.view, () => true, (_how, rows) => told(this.stops.dismiss(rows)));
    const act = (run: (conflict: Conflict) => Promise<void>) => async (one?: Conflict): Promise<void> => {
      const chosen = one ?? (await this.pick());
      if (chosen !== undefined) {
        await told(run(chosen));
      }
    };
    this.registered = vscode.Disposable.from(
      keys,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      stops.onDidChange(() => { this.refresh(); }),
      vscode.commands.registerCommand(OPEN_ROW, (one: Conflict) =>
        keys.taken(one) ?? told(one.texts ? this.compare(one) : goTo(one))),
      vscode.commands.registerCommand("coeditor.showConflict", act((one) => this.compare(one))),
      vscode.commands.registerCommand("coeditor.mergeConflict", act((one) => this.merge(one))),
      vscode.commands.registerCommand("coeditor.goToConflict", act((one) => goTo(one))),
      vscode.commands.registerCommand("coeditor.dismissConflict", act((one) => this.stops.dismiss([one]))),
      vscode.commands.registerCommand("coeditor.openConflicts", () =>
        vscode.commands.executeCommand("coeditor.conflicts.focus"),
      ),
    );
  }

  getChildren(node?: Conflict): Conflict[] {
    return node === undefined ? [...this.stops.all] : [];
  }

  getTreeItem(conflict: Conflict): vscode.TreeItem {
    const uri = uriOfPath(conflict.file_path);
    const who = this.nameOf(conflict);
    const words = conflictWords(conflict, pathForPeople(uri), who);
    const found = new vscode.TreeItem(words.label, vscode.TreeItemCollapsibleState.None);
    found.id = conflict.conflict;
    found.description = words.description;
    found.tooltip = `${words.spoken}\n${conflict.code}, ${whenText(conflict.time)}`;
    found.accessibilityInformation = { label: words.spoken };
    found.iconPath = new vscode.ThemeIcon("warning", new vscode.ThemeColor("coeditor.conflictForeground"));
    found.contextValue = conflict.texts ? "conflict" : "conflictWithoutTexts";
    found.command = { command: OPEN_ROW, title: "Show", arguments: [conflict] };
    return found;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.registered.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  private refresh(): void {
    const count = this.stops.all.length;
    const waiting = count === 1 ? "1 conflict to decide about" : `${count} conflicts to decide about`;
    this.view.badge = count === 0 ? undefined : { value: count, tooltip: waiting };
    void vscode.commands.executeCommand("setContext", "coeditor.hasConflicts", count > 0);
    this.changed.fire(undefined);
  }

  /** Side by side: from what the agent saw to what is there now, and to what the agent wanted. */
  private async compare(conflict: Conflict): Promise<void> {
    const { seen, wanted, current } = await this.sides(conflict);
    const name = pathForPeople(current);
    const who = this.nameOf(conflict);
    const titles = { mine: `${name}: what changed since ${who} read it`, agent: `${name}: what ${who} wanted` };
    await vscode.commands.executeCommand("vscode.changes", `Conflict in ${name}`, [
      [current, seen, current],
      [wanted, seen, wanted],
    ]).then(undefined, async () => {
      await vscode.commands.executeCommand("vscode.diff", seen, current, titles.mine, { preview: false });
      await vscode.commands.executeCommand("vscode.diff", seen, wanted, titles.agent, { preview: false });
    });
  }

  /** VS Code's own editor for three texts; what comes out is the file itself. It saves the file when it opens. */
  private async merge(conflict: Conflict): Promise<void> {
    const { seen, wanted, current } = await this.sides(conflict);
    const document = await vscode.workspace.openTextDocument(current);
    if (document.isDirty && !(await maySave(pathForPeople(current)))) {
      return;
    }
    const mine = this.keep(conflict, "mine", current, document.getText());
    await vscode.commands.executeCommand("_open.mergeEditor", {
      base: seen,
      input1: { uri: mine, title: "As it is now" },
      input2: { uri: wanted, title: `As ${this.nameOf(conflict)} wanted it` },
      output: current,
    });
  }

  private async sides(conflict: Conflict): Promise<Record<Side | "current", vscode.Uri>> {
    const found = await this.stops.texts(conflict);
    if (found.base === null || found.wanted === null) {
      throw new Refusal("NOT_KNOWN", "What the agent wanted there is not known any more.");
    }
    const current = uriOfPath(conflict.file_path);
    return {
      current,
      seen: this.keep(conflict, "seen", current, found.base),
      wanted: this.keep(conflict, "wanted", current, found.wanted),
    };
  }

  /** The path stays that of the file, so that its language and its icon do. */
  private keep({ conflict, time }: Conflict, side: Side | "mine", path: vscode.Uri, text: string): vscode.Uri {
    const stamp = side === "mine" ? Date.now().toString(36) : time;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: path.path, query: `${side}&${conflict}&${stamp}` });
    this.texts.set(uri.toString(), text);
    for (const key of [...this.texts.keys()].slice(0, -MOST_TEXTS)) {
      this.texts.delete(key);
    }
    return uri;
  }

  private nameOf(conflict: Conflict): string {
    return agentOf(conflict, this.nameOfSession);
  }

  private async pick(): Promise<Conflict | undefined> {
    const rows = this.stops.all.map((conflict) => {
      const { label, description } = conflictWords(conflict, pathForPeople(uriOfPath(conflict.file_path)), this.nameOf(conflict));
      return { label, description, conflict };
    });
    const [selected] = this.view.visible ? this.view.selection : [];
    if (selected !== undefined || rows.length === 0) {
      return selected;
    }
    return rows.length === 1 ? rows[0]?.conflict : (await vscode.window.showQuickPick(rows, { title: "Which conflict?" }))?.conflict;
  }
}

const MOST_TEXTS = 60;

async function told(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => void vscode.window.showWarningMessage(`Coeditor: ${Refusal.of(error).message}`));
}

async function maySave(path: string): Promise<boolean> {
  const detail = "VS Code's merge editor saves the file that it works on.";
  const button = "Save and Merge";
  const question = `Save what you typed in ${path}?`;
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, button)) === button;
}

async function goTo({ file_path, line }: Conflict): Promise<void> {
  const editor = await vscode.window.showTextDocument(uriOfPath(file_path));
  const at = Math.min(line, editor.document.lineCount) - 1;
  editor.selection = new vscode.Selection(at, 0, at, 0);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
