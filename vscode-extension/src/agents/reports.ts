/** What a command printed, as a document that can only be read. */
import * as vscode from "vscode";

const SCHEME = "coeditor-report";

export class Reports implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly texts = new Map<string, string>();
  /** Last: VS Code looks at the others when it is told of this. */
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  /** `name`: of the document, with an ending that tells its language. */
  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.registered.dispose();
    this.changed.dispose();
  }
}
