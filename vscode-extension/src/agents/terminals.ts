/**
 * What this window's terminals are told, so that agents in them find this window's server, and people the program.
 *
 * Never: a variable of an agent's own, or anything in front of what is on the person's PATH.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as vscode from "vscode";
import { METHOD_STATUS, type Status } from "../protocol";
import type { Supervisor } from "../server/supervisor";
import { launcher } from "./launcher";

const STATE = "COEDITOR_STATE_DIR";
const RUNTIME = "COEDITOR_RUNTIME_DIR";

export function tellTerminals(
  context: vscode.ExtensionContext,
  server: Supervisor,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const variables = context.environmentVariableCollection;
  variables.description = "Agents in this terminal work with this window's Coeditor.";
  return server.onDidStart((client) => {
    const told = client.sendRequest<Status>(METHOD_STATUS, {}).then((status) => {
      replace(variables, STATE, status.server.state);
      replace(variables, RUNTIME, status.server.runtime);
      const folder = programFolder(context.globalStorageUri.fsPath, server.program ?? []);
      const value = delimiter + folder;
      if (variables.get("PATH")?.value !== value) {
        variables.append("PATH", value);
      }
    });
    told.catch((error: unknown) => { log.debug(`terminals are not told of the server: ${String(error)}`); });
  });
}

/** Terminals that are open are marked as stale when a variable is set, so only what differs is. */
function replace(variables: vscode.EnvironmentVariableCollection, name: string, value: string): void {
  if (variables.get(name)?.value !== value) {
    variables.replace(name, value);
  }
}

/** A folder with nothing but `coeditor` in it: the environment's own has a Python, which is nobody else's business. */
function programFolder(storage: string, program: readonly string[]): string {
  const folder = join(storage, "bin");
  const file = join(folder, "coeditor");
  const text = launcher(program);
  mkdirSync(folder, { recursive: true });
  if (textOf(file) !== text) {
    writeFileSync(file, text, { mode: 0o755 });
  }
  return folder;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
