/**
 * The commands that run Coeditor's own: an agent is set up, after what would change was shown; what is wrong is found.
 *
 * Never: a file of an agent touched here; `coeditor setup` does that, and takes it back.
 */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { run } from "../server/programs";
import type { Supervisor } from "../server/supervisor";
import { AGENTS } from "./agentNames";
import type { Reports } from "./reports";

const TITLE = "Set Up an Agent";

export async function setUpAgent(server: Supervisor, reports: Reports): Promise<void> {
  const items = AGENTS.map(([name, label]) => ({ label, description: name, name }));
  const agent = await vscode.window.showQuickPick(items, { title: TITLE, placeHolder: "The agent to set up" });
  const scope = agent === undefined ? undefined : await pickScope();
  if (agent === undefined || scope === undefined) {
    return;
  }
  const words = ["setup", agent.name, ...scope];
  const planned = await coeditor(server, [...words, "--dry-run"]);
  if (!planned.output.includes("would be ")) {
    await reports.show(`Setup of ${agent.label}.diff`, planned.output);
    void vscode.window.showInformationMessage(
      planned.code === 0 ? `${agent.label} is set up already.` : `${agent.label} was left as it is; the report says why.`,
    );
    return;
  }
  await reports.show(`Setup of ${agent.label}.diff`, planned.output);
  const write = { label: "$(check) Write these changes", detail: "Take them back with coeditor setup --undo." };
  const answer = await vscode.window.showQuickPick([write, { label: "$(close) Change nothing" }], {
    title: `${TITLE}: ${agent.label}`,
    placeHolder: "The document shows what would change",
    ignoreFocusOut: true,
  });
  if (answer !== write) {
    return;
  }
  const done = await coeditor(server, words);
  await reports.show(`Setup of ${agent.label}.diff`, done.output);
  if (done.code === 0) {
    void vscode.window.showInformationMessage(`${agent.label} is set up. Start it anew to use Coeditor.`);
  } else {
    void vscode.window.showWarningMessage(`Some files of ${agent.label} were left alone; the report says why.`);
  }
}

export async function runDoctor(server: Supervisor, reports: Reports): Promise<void> {
  const options = { location: vscode.ProgressLocation.Window, title: "Coeditor: looking for problems" };
  const { code, output } = await vscode.window.withProgress(options, () => coeditor(server, ["doctor"]));
  await reports.show("Coeditor Doctor.txt", output);
  if (code === 0) {
    void vscode.window.showInformationMessage("Coeditor's doctor found nothing wrong.");
  } else {
    void vscode.window.showWarningMessage("Coeditor's doctor found problems; the report says what to do.");
  }
}

/** Undefined when the person changed their mind. */
async function pickScope(): Promise<string[] | undefined> {
  const folder = folderPath();
  const all = { label: "For me", description: "in every project", words: [] as string[] };
  if (folder === undefined) {
    return all.words;
  }
  const here = { label: "For this project", description: folder, words: ["--project"] };
  return (await vscode.window.showQuickPick([all, here], { title: TITLE, placeHolder: "Where it is to hold" }))?.words;
}

async function coeditor(server: Supervisor, words: string[]): Promise<{ code: number | null; output: string }> {
  const [program, ...args] = server.program ?? [];
  if (program === undefined) {
    throw new Error("Coeditor's program was not found yet. The command `Coeditor: Show Log` tells why.");
  }
  return run([program, ...args, ...words], { cwd: folderPath() ?? homedir() });
}

function folderPath(): string | undefined {
  return vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
}
