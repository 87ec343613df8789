/** Marks the lines that agents changed and nobody has looked at: gutter, overview ruler, and who, when and why on hover. */
import * as vscode from "vscode";
import { lastEdit, placeOf } from "../review/groups";
import type { Reviews } from "../review/reviews";
import type { Hunk, ReviewedFile } from "../review/types";
import { hunkOrigin, signs } from "../review/words";
import { whenText } from "./moments";

/** The commands that a hover may run. */
const LINKS = { enabledCommands: ["coeditor.keepHunk", "coeditor.undoHunk", "coeditor.diffHunk"] };

export class Decorations implements vscode.Disposable {
  private readonly changedLines: vscode.TextEditorDecorationType;
  private readonly removedLines: vscode.TextEditorDecorationType;
  private readonly listeners: vscode.Disposable;

  constructor(
    extension: vscode.Uri,
    private readonly reviews: Reviews,
    private readonly nameOfSession: (session: string) => string | undefined,
  ) {
    const icon = (name: string): vscode.Uri => vscode.Uri.joinPath(extension, "media", `${name}.svg`);
    const ruler = {
      overviewRulerColor: new vscode.ThemeColor("coeditor.pendingOverviewRuler"),
      overviewRulerLane: vscode.OverviewRulerLane.Center,
    };
    this.changedLines = vscode.window.createTextEditorDecorationType({
      ...ruler,
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor("coeditor.pendingBackground"),
      light: { gutterIconPath: icon("pending-light"), gutterIconSize: "contain" },
      dark: { gutterIconPath: icon("pending-dark"), gutterIconSize: "contain" },
    });
    this.removedLines = vscode.window.createTextEditorDecorationType({
      ...ruler,
      isWholeLine: true,
      borderColor: new vscode.ThemeColor("coeditor.pendingBorder"),
      borderStyle: "dashed",
      borderWidth: "1px 0 0 0",
      light: { gutterIconPath: icon("removed-light"), gutterIconSize: "contain" },
      dark: { gutterIconPath: icon("removed-dark"), gutterIconSize: "contain" },
    });
    const showAll = (): void => {
      for (const editor of vscode.window.visibleTextEditors) {
        this.show(editor);
      }
    };
    this.listeners = vscode.Disposable.from(
      reviews.onDidChange(showAll),
      vscode.window.onDidChangeVisibleTextEditors(showAll),
    );
  }

  dispose(): void {
    this.listeners.dispose();
    this.changedLines.dispose();
    this.removedLines.dispose();
  }

  /** Where the text is not the one that the server spoke of, it speaks again in a moment. */
  private show(editor: vscode.TextEditor): void {
    const { document } = editor;
    const file = this.reviews.fileOf(document.uri);
    const lines = file === undefined ? [] : linesOf(document);
    const changed: vscode.DecorationOptions[] = [];
    const removed: vscode.DecorationOptions[] = [];
    for (const hunk of file?.hunks ?? []) {
      const place = placeOf(hunk, lines);
      if (place === undefined || file === undefined) {
        continue;
      }
      const range = new vscode.Range(place.first, 0, place.last, document.lineAt(place.last).text.length);
      const options = { range, hoverMessage: this.hover(file, hunk) };
      (hunk.kind === "lines" && hunk.end_line < hunk.start_line ? removed : changed).push(options);
    }
    editor.setDecorations(this.changedLines, changed);
    editor.setDecorations(this.removedLines, removed);
  }

  private hover(file: ReviewedFile, hunk: Hunk): vscode.MarkdownString {
    const text = new vscode.MarkdownString(undefined, true);
    text.isTrusted = LINKS;
    text.appendMarkdown("$(edit) **");
    text.appendText(hunkOrigin(hunk, this.nameOfSession));
    text.appendMarkdown("** ");
    const edit = lastEdit(hunk);
    text.appendText(`${whenText(edit?.time)}, ${edit?.tool ?? "edit"} (${signs(hunk)})`);
    const others = hunk.edits.length - 1;
    if (others > 0) {
      text.appendText(`, over ${others} earlier ${others === 1 ? "edit" : "edits"}`);
    }
    text.appendMarkdown(`\n\n${link("Keep", "check", "coeditor.keepHunk", hunk)}`);
    if (hunk.undoable) {
      text.appendMarkdown(` &nbsp; ${link("Undo", "discard", "coeditor.undoHunk", hunk)}`);
    }
    text.appendMarkdown(` &nbsp; ${link("Diff", "diff", "coeditor.diffHunk", hunk)}`);
    if (hunk.kind === "lines" && hunk.before !== "") {
      text.appendMarkdown("\n\nBefore:\n");
      text.appendCodeblock(hunk.before.slice(0, MOST_SHOWN).replace(/\s+$/, ""), languageOf(file));
    }
    return text;
  }
}

const MOST_SHOWN = 1_000;

function languageOf(file: ReviewedFile): string {
  return /\.(\w+)$/.exec(file.file_path)?.[1] ?? "";
}

function link(title: string, icon: string, command: string, hunk: Hunk): string {
  const argument = encodeURIComponent(JSON.stringify([{ hunk: hunk.hunk }]));
  return `[$(${icon}) ${title}](command:${command}?${argument} "${title} this change")`;
}

export function linesOf(document: vscode.TextDocument): string[] {
  return document.getText().split(/\r\n|\n|\r/);
}
