/**
 * The checked edit of an open notebook: its cells are changed only while all of them are as the server knows them.
 *
 * New text goes into the cell that is there, so that cursor and undo stay. A cell that has results is made anew without
 * them, since nothing else takes them away in the same step; so is what comes, goes or changes its kind. All of it is
 * one workspace edit, and so one step of undo. Never: a save of what the person had not saved.
 */
import * as vscode from "vscode";
import type { NewCell, NotebookEditParams, NotebookEditResult, RefusedBecause, ReloadResult, SaveResult } from "../protocol";
import { nextTurn } from "./documents";
import { hashOf } from "./hash";

const RELOAD_MS = 3_000;

/** The open notebook with exactly this URI, in whatever way it is escaped; undefined when it is not open as one. */
export function findNotebook(uri: string): vscode.NotebookDocument | undefined {
  const wanted = vscode.Uri.parse(uri, true).toString();
  return vscode.workspace.notebookDocuments.find((one) => !one.isClosed && one.uri.toString() === wanted);
}

/** Applies all of the edit or nothing; every failure is an answer, never an exception. */
export async function applyToNotebook(params: NotebookEditParams): Promise<NotebookEditResult> {
  try {
    await nextTurn();
    const notebook = findNotebook(params.uri);
    if (notebook === undefined) {
      return refusal("closed", "the notebook is not open");
    }
    if (Date.now() > params.expires) {
      return refusal("expired", "the server no longer waits");
    }
    if (!isAsKnown(notebook, params)) {
      return refusal("changed", "a cell is not as expected");
    }
    if (vscode.workspace.fs.isWritableFileSystem(notebook.uri.scheme) === false) {
      return refusal("readonly", "the notebook is read-only");
    }
    const clean = !notebook.isDirty;
    // From the check to the call nothing is awaited: no event can change a cell in between.
    const applied = await vscode.workspace.applyEdit(editOf(notebook, params));
    await nextTurn(); // the changes are on their way to the server before this answer
    return applied ? { applied: true, clean, version: notebook.version } : refusal("failed", "VS Code did not apply it");
  } catch (error) {
    return refusal("failed", String(error));
  }
}

/** Saves the notebook while its cells have these hashes. */
export async function saveNotebook(notebook: vscode.NotebookDocument, cells: readonly string[]): Promise<SaveResult> {
  const same = JSON.stringify(notebook.getCells().map((cell) => hashOf(cell.document.getText()))) === JSON.stringify(cells);
  if (!same) {
    return { saved: false, reason: "the person has typed since", ...standing(notebook) };
  }
  const done = !notebook.isDirty || (await notebook.save());
  await nextTurn();
  return done && !notebook.isDirty
    ? { saved: true, ...standing(notebook) }
    : { saved: false, reason: "VS Code did not save it; the file on disk may have changed", ...standing(notebook) };
}

/** Waits until a saved notebook has taken up what was written below it. */
export async function reloadNotebook(notebook: vscode.NotebookDocument): Promise<ReloadResult> {
  if (!notebook.isDirty) {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        listener.dispose();
        resolve();
      };
      const timer = setTimeout(end, RELOAD_MS);
      const listener = vscode.workspace.onDidChangeNotebookDocument((event) => {
        if (event.notebook === notebook) {
          end();
        }
      });
    });
    await nextTurn();
  }
  return standing(notebook);
}

function isAsKnown(notebook: vscode.NotebookDocument, { cells }: NotebookEditParams): boolean {
  const shown = notebook.getCells();
  return (
    shown.length === cells.length &&
    shown.every((cell, at) => hashOf(cell.document.getText()) === cells[at]?.hash)
  );
}

function editOf(notebook: vscode.NotebookDocument, params: NotebookEditParams): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  const cells: vscode.NotebookEdit[] = [];
  for (const { index, edits, text, clear } of params.sources) {
    const cell = notebook.cellAt(index);
    if (clear && hasResults(cell)) {
      const data = new vscode.NotebookCellData(cell.kind, text, cell.document.languageId);
      data.metadata = { ...cell.metadata, ...("execution_count" in cell.metadata ? { execution_count: null } : {}) };
      cells.push(vscode.NotebookEdit.replaceCells(new vscode.NotebookRange(index, index + 1), [data]));
    } else {
      edit.set(cell.document.uri, edits.map((one) => new vscode.TextEdit(rangeOf(one.range), one.newText)));
    }
  }
  for (const { start, delete: count, cells: made } of params.splices) {
    cells.push(vscode.NotebookEdit.replaceCells(new vscode.NotebookRange(start, start + count), made.map(dataOf)));
  }
  if (cells.length > 0) {
    edit.set(notebook.uri, cells.sort((a, b) => b.range.start - a.range.start));
  }
  return edit;
}

function hasResults(cell: vscode.NotebookCell): boolean {
  const counted = cell.executionSummary?.executionOrder ?? (cell.metadata as { execution_count?: number | null }).execution_count;
  return cell.outputs.length > 0 || (counted ?? 0) > 0;
}

function dataOf(cell: NewCell): vscode.NotebookCellData {
  const kind = cell.kind === "markdown" ? vscode.NotebookCellKind.Markup : vscode.NotebookCellKind.Code;
  const data = new vscode.NotebookCellData(kind, cell.text, cell.language);
  data.metadata = { metadata: {}, ...(cell.id === undefined ? {} : { id: cell.id }) };
  return data;
}

function rangeOf({ start, end }: NotebookEditParams["sources"][number]["edits"][number]["range"]): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function standing(notebook: vscode.NotebookDocument): ReloadResult {
  return { version: notebook.version, hash: "", dirty: notebook.isDirty };
}

function refusal(why: RefusedBecause, failureReason: string): NotebookEditResult {
  return { applied: false, why, failureReason };
}
