/** What the server is asked for the person, and paths and errors of its answers as VS Code has them. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** The document that a `file_path` names: a path, or the URI of a document without a file. */
export function uriOfPath(path: string): vscode.Uri {
  return path.startsWith("untitled:") ? vscode.Uri.parse(path, true) : vscode.Uri.file(path);
}

/** How a person knows the file: below its workspace folder. */
export function pathForPeople(uri: vscode.Uri): string {
  return uri.scheme === "file" ? vscode.workspace.asRelativePath(uri) : uri.path;
}

/** The server's error object. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly path?: string,
  ) {
    super(message);
  }

  /** What an error of a request says. */
  static of(error: unknown): Refusal {
    if (error instanceof Refusal) {
      return error;
    }
    const data = (error as { data?: { code?: string; message?: string; file_path?: string } } | undefined)?.data;
    const message = data?.message ?? (error instanceof Error ? error.message : String(error));
    return new Refusal(data?.code ?? "INTERNAL", message, data?.file_path);
  }
}

/** The server's answer to what the person asks, not an agent. Errors: a Refusal. */
export async function askAsPerson<T>(client: LanguageClient | undefined, method: string, params: object): Promise<T> {
  if (client === undefined) {
    throw new Refusal("NO_SERVER", "Coeditor's server does not run.");
  }
  try {
    return await client.sendRequest<T>(method, { person: true, ...params });
  } catch (error) {
    throw Refusal.of(error);
  }
}
