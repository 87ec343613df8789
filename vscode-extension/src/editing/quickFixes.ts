/** What this window's extensions offer to do about a problem: the title of the first quick fix. Never: applying one. */
import * as vscode from "vscode";
import type { QuickFixesParams, QuickFixesResult, WireProblem } from "../protocol";

export async function quickFixes(document: vscode.TextDocument, params: QuickFixesParams): Promise<QuickFixesResult> {
  const asked = params.diagnostics.map(async (problem) => {
    return document.version === params.version ? await titleOf(document, problem) : null;
  });
  return { titles: await Promise.all(asked) };
}

async function titleOf(document: vscode.TextDocument, problem: WireProblem): Promise<string | null> {
  const { start, end } = problem.range;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  try {
    const found = await vscode.commands.executeCommand<(vscode.CodeAction | vscode.Command)[] | undefined>(
      "vscode.executeCodeActionProvider", document.uri, range, vscode.CodeActionKind.QuickFix.value,
    );
    const fixes = (found ?? []).filter((one): one is vscode.CodeAction => fits(one, problem.message));
    return (fixes.find(({ isPreferred }) => isPreferred) ?? fixes[0])?.title ?? null;
  } catch {
    return null;
  }
}

/** Another problem may stand at the same place, and have fixes of its own. */
function fits(action: vscode.CodeAction | vscode.Command, message: string): boolean {
  if (!("kind" in action) || action.disabled !== undefined) {
    return false;
  }
  const about = action.diagnostics ?? [];
  return about.length === 0 || about.some((one) => one.message === message);
}
