/**
 * The keys that decide in the view of changes: they are about the row that has the keyboard.
 *
 * VS Code tells an extension which rows are selected, and not which one has the keyboard. So a key is three commands:
 * it is noted here; VS Code selects the row, which opens it, and opening tells the row; a row that does not open is
 * taken from the selection. Never: a decision about a row that was selected before.
 */
import * as vscode from "vscode";
import type { ChangeNode, ChangesTree } from "../views/changesTree";

type How = "keep" | "undo";
type Act = (how: How, nodes: readonly ChangeNode[]) => Promise<void>;

interface Noted {
  how: How;
  /** Several rows that were selected on purpose. */
  rows: readonly ChangeNode[];
}

export class RowKeys {
  private noted: Noted | undefined;

  constructor(
    private readonly tree: ChangesTree,
    private readonly act: Act,
  ) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand("coeditor.rowKey", (how: How) => {
        const { selection } = this.tree.view;
        this.noted = { how, rows: selection.length > 1 ? [...selection] : [] };
      }),
      vscode.commands.registerCommand("coeditor.rowKeyDone", () => {
        const [row] = this.tree.view.selection;
        return row?.kind === "turn" ? this.taken(row) : undefined;
      }),
    );
  }

  /** Acts if a key was pressed at `row`; undefined where none was. */
  taken(row: ChangeNode): Promise<void> | undefined {
    const { noted } = this;
    this.noted = undefined;
    return noted && this.act(noted.how, noted.rows.length > 0 ? noted.rows : [row]);
  }
}
