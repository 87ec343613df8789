/**
 * Deleting and renaming files that are open, as VS Code does it itself: tabs and undo go along, and extensions that
 * take part (those that put imports right) are asked before.
 *
 * All is checked in the same synchronous step that hands it to VS Code. VS Code deletes a file over typing of which this
 * side learns too late; such typing is put into the document again, once the server has brought the file back.
 * Never: a file whose document holds another text than was meant.
 */
import * as vscode from "vscode";
import type { FileOperation, FileOperationsParams, FileOperationsResult, RefusedDocument } from "../protocol";
import { findDocument, nextTurn } from "./documents";
import { hashOf } from "./hash";

/** How long the server may take to bring a file back, in ms. */
const BACK_MS = 10_000;
const COPY = "Copy What You Typed";

/** Makes all of it or says why not; what was made when a later one fails, the server takes back. */
export async function operate(params: FileOperationsParams): Promise<FileOperationsResult> {
  try {
    await nextTurn();
    if (Date.now() > params.expires) {
      return refusal("the server no longer waits", []);
    }
    const refused = params.operations.map(refusedNow).filter((one) => one !== undefined);
    if (refused.length > 0) {
      return refusal("a document is not as expected", refused);
    }
    // From the check to the call nothing is awaited: no event can change a document in between.
    const deleted = params.operations.filter(({ kind }) => kind === "delete").map(watched);
    if (!(await vscode.workspace.applyEdit(editOf(params)))) {
      return refusal("VS Code, or one of its extensions, did not do it", []);
    }
    await nextTurn(); // documents that closed and opened are on their way to the server before this answer
    const typed = deleted.filter(({ operation, document }) => hashOf(document.getText()) !== operation.before);
    for (const { document } of typed) {
      void bringBack(document.uri, document.getText());
    }
    return typed.length === 0
      ? { applied: true }
      : refusal("the person typed at the same moment", typed.map(({ operation }) => ({ uri: operation.uri, why: "changed" })));
  } catch (error) {
    return refusal(String(error), []);
  }
}

function refusedNow({ uri, before }: FileOperation): RefusedDocument | undefined {
  const document = findDocument(uri);
  if (document === undefined) {
    return { uri, why: "closed" };
  }
  const hash = hashOf(document.getText());
  return before !== undefined && (document.isDirty || hash !== before) ? { uri, why: "changed", hash } : undefined;
}

function watched(operation: FileOperation): { operation: FileOperation; document: vscode.TextDocument } {
  const document = findDocument(operation.uri);
  if (document === undefined) {
    throw new Error("it is not open");
  }
  return { operation, document };
}

function editOf({ operations, label }: FileOperationsParams): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  const metadata = { needsConfirmation: false, label };
  for (const one of operations) {
    const uri = vscode.Uri.parse(one.uri, true);
    if (one.new_uri === undefined) {
      edit.deleteFile(uri, { recursive: false, ignoreIfNotExists: false }, metadata);
    } else {
      edit.renameFile(uri, vscode.Uri.parse(one.new_uri, true), { overwrite: false, ignoreIfExists: false }, metadata);
    }
  }
  return edit;
}

/**
 * Typing that a delete ran over: back in its document, unsaved; in one without a file if that does not come back or
 * does not take it. Where nothing takes it, the person is offered it: what they typed is never dropped silently.
 */
async function bringBack(uri: vscode.Uri, typed: string): Promise<void> {
  const name = vscode.workspace.asRelativePath(uri);
  try {
    if (await putBack(uri, typed)) {
      return;
    }
    await show(await vscode.workspace.openTextDocument({ content: typed }));
    void vscode.window.showWarningMessage(
      `Coeditor: ${name} was deleted while you typed in it. What you typed is in a new document without a file.`,
    );
  } catch (error) {
    const text = `Coeditor: ${name} was deleted while you typed in it, and what you typed could not be put back: ${String(error)}`;
    if ((await vscode.window.showErrorMessage(text, COPY)) === COPY) {
      await vscode.env.clipboard.writeText(typed);
    }
  }
}

/** Whether the file's document holds what was typed again. */
async function putBack(uri: vscode.Uri, typed: string): Promise<boolean> {
  try {
    if (!(await isThere(uri))) {
      return false;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), typed);
    if (!(await vscode.workspace.applyEdit(edit))) {
      return false;
    }
    await show(document).catch(() => undefined); // VS Code shows what is unsaved by itself
    return true;
  } catch {
    return false;
  }
}

async function show(document: vscode.TextDocument): Promise<void> {
  await vscode.window.showTextDocument(document, { preview: false });
}

async function isThere(uri: vscode.Uri): Promise<boolean> {
  const folder = new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), uri.path.split("/").at(-1) ?? "*");
  const watcher = vscode.workspace.createFileSystemWatcher(folder, false, true, true);
  const exists = (): Promise<boolean> =>
    Promise.resolve(vscode.workspace.fs.stat(uri)).then(() => true, () => false);
  let timer: NodeJS.Timeout | undefined;
  try {
    const created = new Promise<void>((resolve) => {
      watcher.onDidCreate(() => { resolve(); });
      timer = setTimeout(resolve, BACK_MS);
    });
    if (!(await exists())) {
      await created;
    }
    return await exists();
  } finally {
    clearTimeout(timer);
    watcher.dispose();
  }
}

function refusal(failureReason: string, refused: RefusedDocument[]): FileOperationsResult {
  return { applied: false, failureReason, refused };
}
