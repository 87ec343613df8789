/** The command that shows what the last edit of an agent changed, as VS Code's own diff. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { METHOD_FILE_VERSIONS, type DidApplyEdit, type FileVersions } from "../protocol";
import { uriOfPath } from "../review/answers";
import { editText, nameOf } from "./statusText";

const SCHEME = "coeditor-edit";
type Side = "before" | "after";

export class LastEdit implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private edit: DidApplyEdit | undefined;
  /** The texts of the edit shown last. */
  private texts = new Map<string, string>();

  constructor(private readonly client: () => LanguageClient | undefined) {}

  note(edit: DidApplyEdit): void {
    this.edit = edit;
    void vscode.commands.executeCommand("setContext", "coeditor.hasLastEdit", true);
  }

  async show(): Promise<void> {
    const client = this.client();
    const edit = this.edit;
    if (edit === undefined || client === undefined) {
      const text = edit === undefined ? "No agent has edited anything yet." : "Coeditor's server does not run.";
      void vscode.window.showInformationMessage(text);
      return;
    }
    const found = await client.sendRequest<FileVersions>(METHOD_FILE_VERSIONS, { edit_id: edit.edit_id });
    this.texts = new Map();
    const pairs = found.files.map((file) => [
      uriOfPath(file.file_path),
      this.keep(edit.edit_id, "before", file.file_path, file.before),
      this.keep(edit.edit_id, "after", file.file_path, file.after),
    ] as const);
    const [first] = pairs;
    if (first === undefined) {
      void vscode.window.showInformationMessage("The texts of this edit are no longer kept.");
    } else if (pairs.length === 1) {
      const title = `${nameOf(first[0].path)}: ${editText(edit)}`;
      await vscode.commands.executeCommand("vscode.diff", first[1], first[2], title, { preview: true });
    } else {
      await vscode.commands.executeCommand("vscode.changes", editText(edit), pairs);
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.registered.dispose();
  }

  /** The path stays that of the file, so that its language and its icon do. */
  private keep(edit: string, side: Side, path: string, text: string | null): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: uriOfPath(path).path, query: `${edit}&${side}` });
    this.texts.set(uri.toString(), text ?? "");
    return uri;
  }
}
