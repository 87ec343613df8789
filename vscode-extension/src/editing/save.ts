/** Saving what an agent's edit made, and nothing else. */
import { utimes } from "node:fs/promises";
import type * as vscode from "vscode";
import type { AppliedDocument } from "../protocol";
import type { Ready } from "./apply";
import { nextTurn, textOnDisk } from "./documents";
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
    if (done) {
      await followDisk(document);
    }
    return done;
  } catch {
    return false;
  }
}

/** Texts with more characters are not read again after each save. */
const FOLLOWED_CHARACTERS = 1 << 20;

/**
 * Has VS Code reload a saved document whose file another program wrote between VS Code's write and its look at the
 * file's time: it takes that time for its own and would show the text before for good. A newer time makes it look.
 */
async function followDisk(document: vscode.TextDocument): Promise<void> {
  if (document.uri.scheme !== "file" || document.getText().length > FOLLOWED_CHARACTERS) {
    return;
  }
  const disk = await textOnDisk(document);
  if (disk !== undefined && !document.isDirty && disk !== document.getText()) {
    const now = new Date();
    await utimes(document.uri.fsPath, now, now);
  }
}
