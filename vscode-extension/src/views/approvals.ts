/**
 * The server's questions to the person: the answers, and for a change that waits for approval the change itself, as a
 * diff that closes with the answer. What the person types in it before they agree goes along with the answer.
 *
 * Never: an answer that the person did not give.
 */
import * as vscode from "vscode";
import type { CancellationToken } from "vscode-languageclient/node";
import type { Asked, AskedAnswer } from "../protocol";
import { pathForPeople } from "../review/answers";
import type { Questions } from "./questions";
import { WantedTexts } from "./wantedTexts";

type AskedFile = NonNullable<Asked["coeditor"]>["files"][number];

/** A row of a diff: the file, its text now, and its text then. */
type Sides = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/** What was opened for a question. */
interface Opened {
  /** The server's name of the file, the document, and its text before anybody typed in it. */
  offered: { file: string; uri: vscode.Uri; text: string }[];
  uris: vscode.Uri[];
}

/** A question with a diff that waits: its answers, what was opened, and what takes an answer. */
interface Standing {
  titles: string[];
  uris: ReadonlySet<string>;
  take: (title?: string) => void;
}

export class Approvals implements vscode.Disposable {
  private readonly texts = new WantedTexts();
  private standing: readonly Standing[] = [];
  private readonly registered = vscode.Disposable.from(
    this.texts,
    vscode.commands.registerCommand("coeditor.allowChange", (uri?: unknown) => { this.answer(uri, 0); }),
    vscode.commands.registerCommand("coeditor.refuseChange", (uri?: unknown) => { this.answer(uri, -1); }),
  );

  constructor(private readonly questions: Questions) {}

  /** The title of the answer, with the person's own texts; nothing where the question was closed or taken back. */
  async ask(asked: Asked, token: CancellationToken): Promise<AskedAnswer | null> {
    const titles = (asked.actions ?? []).map(({ title }) => title);
    const opened = await this.opened(asked);
    const hint = opened.offered.length > 0 ? " What you change on the right is what is made." : "";
    const settled = new vscode.CancellationTokenSource();
    const withdrawing = token.onCancellationRequested(() => { settled.cancel(); });
    let taken: string | undefined;
    const take = (title?: string): void => { taken = title; settled.cancel(); };
    const one: Standing = { titles, uris: new Set(opened.uris.map(String)), take };
    if (opened.uris.length > 0) {
      this.stand([...this.standing, one]);
    }
    try {
      const title = (await this.questions.ask(asked.message + hint, titles, settled.token)) ?? taken;
      return title === undefined ? null : this.answered(title, opened);
    } finally {
      this.stand(this.standing.filter((other) => other !== one));
      withdrawing.dispose();
      settled.dispose();
      await this.close(opened.uris).catch(() => undefined); // the answer counts, also where a tab stays
    }
  }

  dispose(): void {
    this.registered.dispose();
  }

  private answered(title: string, { offered }: Opened): AskedAnswer {
    const files = offered
      .map(({ file, uri, text }) => ({ uri: file, after: this.texts.textOf(uri), text }))
      .filter(({ after, text }) => after !== text)
      .map(({ uri, after }) => ({ uri, after }));
    return files.length === 0 ? { title } : { title, coeditor: { files } };
  }

  private stand(standing: readonly Standing[]): void {
    this.standing = standing;
    void vscode.commands.executeCommand("setContext", "coeditor.asking", standing.length > 0);
  }

  /** By a diff's own buttons, or the palette: of several questions the one whose diff is meant, or else none. */
  private answer(uri: unknown, number: number): void {
    const pressed = uri instanceof vscode.Uri ? [uri] : [];
    const active = sidesOf(vscode.window.tabGroups.activeTabGroup.activeTab?.input);
    // A diff that closes since its question is settled answers no other.
    const only = pressed.length === 0 && this.standing.length === 1 ? this.standing[0] : undefined;
    const meant = this.standingOf(pressed) ?? this.standingOf(active) ?? only;
    if (meant === undefined) {
      void vscode.commands.executeCommand("coeditor.answerQuestion");
    } else {
      meant.take(meant.titles.at(number));
    }
  }

