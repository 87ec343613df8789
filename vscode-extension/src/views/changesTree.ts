/** The view of what is pending: turns, their files, and the hunks of each. */
import * as vscode from "vscode";
import { pathForPeople, uriOfPath } from "../review/answers";
import { groupsOf, hunksOf, type Group, type GroupFile } from "../review/groups";
import type { Reviews } from "../review/reviews";
import type { Hunk } from "../review/types";
import { fileWords, groupWords, hunkWords, type Words } from "../review/words";
import { whenText } from "./moments";

export type ChangeNode =
  | { kind: "turn"; group: Group }
  | { kind: "file"; of: GroupFile }
  | { kind: "hunk"; of: GroupFile; hunk: Hunk };

export class ChangesTree implements vscode.Disposable, vscode.TreeDataProvider<ChangeNode> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<ChangeNode>;
  private readonly listener: vscode.Disposable;
  private roots: ChangeNode[] = [];

  constructor(
    private readonly reviews: Reviews,
    private readonly nameOfSession: (session: string) => string | undefined,
  ) {
    this.view = vscode.window.createTreeView("coeditor.changes", {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.listener = reviews.onDidChange(() => { this.refresh(); });
  }

  refresh(): void {
    const { review } = this.reviews;
    this.roots = groupsOf(review).map((group) => ({ kind: "turn", group }));
    const waiting = review.pending === 1 ? "1 change waits for you" : `${review.pending} changes wait for you`;
    this.view.badge = review.pending === 0 ? undefined : { value: review.pending, tooltip: waiting };
    this.changed.fire(undefined);
  }

  getChildren(node?: ChangeNode): ChangeNode[] {
    switch (node?.kind) {
      case undefined:
        return this.roots;
      case "turn":
        return node.group.files.map((of) => ({ kind: "file", of }));
      case "file":
        return node.of.hunks.map((hunk) => ({ kind: "hunk", of: node.of, hunk }));
      case "hunk":
        return [];
    }
  }

  getParent(node: ChangeNode): ChangeNode | undefined {
    switch (node.kind) {
      case "turn":
        return undefined;
      case "file":
        return this.roots.find((root) => root.kind === "turn" && root.group === node.of.group);
      case "hunk":
        return { kind: "file", of: node.of };
    }
  }

  getTreeItem(node: ChangeNode): vscode.TreeItem {
    switch (node.kind) {
      case "turn":
        return this.turnItem(node.group);
      case "file":
        return fileItem(node);
      case "hunk":
        return hunkItem(node);
    }
  }

  dispose(): void {
    this.listener.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  private turnItem(group: Group): vscode.TreeItem {
    const words = groupWords(group, this.nameOfSession);
    const found = item(words, vscode.TreeItemCollapsibleState.Expanded, "turn");
    found.id = group.key;
    found.iconPath = new vscode.ThemeIcon("history");
    found.tooltip = `${words.label}, ${whenText(group.time)}\n${words.description}`;
    return found;
  }
}

/** The hunks of what is selected, each once, with their files' paths. */
export function chosenHunks(nodes: readonly ChangeNode[]): Hunk[] {
  const found = new Map<string, Hunk>();
  for (const node of nodes) {
    const hunks = node.kind === "turn" ? hunksOf(node.group) : node.kind === "file" ? node.of.hunks : [node.hunk];
    for (const hunk of hunks) {
      found.set(hunk.hunk, hunk);
    }
  }
  return [...found.values()];
}

function fileItem(node: ChangeNode & { kind: "file" }): vscode.TreeItem {
  const uri = uriOfPath(node.of.file.file_path);
  const found = item(
    fileWords(node.of, pathForPeople(uri)),
    vscode.TreeItemCollapsibleState.Collapsed,
    "file",
  );
  found.id = `${node.of.group.key}${node.of.file.file_path}`;
  found.resourceUri = uri.with({ scheme: ROW }); // its icon alone: what it is marked with elsewhere, the row says
  found.iconPath = vscode.ThemeIcon.File;
  found.command = { command: OPEN_ROW, title: "Show What Changed", arguments: [node] };
  return found;
}

function hunkItem(node: ChangeNode & { kind: "hunk" }): vscode.TreeItem {
  const state = vscode.TreeItemCollapsibleState.None;
  const found = item(hunkWords(node.hunk), state, node.hunk.undoable ? "hunk" : "hunkStuck");
  found.id = `${node.of.group.key}${node.hunk.hunk}`;
  found.iconPath = new vscode.ThemeIcon(ICONS[node.hunk.kind]);
  found.command = { command: OPEN_ROW, title: "Go to It", arguments: [node] };
  return found;
}

const ICONS = { lines: "diff-modified", create: "diff-added", delete: "diff-removed", move: "diff-renamed" } as const;

const ROW = "coeditor-row";
/** What a click on a row or Enter does. */
export const OPEN_ROW = "coeditor.openRow";

function item(words: Words, state: vscode.TreeItemCollapsibleState, context: string): vscode.TreeItem {
  const found = new vscode.TreeItem(words.label, state);
  found.description = words.description;
  found.contextValue = context;
  found.accessibilityInformation = { label: words.spoken };
  return found;
}
