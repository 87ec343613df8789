/**
 * What agents changed and the person has not looked at yet, as the server last told it.
 *
 * It is asked for again when the server says that something happened and when a document with something pending
 * changes; never by the clock. Never: a decision; what is kept or undone, the server does.
 */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { METHOD_REVIEW, METHOD_REVIEW_BASE, METHOD_REVIEW_KEEP, METHOD_REVIEW_UNDO } from "../protocol";
import { askAsPerson, uriOfPath } from "./answers";
import type { Hunk, Review, ReviewBase, ReviewedFile } from "./types";

/** Typing goes on for this long before the review is asked for again, in ms. */
const TYPING_MS = 250;
const NOTHING: Review = { files: [], pending: 0 };

export class Reviews implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** The review is another one than before. */
  readonly onDidChange = this.changed.event;
  private readonly listeners: vscode.Disposable;
  private found: Review = NOTHING;
  private text = "";
  private byUri = new Map<string, ReviewedFile>();
  /** Documents in which something was pending: Ctrl+Z can bring it back. */
  private readonly known = new Set<string>();
  private asking: Promise<void> | undefined;
  private again = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.known.has(document.uri.toString())) {
          clearTimeout(this.timer);
          this.timer = setTimeout(() => void this.refresh(), TYPING_MS);
        }
      }),
      // A commit made elsewhere keeps what it has.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused && this.found.pending > 0) {
          void this.refresh();
        }
      }),
    );
  }

  get review(): Review {
    return this.found;
  }

  /** The pending hunks of a file, from top to bottom. */
  fileOf(uri: vscode.Uri): ReviewedFile | undefined {
    return this.byUri.get(uri.toString());
  }

  /** Resolves when what is shown is no older than this call. */
  refresh(): Promise<void> {
    if (this.asking !== undefined) {
      this.again = true;
      return this.asking;
    }
    this.asking = this.ask().finally(() => { this.asking = undefined; });
    return this.asking;
  }

  clear(): void {
    this.show(NOTHING);
  }

  /** Errors: a Refusal. */
  async keep(hunks: readonly Hunk[]): Promise<void> {
    try {
      await this.request(METHOD_REVIEW_KEEP, { hunks: hunks.map(({ hunk }) => hunk) });
    } finally {
      await this.refresh();
    }
  }

  /** Errors: a Refusal, and then nothing was undone. */
  async undo(hunks: readonly Hunk[]): Promise<void> {
    try {
      await this.request(METHOD_REVIEW_UNDO, { hunks: hunks.map(({ hunk }) => hunk) });
    } finally {
      await this.refresh();
    }
  }

  /** The file without these hunks; empty where it would not be there. Errors: a Refusal. */
  async without(path: string, hunks: readonly string[]): Promise<string> {
    const chosen = hunks.length > 0 ? { hunks } : {};
    const found = await this.request<ReviewBase>(METHOD_REVIEW_BASE, { file_path: path, ...chosen });
    return found.text ?? "";
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.dispose();
    this.changed.dispose();
  }

  private async ask(): Promise<void> {
    do {
      this.again = false;
      try {
        this.show(await this.request<Review>(METHOD_REVIEW, {}));
      } catch (error) {
        this.log.debug(`review: ${String(error)}`); // a server that ends; the next one is asked again
      }
    } while (this.isWanted());
  }

  private isWanted(): boolean {
    return this.again;
  }

  private request<T>(method: string, params: object): Promise<T> {
    return askAsPerson<T>(this.client(), method, params);
  }

  private show(review: Review): void {
    const text = JSON.stringify(review);
    if (text === this.text) {
      return;
    }
    this.found = review;
    this.text = text;
    this.byUri = new Map(review.files.map((file) => [uriOfPath(file.file_path).toString(), file]));
    for (const uri of this.byUri.keys()) {
      this.known.add(uri);
    }
    this.changed.fire();
  }
}
