/** The person's settings and the repository's, as the server is told of them when it starts. */
import * as vscode from "vscode";

const SECTION = "coeditor";
/** Settings of this extension itself, by the start of their names. */
const OWN = ["server.", "chat.", "review."];

export interface ServerSettings {
  /** What the person set, for all windows. */
  settings: Record<string, unknown>;
  /** What the workspace sets, which may be the repository's. */
  workspaceSettings: Record<string, unknown>;
}

export function serverCommand(): string[] {
  const found = vscode.workspace.getConfiguration(SECTION).get<unknown>("server.command");
  return Array.isArray(found) ? found.filter((word) => typeof word === "string") : [];
}

export function isWanted(name: "chat.mcpServer"): boolean {
  return vscode.workspace.getConfiguration(SECTION).get<boolean>(name, false);
}

/** Only what somebody set: a default of VS Code's must not win over the person's own files. */
export function serverSettings(extension: vscode.Extension<unknown>): ServerSettings {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const found: ServerSettings = { settings: {}, workspaceSettings: {} };
  for (const name of namesOf(extension)) {
    const values = configuration.inspect(name);
    if (values?.globalValue !== undefined) {
      found.settings[name] = values.globalValue;
    }
    if (values?.workspaceValue !== undefined) {
      found.workspaceSettings[name] = values.workspaceValue;
    }
  }
  return found;
}

interface Manifest {
  contributes: { configuration: { properties: Record<string, unknown> } };
}

function namesOf(extension: vscode.Extension<unknown>): string[] {
  const { properties } = (extension.packageJSON as Manifest).contributes.configuration;
  const names = Object.keys(properties).map((name) => name.slice(SECTION.length + 1));
  return names.filter((name) => !OWN.some((start) => name.startsWith(start)));
}
