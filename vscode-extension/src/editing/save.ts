/** Saving what an agent's edit made, and nothing else. */
import type * as vscode from "vscode";
import type { AppliedDocument } from "../protocol";
import type { Ready } from "./apply";
import { nextTurn } from "./documents";
import { hashOf } from "./hash";

/**
 * Saves the document by the policy that came with the edit and says how it stands then. `made` is the text right
 * after the edit: when the person has typed since, the document is left unsaved.
 */
export async function saveAfterEdit(one: Ready, made: string): Promise<AppliedDocument> {
  const { asked, document } = one;
  const mayWrite = asked.save === "always" || (asked.save === "when-clean" && one.wasClean);
  let saved = false;
  let formatted = false;
  if (mayWrite && !document.isUntitled && document.getText() === made) {
    saved = (await saveNow(document)) && !document.isDirty;
    formatted = saved && document.getText() !== made;
  }
  return {
    uri: asked.uri,
    version: document.version,
    hash: hashOf(document.getText()),
    dirty: document.isDirty,
    saved,
    formatted,
  };
}

/** Whether VS Code wrote the document; false too when the disk has moved on under it. */
export async function saveNow(document: vscode.TextDocument): Promise<boolean> {
  try {
    const done = await document.save();
    await nextTurn();
    return done;
  } catch {
    return false;
  }
}
