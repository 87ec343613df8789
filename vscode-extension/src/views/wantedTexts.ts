/**
 * The texts of changes that wait for approval: what an agent would make, which the person may change first.
 *
 * They live in memory, as files of a scheme of their own, so that they can be typed in; what may not be changed is a
 * document that can only be read. Never: a file on disk.
 */
import * as vscode from "vscode";

export const WANTED = "coeditor-wanted";
/** What is there now, and what has to be taken or left as it is. */
export const SHOWN = "coeditor-shown";

interface Held {
  bytes: Uint8Array;
  changed: number;
}

export class WantedTexts implements vscode.Disposable, vscode.FileSystemProvider, vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly held = new Map<string, Held>();
  private readonly shown = new Map<string, string>();
  private readonly registered = vscode.Disposable.from(
    this.changed,
    vscode.workspace.registerFileSystemProvider(WANTED, this, { isCaseSensitive: true }),
    vscode.workspace.registerTextDocumentContentProvider(SHOWN, this),
  );

  /** The path stays that of the file, so that its language and its icon do. */
  show(path: vscode.Uri, query: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SHOWN, path: path.path, query });
    this.shown.set(uri.toString(), text);
    return uri;
  }

  /** Nothing where VS Code's document would not be this very text: what comes back would differ for no reason. */
  async offer(path: vscode.Uri, query: string, text: string): Promise<vscode.Uri | undefined> {
    const uri = vscode.Uri.from({ scheme: WANTED, path: path.path, query });
    this.held.set(uri.toString(), { bytes: Buffer.from(text, "utf8"), changed: Date.now() });
    let isSame = false;
    try {
      isSame = (await vscode.workspace.openTextDocument(uri, { encoding: "utf8" })).getText() === text;
      return isSame ? uri : undefined;
    } finally {
      if (!isSame) {
        this.forget([uri]);
      }
    }
  }

  /** What the person made of it: typed, or typed, saved and closed. */
  textOf(uri: vscode.Uri): string {
    const document = documentOf(uri);
    return document?.getText() ?? Buffer.from(this.held.get(uri.toString())?.bytes ?? []).toString("utf8");
  }

  /** The documents can be closed then without a question. */
  async settle(uris: readonly vscode.Uri[]): Promise<void> {
    for (const uri of uris) {
      const document = documentOf(uri);
      if (document?.isDirty === true) {
        await document.save();
      }
    }
  }

  forget(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) {
      this.held.delete(uri.toString());
      this.shown.delete(uri.toString());
    }
  }

  dispose(): void {
    this.registered.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown.get(uri.toString()) ?? "";
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, changed } = this.find(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: changed, size: bytes.byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.find(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const changed = Math.max(Date.now(), this.find(uri).changed + 1);
    this.held.set(uri.toString(), { bytes, changed });
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // nobody else changes them
  }

  readDirectory(): [] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private find(uri: vscode.Uri): Held {
    const found = this.held.get(uri.toString());
    if (found === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return found;
  }
}

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.find((one) => !one.isClosed && one.uri.toString() === wanted);
}
