/** Shows what is pending as VS Code's own diffs: a file's, or those of many files in one editor. */
import * as vscode from "vscode";
import { uriOfPath, pathForPeople } from "./answers";
import type { Reviews } from "./reviews";
import type { Hunk, ReviewedFile } from "./types";

const SCHEME = "coeditor-base";
/** Hunks of one file, to be compared with what stood there. */
export interface Part {
  file: ReviewedFile;
  hunks: readonly Hunk[];
}

/** The texts without what is pending, as read-only documents that follow the review. */
export class Comparing implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registered: vscode.Disposable;
  /** What the open documents showed last, by URI. */
  private readonly last = new Map<string, string>();

  constructor(private readonly reviews: Reviews) {
    this.registered = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => { this.last.delete(uri.toString()); }),
      reviews.onDidChange(() => {
        for (const document of vscode.workspace.textDocuments) {
          if (document.uri.scheme === SCHEME) {
            this.changed.fire(document.uri);
          }
        }
      }),
    );
  }

  /** One file: as it would be without `hunks`, beside what it is; at the lines of `at`. */
  async showFile({ file, hunks }: Part, at?: Hunk): Promise<void> {
    const [base, current] = this.sides({ file, hunks });
    const title = `${pathForPeople(uriOfPath(file.file_path))}: what agents changed`;
    const line = Math.max(0, (at?.start_line ?? 1) - 1);
    const options = at === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
    await vscode.commands.executeCommand("vscode.diff", base, current, title, { preview: true, ...options });
  }

  /** Many files in one editor. */
  async showAll(title: string, parts: readonly Part[]): Promise<void> {
    const rows = parts.map((part) => {
      const [base, current] = this.sides(part);
      return [
        uriOfPath(part.file.file_path),
        part.file.operation === "create" ? undefined : base,
        part.file.operation === "delete" ? undefined : current,
      ];
    });
    await vscode.commands.executeCommand("vscode.changes", title, rows);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const key = uri.toString();
    const { path, hunks } = JSON.parse(uri.query) as { path: string; hunks: string[] };
    try {
      const text = await this.reviews.without(path, hunks);
      this.last.set(key, text);
      return text;
    } catch (error) {
      // What was decided about is no longer pending: the diff stays as it was shown.
      return this.last.get(key) ?? (error as Error).message;
    }
  }

  dispose(): void {
    this.registered.dispose();
    this.changed.dispose();
  }

  /** The path stays that of the file, so that its language and its icon do. */
  private sides({ file, hunks }: Part): [base: vscode.Uri, current: vscode.Uri] {
    const current = uriOfPath(file.file_path);
    const all = file.hunks.length === hunks.length;
    const query = JSON.stringify({ path: file.file_path, hunks: all ? [] : hunks.map(({ hunk }) => hunk) });
    const base = vscode.Uri.from({ scheme: SCHEME, path: uriOfPath(file.from ?? file.file_path).path, query });
    const gone = file.operation === "delete";
    return [base, gone ? vscode.Uri.from({ scheme: EMPTY, path: current.path }) : current];
  }
}

const EMPTY = "coeditor-empty";

/** The other side of a file that is not there. */
export function registerEmpty(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(EMPTY, { provideTextDocumentContent: () => "" });
}
