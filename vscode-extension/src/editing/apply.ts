/**
 * The checked apply: a workspace edit of the server is applied only to the very texts that it was made for.
 *
 * Check and apply are one synchronous step here, and VS Code's window compares the document versions once more, so
 * that a key pressed in between makes the edit fail instead of moving it. Before answering, each text is compared
 * with the one that was to come out, and documents that were saved before are saved again.
 * Never: a save of what the person had not saved.
 */
import * as vscode from "vscode";
import type { ApplyWorkspaceEditParams, ApplyWorkspaceEditResult } from "vscode-languageclient/node";
import type { CheckedApply, CheckedDocument, CheckedResult, RefusedBecause, RefusedDocument } from "../protocol";
import { watchChange, type Watch } from "./changes";
import { findDocument, isReadonly, nextTurn } from "./documents";
import { hashOf } from "./hash";
import { predict, type TextEdit } from "./predict";
import { saveAfterEdit } from "./save";
import type { Settling } from "./settling";

/** What the middleware needs of the language client. */
export interface Converter {
  asWorkspaceEdit(edit: ApplyWorkspaceEditParams["edit"]): Promise<vscode.WorkspaceEdit | undefined>;
}

/** A document that passed the check. */
export interface Ready {
  asked: CheckedDocument;
  document: vscode.TextDocument;
  wasClean: boolean;
}

type Watched = Ready & { watch: Watch };

/** How long the window's own change may stay out after it said that it applied an edit, in ms. */
const CONFIRM_MS = 5_000;
/** How long a key press that made the window refuse may take to get here, in ms. */
const REFUSED_MS = 200;
const TRIES = 3;

/** The field of ours in the params, if the server asks for a checked apply. */
export function checkedApplyOf(params: ApplyWorkspaceEditParams): CheckedApply | undefined {
  const found = (params as { coeditor?: CheckedApply }).coeditor;
  return Array.isArray(found?.documents) ? found : undefined;
}

/** Applies all of the edit or nothing; every failure is an answer, never an exception. */
export async function applyChecked(
  params: ApplyWorkspaceEditParams,
  checked: CheckedApply,
  converter: Converter,
  settling: Settling,
): Promise<CheckedResult & ApplyWorkspaceEditResult> {
  try {
    const edit = await converter.asWorkspaceEdit(params.edit);
    if (edit === undefined) {
      return refusal(checked.documents.map(({ uri }) => ({ uri, why: "failed" })), "the edit is empty");
    }
    await Promise.all(checked.documents.map(({ uri }) => settled(uri, settling)));
    await nextTurn();
    for (let attempt = 1; ; attempt += 1) {
      const result = await tryOnce(params, checked, edit);
      if (result !== "again") {
        return result;
      }
      if (attempt === TRIES) {
        return refusal(checked.documents.map(refusedNow), "VS Code did not apply the edit");
      }
    }
  } catch (error) {
    return refusal(checked.documents.map(({ uri }) => ({ uri, why: "failed" })), String(error));
  }
}

async function settled(uri: string, settling: Settling): Promise<void> {
  const document = findDocument(uri);
  if (document !== undefined) {
    await settling.settled(document);
  }
}

async function tryOnce(
  params: ApplyWorkspaceEditParams,
  checked: CheckedApply,
  edit: vscode.WorkspaceEdit,
): Promise<(CheckedResult & ApplyWorkspaceEditResult) | "again"> {
  if (checked.expires !== undefined && Date.now() > checked.expires) {
    return refusal(checked.documents.map(({ uri }) => ({ uri, why: "expired" })), "the server no longer waits");
  }
  const ready: Ready[] = [];
  const refused: RefusedDocument[] = [];
  for (const asked of checked.documents) {
    const found = check(asked, editsOf(params, asked.uri));
    if ("why" in found) {
      refused.push(found);
    } else {
      ready.push(found);
    }
  }
  if (refused.length > 0) {
    return refusal(refused, "a document is not as expected");
  }
  // From the check to the call below nothing is awaited: no event can change a document in between.
  const watched = ready.map((one) => ({ ...one, watch: watchChange(one.document) }));
  try {
    if (!(await vscode.workspace.applyEdit(edit))) {
      return await afterRefusal(watched);
    }
    const made = await Promise.all(watched.map(confirmed));
    const documents = [];
    for (const { one, text } of made) {
      documents.push(await saveAfterEdit(one, text));
    }
    await nextTurn(); // the changes above are on their way to the server before this answer
    return { applied: true, coeditor: { documents } };
  } finally {
    for (const { watch } of watched) {
      watch.dispose();
    }
  }
}

/** Looks at one document, synchronously. */
function check(asked: CheckedDocument, edits: readonly TextEdit[]): Ready | RefusedDocument {
  const document = findDocument(asked.uri);
  if (document === undefined) {
    return { uri: asked.uri, why: "closed" };
  }
  const text = document.getText();
  const hash = hashOf(text);
  const refuse = (why: RefusedBecause): RefusedDocument => ({ uri: asked.uri, why, hash });
  if (hash !== asked.before) {
    return refuse("changed");
  }
  if (isReadonly(document)) {
    return refuse("readonly");
  }
  const outcome = predict(text, edits, document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n");
  if (outcome === undefined || hashOf(outcome) !== asked.after) {
    return refuse("failed"); // it would come out as another text than the server expects
  }
  return { asked, document, wasClean: !document.isDirty };
}

/** The window said no. A key press that it knew of earlier than we did is on its way; else the same is tried again. */
async function afterRefusal(ready: readonly Watched[]): Promise<(CheckedResult & ApplyWorkspaceEditResult) | "again"> {
  if (ready.length > 0) {
    await Promise.race(ready.map(({ watch }) => watch.seen(REFUSED_MS)));
  }
  const changed = ready.some(({ asked, document }) => hashOf(document.getText()) !== asked.before);
  if (!changed) {
    return "again";
  }
  return refusal(ready.map(({ asked }) => refusedNow(asked)), "the person typed at the same moment");
}

/** The text that the edit made; later typing may already have gone on from there. */
async function confirmed(one: Watched): Promise<{ one: Watched; text: string }> {
  const isChange = one.asked.before !== one.asked.after;
  const text = isChange ? await one.watch.seen(CONFIRM_MS) : undefined;
  return { one, text: text ?? one.document.getText() };
}

function refusedNow({ uri, before }: CheckedDocument): RefusedDocument {
  const document = findDocument(uri);
  if (document === undefined) {
    return { uri, why: "closed" };
  }
  const hash = hashOf(document.getText());
  return { uri, why: hash === before ? "failed" : "changed", hash };
}

function editsOf(params: ApplyWorkspaceEditParams, uri: string): TextEdit[] {
  const found: TextEdit[] = [];
  for (const change of params.edit.documentChanges ?? []) {
    if ("textDocument" in change && change.textDocument.uri === uri) {
      found.push(...(change.edits as TextEdit[]));
    }
  }
  return found;
}

function refusal(refused: RefusedDocument[], failureReason: string): CheckedResult & ApplyWorkspaceEditResult {
  return { applied: false, failureReason, coeditor: { refused } };
}
