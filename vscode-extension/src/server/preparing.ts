/** Which program serves, made ready with progress shown where it is not there yet. */
import * as vscode from "vscode";
import { chooseCommand } from "./command";
import { bundledWheel, makeEnvironment, readyEnvironment } from "./environment";
import { isExecutable } from "./programs";
import { serverCommand } from "./settings";

/** The words that run the server. Errors: sentences with what to do. */
export async function serverWords(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<[string, ...string[]]> {
  const storage = context.globalStorageUri.fsPath;
  const wheel = bundledWheel(context.extensionPath);
  const around = { setting: serverCommand(), path: process.env.PATH, isExecutable, wheel };
  const found = chooseCommand({ ...around, ready: readyEnvironment(storage, wheel) });
  switch (found.kind) {
    case "command":
      return found.words;
    case "make":
      return [await makeShown(storage, found.wheel, log), "serve"];
    case "none":
      throw new Error(found.remedy);
  }
}

async function makeShown(storage: string, wheel: string, log: vscode.LogOutputChannel): Promise<string> {
  const options = { location: vscode.ProgressLocation.Notification, title: "Coeditor", cancellable: true };
  return vscode.window.withProgress(options, async (progress, cancelled) => {
    const abort = new AbortController();
    const listener = cancelled.onCancellationRequested(() => { abort.abort(); });
    try {
      return await makeEnvironment(storage, wheel, {
        path: process.env.PATH,
        signal: abort.signal,
        report: (message) => { progress.report({ message }); },
        note: (text) => { log.info(text); },
      });
    } catch (error) {
      throw abort.signal.aborted ? new Error("Making Coeditor's environment was cancelled.") : error;
    } finally {
      listener.dispose();
    }
  });
}
