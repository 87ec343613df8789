/** The person's settings, read when the server starts. */
import * as vscode from "vscode";

export function serverCommand(): string[] {
  const found = vscode.workspace.getConfiguration("coeditor").get<unknown>("server.command");
  return Array.isArray(found) ? found.filter((word) => typeof word === "string") : [];
}
