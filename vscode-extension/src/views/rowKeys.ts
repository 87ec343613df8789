/**
 * The keys that decide in a view: they are about the row that has the keyboard.
 *
 * VS Code tells an extension which rows are selected, and not which one has the keyboard. So a key is three commands:
 * it is noted here; VS Code selects the row, which opens it, and opening tells the row; a row that does not open is
 * taken from the selection. Never: a decision about a row that was selected before, or at a later opening.
 */
import * as vscode from "vscode";

interface Noted<Row, How> {
  how: How;
  /** Several rows that were selected on purpose. */
  rows: readonly Row[];
}

export class RowKeys<Row, How> implements vscode.Disposable {
  private noted: Noted<Row, How> | undefined;
  private readonly registered: vscode.Disposable;

  /** `command` notes a key, `command` with `Done` behind it ends it. */
  constructor(
    command: string,
    private readonly view: Pick<vscode.TreeView<Row>, "selection">,
    private readonly opens: (row: Row) => boolean,
    private readonly act: (how: How, rows: readonly Row[]) => Promise<void>,
  ) {
    this.registered = vscode.Disposable.from(
      vscode.commands.registerCommand(command, (how: How) => {
        const { selection } = this.view;
        this.noted = { how, rows: selection.length > 1 ? [...selection] : [] };
      }),
      vscode.commands.registerCommand(`${command}Done`, () => {
        const [row] = this.view.selection;
        if (row === undefined) {
          this.noted = undefined;
        } else if (!this.opens(row)) {
          return this.taken(row);
        }
        return undefined;
      }),
    );
  }

  dispose(): void {
    this.registered.dispose();
  }

  /** Acts if a key was pressed at `row`; undefined where none was. */
  taken(row: Row): Promise<void> | undefined {
    const { noted } = this;
    this.noted = undefined;
    return noted && this.act(noted.how, noted.rows.length > 0 ? noted.rows : [row]);
  }
}
