/** Marks files in the Explorer and in tabs while changes of agents in them wait for the person. */
import * as vscode from "vscode";
import { uriOfPath } from "../review/answers";
import type { Reviews } from "../review/reviews";
import { badgeWords } from "../review/words";

export class Badges implements vscode.Disposable, vscode.FileDecorationProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.changed.event;
  private readonly registered: vscode.Disposable;
  private marked: vscode.Uri[] = [];

  constructor(private readonly reviews: Reviews) {
    this.registered = vscode.Disposable.from(
      this.changed,
      vscode.window.registerFileDecorationProvider(this),
      reviews.onDidChange(() => {
        const before = this.marked;
        this.marked = reviews.review.files.map(({ file_path }) => uriOfPath(file_path));
        this.changed.fire([...before, ...this.marked]);
      }),
    );
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const count = this.reviews.fileOf(uri)?.hunks.length ?? 0;
    if (count === 0) {
      return undefined;
    }
    const { badge, tooltip } = badgeWords(count);
    const found = new vscode.FileDecoration(badge, tooltip, new vscode.ThemeColor("coeditor.pendingForeground"));
    found.propagate = true;
    return found;
  }

  dispose(): void {
    this.registered.dispose();
  }
}
