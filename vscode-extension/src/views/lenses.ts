/** Keep and Undo above each hunk, in the text. */
import * as vscode from "vscode";
import { placeOf } from "../review/groups";
import type { Reviews } from "../review/reviews";
import type { Hunk } from "../review/types";
import { hunkOrigin, signs } from "../review/words";
import { linesOf } from "./decorations";

export class Lenses implements vscode.Disposable, vscode.CodeLensProvider {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly registered: vscode.Disposable;

  constructor(
    private readonly reviews: Reviews,
    private readonly nameOfSession: (session: string) => string | undefined,
  ) {
    this.registered = vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider([{ scheme: "file" }, { scheme: "untitled" }], this),
      reviews.onDidChange(() => { this.changed.fire(); }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("coeditor.review.lenses")) {
          this.changed.fire();
        }
      }),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const file = this.reviews.fileOf(document.uri);
    if (file === undefined || !vscode.workspace.getConfiguration("coeditor").get<boolean>("review.lenses", true)) {
      return [];
    }
    const lines = linesOf(document);
    const found: vscode.CodeLens[] = [];
    for (const hunk of file.hunks) {
      const place = placeOf(hunk, lines);
      if (place !== undefined) {
        const range = new vscode.Range(place.first, 0, place.first, 0);
        found.push(...this.commands(hunk).map((command) => new vscode.CodeLens(range, command)));
      }
    }
    return found;
  }

  dispose(): void {
    this.registered.dispose();
    this.changed.dispose();
  }

  private commands(hunk: Hunk): vscode.Command[] {
    const named = [{ hunk: hunk.hunk }];
    const who = `${hunkOrigin(hunk, this.nameOfSession)} (${signs(hunk)})`;
    return [
      { title: "$(check) Keep", tooltip: `Keep this change of ${who}`, command: "coeditor.keepHunk", arguments: named },
      ...(hunk.undoable
        ? [{ title: "$(discard) Undo", tooltip: "Put back what stood here", command: "coeditor.undoHunk", arguments: named }]
        : []),
      { title: `$(diff) ${who}`, tooltip: "Show what changed", command: "coeditor.diffHunk", arguments: named },
    ];
  }
}
