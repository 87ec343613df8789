/** The server's other requests: save, reload, the whole text of one document, and what fixes a problem. */
import * as vscode from "vscode";
import { ResponseError, type LanguageClient } from "vscode-languageclient/node";
import {
  METHOD_APPLY_NOTEBOOK_EDIT,
  METHOD_DOCUMENT_TEXT,
  METHOD_FILE_OPERATIONS,
  METHOD_QUICK_FIXES,
  METHOD_RELOAD,
  METHOD_SAVE,
  type DocumentParams,
  type DocumentTextResult,
  type FileOperationsParams,
  type QuickFixesParams,
  type NotebookEditParams,
  type ReloadParams,
  type ReloadResult,
  type SaveParams,
  type SaveResult,
} from "../protocol";
import { watchChange } from "./changes";
import { findDocument, nextTurn, textOnDisk } from "./documents";
import { operate } from "./fileOperations";
import { hashOf } from "./hash";
import { quickFixes } from "./quickFixes";
import { applyToNotebook, findNotebook, reloadNotebook, saveNotebook } from "./notebooks";
import { saveNow } from "./save";

/** VS Code follows the disk by itself within a fifth of a second; a loaded machine takes longer. In ms. */
const RELOAD_MS = 3_000;
const INVALID_PARAMS = -32602;

/** Answer these requests for as long as the client lives, also over restarts of the server. */
export function answerRequests(client: LanguageClient): vscode.Disposable {
  return vscode.Disposable.from(
    client.onRequest(METHOD_QUICK_FIXES, (params: QuickFixesParams) => quickFixes(documentOf(params), params)),
    client.onRequest(METHOD_FILE_OPERATIONS, (params: FileOperationsParams) => operate(params)),
    client.onRequest(METHOD_APPLY_NOTEBOOK_EDIT, (params: NotebookEditParams) => applyToNotebook(params)),
    client.onRequest(METHOD_SAVE, (params: SaveParams) => {
      const notebook = params.cells === undefined ? undefined : findNotebook(params.uri);
      return notebook === undefined
        ? save(documentOf(params), params.hash)
        : saveNotebook(notebook, params.cells ?? []);
    }),
    client.onRequest(METHOD_RELOAD, (params: ReloadParams) => {
      const notebook = findNotebook(params.uri);
      return notebook === undefined ? reload(documentOf(params), params.discard) : reloadNotebook(notebook);
    }),
    client.onRequest(METHOD_DOCUMENT_TEXT, (params: DocumentParams): DocumentTextResult => {
      const document = documentOf(params);
      return { version: document.version, text: document.getText(), dirty: document.isDirty };
    }),
  );
}

async function save(document: vscode.TextDocument, wanted: string | undefined): Promise<SaveResult> {
  if (wanted !== undefined && hashOf(document.getText()) !== wanted) {
    return { saved: false, reason: "the person has typed since", ...standing(document) };
  }
  if (document.isUntitled) {
    return { saved: false, reason: "the document has no file yet", ...standing(document) };
  }
  if (!document.isDirty) {
    return { saved: true, ...standing(document) };
  }
  const done = await saveNow(document);
  const now = standing(document);
  return done && !now.dirty
    ? { saved: true, ...now }
    : { saved: false, reason: "VS Code did not save it; the file on disk may have changed", ...now };
}

/**
 * Waits until a clean document shows what the disk has. VS Code's command for this reverts whatever is in the active
 * editor by force, also a key pressed a moment ago, so it is left to VS Code's own watcher.
 */
async function reload(document: vscode.TextDocument, discard: string | undefined): Promise<ReloadResult> {
  if (document.isDirty && discard !== undefined) {
    await revert(document, discard);
  }
  if (document.isDirty || document.isUntitled) {
    return standing(document);
  }
  const disk = await textOnDisk(document);
  const watch = watchChange(document, (text) => text === disk);
  try {
    if (disk !== undefined && document.getText() !== disk) {
      await watch.seen(RELOAD_MS);
    }
  } finally {
    watch.dispose();
  }
  return standing(document);
}

/**
 * Makes a document that holds `unwanted` and nothing else clean again. VS Code's command works on the active editor
 * only; a document elsewhere stays unsaved, for the person to decide about. Ctrl+Z brings back what it held.
 */
async function revert(document: vscode.TextDocument, unwanted: string): Promise<void> {
  const isActive = vscode.window.activeTextEditor?.document === document;
  if (isActive && hashOf(document.getText()) === unwanted) {
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await nextTurn();
  }
}

function standing(document: vscode.TextDocument): ReloadResult {
  return { version: document.version, hash: hashOf(document.getText()), dirty: document.isDirty };
}

function documentOf(params: DocumentParams): vscode.TextDocument {
  const document = findDocument(params.uri);
  if (document === undefined) {
    throw new ResponseError(INVALID_PARAMS, "this document is not open");
  }
  return document;
}
