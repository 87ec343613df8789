/**
 * Waiting for VS Code to have reloaded what another program has just written.
 *
 * VS Code follows the disk about a fifth of a second late; an edit in between is made to the old text, and its save
 * fails since the file is newer, even where the new text is already shown. So a file that was written a moment ago, and
 * not by VS Code, gets that time first.
 */
import { stat } from "node:fs/promises";
import * as vscode from "vscode";

/** From a write on disk until VS Code has reloaded it for sure, in ms. */
const RELOADED_MS = 300;

export class Settling implements vscode.Disposable {
  /** The time of the file's last change after VS Code saved it, by URI, in ms. */
  private readonly ownSaves = new Map<string, number>();
  private readonly listeners = vscode.Disposable.from(
    vscode.workspace.onDidSaveTextDocument((document) => { void this.noteSave(document); }),
    vscode.workspace.onDidCloseTextDocument((document) => { this.ownSaves.delete(document.uri.toString()); }),
  );

  /** Returns at once, unless the file of a saved document was written by another program a moment ago. */
  async settled(document: vscode.TextDocument): Promise<void> {
    if (document.isDirty || document.uri.scheme !== "file") {
      return;
    }
    const changed = await changedAt(document.uri);
    const age = Date.now() - (changed ?? Number.NEGATIVE_INFINITY);
    if (age < 0 || age >= RELOADED_MS || changed === this.ownSaves.get(document.uri.toString())) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, RELOADED_MS - age));
  }

  dispose(): void {
    this.listeners.dispose();
  }

  async noteSave(document: vscode.TextDocument): Promise<void> {
    const changed = document.uri.scheme === "file" ? await changedAt(document.uri) : undefined;
    if (changed !== undefined) {
      this.ownSaves.set(document.uri.toString(), changed);
    }
  }
}

async function changedAt(uri: vscode.Uri): Promise<number | undefined> {
  try {
    return (await stat(uri.fsPath)).mtimeMs;
  } catch {
    return undefined;
  }
}
