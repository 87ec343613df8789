/**
 * The commands of the review: keep, undo and show; a hunk, a file, a turn, or all that is pending.
 *
 * Each works from the view, the editor's title, a lens, a hover and the palette. What is named are the hunks that the
 * person was shown; one that is another by now is left alone by the server. Never: an edit made here.
 */
import * as vscode from "vscode";
import { OPEN_ROW, chosenHunks, type ChangeNode, type ChangesTree } from "../views/changesTree";
import { linesOf } from "../views/decorations";
import { RowKeys } from "../views/rowKeys";
import { Refusal, pathForPeople, uriOfPath } from "./answers";
import type { Comparing, Part } from "./comparing";
import { groupsOf, hunksOf, nextPlace, placeOf } from "./groups";
import type { Reviews } from "./reviews";
import type { Hunk } from "./types";
import { groupWords } from "./words";

/** From a lens or a hover: a hunk's name. */
interface Named {
  hunk: string;
}
type Argument = ChangeNode | Named | vscode.Uri | undefined;
type Act = (hunks: Hunk[]) => Promise<void>;

export class Deciding {
  constructor(
    private readonly reviews: Reviews,
    private readonly comparing: Comparing,
    private readonly tree: ChangesTree,
    private readonly nameOfSession: (session: string) => string | undefined,
  ) {}

