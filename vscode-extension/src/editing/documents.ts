/** Finding the documents that the server speaks of, and what their files hold. */
import * as vscode from "vscode";

/** The open document with exactly this URI, in whatever way it is escaped; undefined when it is not open. */
export function findDocument(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri, true).toString();
  return vscode.workspace.textDocuments.find((document) => !document.isClosed && document.uri.toString() === wanted);
}

/** Whether the server is told of this document at all. */
export function isMirrored(document: vscode.TextDocument): boolean {
  return document.uri.scheme === "file" || document.uri.scheme === "untitled";
}

export function isReadonly(document: vscode.TextDocument): boolean {
  return document.uri.scheme !== "untitled" && vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) === false;
}

/** Let messages that have already arrived, such as a change of the dirty flag, take effect first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What the file holds now, read as VS Code reads it; nothing when it cannot be read. */
export async function textOnDisk(document: vscode.TextDocument): Promise<string | undefined> {
  try {
    const bytes = await vscode.workspace.fs.readFile(document.uri);
    return await vscode.workspace.decode(bytes, { encoding: document.encoding });
  } catch {
    return undefined;
  }
}
