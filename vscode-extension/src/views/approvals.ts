/**
 * The server's questions to the person: the answers, and for a change that waits for approval the change itself, as a
 * diff that closes with the answer. Never: an answer that the person did not give.
 */
import * as vscode from "vscode";
import type { CancellationToken } from "vscode-languageclient/node";
import { pathForPeople } from "../review/answers";
import type { Questions } from "./questions";

/** `window/showMessageRequest`, with what the server adds for us. */
export interface Asked {
  message: string;
  actions?: { title: string }[];
  coeditor?: {
    question: string;
    agent: string;
    files: { uri: string; kind: string; verb: string; before?: string | null; after?: string | null }[];
  };
}

const SCHEME = "coeditor-wanted";

export class Approvals implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private readonly texts = new Map<string, string>();

  constructor(private readonly questions: Questions) {}

  /** The title of the answer; nothing where the question was closed or taken back. */
  async ask(asked: Asked, token: CancellationToken): Promise<{ title: string } | null> {
    const titles = (asked.actions ?? []).map(({ title }) => title);
    const shown = await this.show(asked).catch(() => []);
    try {
      const found = await this.questions.ask(asked.message, titles, token);
      return found === undefined ? null : { title: found };
    } finally {
      await this.close(shown);
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.registered.dispose();
  }

  /** Gives the URIs of what was opened. */
  private async show({ coeditor }: Asked): Promise<string[]> {
    const files = (coeditor?.files ?? []).filter(({ before, after }) => before !== undefined || after !== undefined);
    if (coeditor === undefined || files.length === 0) {
      return [];
    }
    const rows = files.map(({ uri, before, after }): [vscode.Uri, vscode.Uri, vscode.Uri] => {
      const path = vscode.Uri.parse(uri, true);
      return [
        path,
        this.keep(path, `${coeditor.question}&now`, before ?? ""),
        this.keep(path, `${coeditor.question}&then`, after ?? ""),
      ];
    });
    const [first] = rows;
    const what = rows.length === 1 && first !== undefined ? pathForPeople(first[0]) : `${rows.length} files`;
    const title = `${coeditor.agent} wants to change ${what}`;
    if (rows.length === 1 && first !== undefined) {
      await vscode.commands.executeCommand("vscode.diff", first[1], first[2], title, { preview: false, preserveFocus: true });
    } else {
      await vscode.commands.executeCommand("vscode.changes", title, rows);
    }
    return rows.flatMap(([, now, then]) => [now.toString(), then.toString()]);
  }

  private keep(path: vscode.Uri, query: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: path.path, query });
    this.texts.set(uri.toString(), text);
    return uri;
  }

  private async close(shown: readonly string[]): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const ours = tabs.filter(({ input }) => sidesOf(input).some((uri) => shown.includes(uri.toString())));
    await vscode.window.tabGroups.close(ours, true);
    for (const uri of shown) {
      this.texts.delete(uri);
    }
  }
}

function sidesOf(input: unknown): vscode.Uri[] {
  if (input instanceof vscode.TabInputTextDiff) {
    return [input.modified];
  }
  // Of many files in one editor; typed in later versions only.
  const many = (input as { textDiffs?: { modified: vscode.Uri }[] } | undefined)?.textDiffs;
  return many?.map(({ modified }) => modified) ?? [];
}