  register(): vscode.Disposable {
    const keep: Act = (hunks) => this.keep(hunks);
    const undo: Act = (hunks) => this.undo(hunks);
    const diff: Act = (hunks) => this.diff(hunks);
    const commands: Record<string, (one: Argument, many?: ChangeNode[]) => unknown> = {
      nextChange: () => this.step(1),
      previousChange: () => this.step(-1),
      refreshReview: () => this.reviews.refresh(),
      keepAll: () => keep(this.all()),
      undoAll: () => undo(this.all()),
      diffAll: () => diff(this.all()),
    };
    for (const [name, act] of Object.entries({ keep, undo, diff })) {
      commands[`${name}Hunk`] = (one, many) => act(this.chosen(one, many) ?? this.atCursor());
      commands[`${name}File`] = (one, many) => act(this.chosen(one, many) ?? this.ofFile(one));
      commands[`${name}Turn`] = async (one, many) => act(this.chosen(one, many) ?? (await this.pickTurn()));
    }
    const keys = new RowKeys<ChangeNode, "keep" | "undo">(
      "coeditor.rowKey",
      this.tree.view,
      (row) => row.kind !== "turn",
      (how, rows) => (how === "keep" ? keep : undo)(chosenHunks(rows)),
    );
    return vscode.Disposable.from(
      keys,
      vscode.commands.registerCommand(OPEN_ROW, (node: ChangeNode) => keys.taken(node) ?? this.open(node)),
      ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`coeditor.${name}`, run)),
    );
  }

  /** What a view, lens or hover names; in the view with its whole selection. */
  private chosen(one: Argument, many: ChangeNode[] | undefined): Hunk[] | undefined {
    if (one === undefined && this.tree.view.visible && this.tree.view.selection.length > 0) {
      return chosenHunks(this.tree.view.selection);
    }
    if (one !== undefined && "kind" in one) {
      return chosenHunks(many ?? [one]);
    }
    if (one !== undefined && "hunk" in one) {
      return this.all().filter(({ hunk }) => hunk === one.hunk);
    }
    return undefined;
  }

  private all(): Hunk[] {
    return this.reviews.review.files.flatMap(({ hunks }) => hunks);
  }

  private ofFile(one: Argument): Hunk[] {
    const uri = one instanceof vscode.Uri ? one : vscode.window.activeTextEditor?.document.uri;
    return uri === undefined ? [] : [...(this.reviews.fileOf(uri)?.hunks ?? [])];
  }

  private atCursor(): Hunk[] {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      return [];
    }
    const lines = linesOf(editor.document);
    const { start, end } = editor.selection;
    return this.ofFile(editor.document.uri).filter((hunk) => {
      const place = placeOf(hunk, lines);
      return place !== undefined && place.first <= end.line && place.last >= start.line;
    });
  }

  private async pickTurn(): Promise<Hunk[]> {
    const rows = groupsOf(this.reviews.review).map((group) => {
      const { label, description } = groupWords(group, this.nameOfSession);
      return { label, description, group };
    });
    const [only] = rows;
    const found = rows.length > 1 ? await vscode.window.showQuickPick(rows, { title: "Which turn?" }) : only;
    return found === undefined ? [] : hunksOf(found.group);
  }

  private async keep(hunks: Hunk[]): Promise<void> {
    await this.tried(hunks, "Keeping", () => this.reviews.keep(hunks));
  }

  private async undo(hunks: Hunk[]): Promise<void> {
    const files = this.partsOf(hunks);
    if (files.length > 1) {
      const question = `Undo ${hunks.length} changes of agents in ${files.length} files?`;
      const detail = "Each file gets back what stood there. What you typed elsewhere stays.";
      const said = await vscode.window.showWarningMessage(question, { modal: true, detail }, "Undo");
      if (said !== "Undo") {
        return;
      }
    }
    await this.tried(hunks, "Undoing", () => this.reviews.undo(hunks));
  }

  private async diff(hunks: Hunk[]): Promise<void> {
    const parts = this.partsOf(hunks);
    const [first] = parts;
    if (first === undefined) {
      this.nothing();
    } else if (parts.length === 1) {
      await this.comparing.showFile({ file: first.file, hunks: first.file.hunks }, hunks[0]);
    } else {
      const group = groupsOf(this.reviews.review).find((one) => hunksOf(one).length === hunks.length);
      const title = group === undefined ? "What agents changed" : groupWords(group, this.nameOfSession).label;
      await this.comparing.showAll(title, parts);
    }
  }

  private partsOf(hunks: readonly Hunk[]): Part[] {
    const wanted = new Set(hunks.map(({ hunk }) => hunk));
    return this.reviews.review.files
      .map((file) => ({ file, hunks: file.hunks.filter(({ hunk }) => wanted.has(hunk)) }))
      .filter((part) => part.hunks.length > 0);
  }

  /** With progress where it takes time, and with what stands in the way where it cannot be done. */
  private async tried(hunks: readonly Hunk[], title: string, act: () => Promise<void>): Promise<void> {
    if (hunks.length === 0) {
      this.nothing();
      return;
    }
    try {
      await vscode.window.withProgress({ location: { viewId: "coeditor.changes" }, title }, act);
    } catch (error) {
      if (error instanceof Refusal && error.code === "INVALID_ARGUMENT") {
        vscode.window.setStatusBarMessage("Coeditor: that change is not as it was shown any more.", SHOWN_MS);
      } else {
        await this.explain(Refusal.of(error));
      }
    }
  }

  private async explain({ message, path }: Refusal): Promise<void> {
    const buttons = path === undefined ? [] : ["Show"];
    const said = await vscode.window.showWarningMessage(`Coeditor: ${message}`, ...buttons);
    if (said !== undefined && path !== undefined) {
      await vscode.window.showTextDocument(uriOfPath(path));
    }
  }

  private nothing(): void {
    vscode.window.setStatusBarMessage("Coeditor: no change of an agent waits for you here.", SHOWN_MS);
  }

  private open(node: ChangeNode): Promise<void> {
    return node.kind === "hunk" ? this.goTo(node) : this.diff(chosenHunks([node]));
  }

  private async goTo(one: ChangeNode & { kind: "hunk" }): Promise<void> {
    if (one.hunk.kind === "delete") {
      await this.comparing.showFile(one.of, one.hunk);
    } else {
      await reveal(uriOfPath(one.of.file.file_path), one.hunk);
    }
  }

  /** To the next hunk after the cursor, in the next file after the last one of this. */
  private async step(by: 1 | -1): Promise<void> {
    const places = this.reviews.review.files
      .filter(({ operation }) => operation !== "delete")
      .flatMap((file) => {
        const target = uriOfPath(file.file_path);
        return file.hunks.map((hunk) => ({ uri: target.toString(), line: hunk.start_line - 1, target, hunk }));
      });
    if (places.length === 0) {
      this.nothing();
      return;
    }
    const editor = vscode.window.activeTextEditor;
    const cursor = {
      uri: editor?.document.uri.toString() ?? "",
      line: editor?.selection.active.line ?? 0,
      lines: editor?.document.lineCount ?? 1,
    };
    const found = nextPlace(places, cursor, by);
    if (found !== undefined) {
      await reveal(found.target, found.hunk);
      const where = `${pathForPeople(found.target)}, line ${found.hunk.start_line}`;
      vscode.window.setStatusBarMessage(`Coeditor: ${where}`, SHOWN_MS);
    }
  }
}

const SHOWN_MS = 5_000;

async function reveal(uri: vscode.Uri, hunk: Hunk): Promise<void> {
  const editor = await vscode.window.showTextDocument(uri);
  const line = Math.min(hunk.start_line, editor.document.lineCount) - 1;
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