  private standingOf(uris: readonly vscode.Uri[]): Standing | undefined {
    return this.standing.find((one) => uris.some((uri) => one.uris.has(uri.toString())));
  }

  /** Nothing stays open of what could not be shown whole: the question alone is asked then. */
  private async opened(asked: Asked): Promise<Opened> {
    const opened: Opened = { offered: [], uris: [] };
    try {
      await this.show(asked, opened);
      return opened;
    } catch {
      await this.close(opened.uris).catch(() => undefined);
      return { offered: [], uris: [] };
    }
  }

  private async show({ coeditor }: Asked, opened: Opened): Promise<void> {
    const files = (coeditor?.files ?? []).filter(({ before, after }) => before !== undefined || after !== undefined);
    if (coeditor === undefined || files.length === 0) {
      return;
    }
    const rows: Sides[] = [];
    for (const file of files) {
      rows.push(await this.sides(file, coeditor.question, opened));
    }
    const [first] = rows;
    const what = rows.length === 1 && first !== undefined ? pathForPeople(first[0]) : `${rows.length} files`;
    const title = `${coeditor.agent} wants to change ${what}`;
    if (rows.length === 1 && first !== undefined) {
      const [path, now, then] = first;
      const empty = (side: string): vscode.Uri => this.texts.show(asNamed(path), `${coeditor.question}&${side}`, "");
      const sides = [now ?? empty("now"), then ?? empty("then")] as const;
      opened.uris.push(...sides);
      await vscode.commands.executeCommand("vscode.diff", ...sides, title, { preview: false, preserveFocus: true });
    } else {
      await vscode.commands.executeCommand("vscode.changes", title, rows);
    }
  }

  private async sides(file: AskedFile, question: string, opened: Opened): Promise<Sides> {
    const { uri, before, after, editable } = file;
    const path = vscode.Uri.parse(uri, true);
    const named = asNamed(path);
    const now = before == null ? undefined : this.texts.show(named, `${question}&now`, before);
    opened.uris.push(...(now === undefined ? [] : [now]));
    let then: vscode.Uri | undefined;
    if (after != null) {
      then = editable === true ? await this.texts.offer(named, `${question}&then`, after) : undefined;
      if (then === undefined) {
        then = this.texts.show(named, `${question}&then`, after);
      } else {
        opened.offered.push({ file: uri, uri: then, text: after });
      }
    }
    opened.uris.push(...(then === undefined ? [] : [then]));
    return [path, now, then];
  }

  private async close(uris: readonly vscode.Uri[]): Promise<void> {
    try {
      await this.texts.settle(uris);
      const shown = new Set(uris.map(String));
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      const ours = tabs.filter(({ input }) => sidesOf(input).some((uri) => shown.has(uri.toString())));
      await vscode.window.tabGroups.close(ours, true);
    } finally {
      this.texts.forget(uris);
    }
  }
}

/** As people know it: the editor shows the path above the text. */
function asNamed(path: vscode.Uri): vscode.Uri {
  return path.with({ path: `/${pathForPeople(path).replace(/^\/+/, "")}` });
}

function sidesOf(input: unknown): vscode.Uri[] {
  if (input instanceof vscode.TabInputTextDiff) {
    return [input.modified];
  }
  if (input instanceof vscode.TabInputText) {
    return [input.uri];
  }
  // Of many files in one editor; typed in later versions only.
  const many = (input as { textDiffs?: { modified?: vscode.Uri; original?: vscode.Uri }[] } | undefined)?.textDiffs;
  return (many ?? []).flatMap(({ modified, original }) => [modified, original].filter((one) => one !== undefined));
}
