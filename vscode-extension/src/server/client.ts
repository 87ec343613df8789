/**
 * The language client: what it offers the server, and how it takes the server's edits.
 *
 * Loaded when a server is started, since the library behind it is most of this extension. Never: a start, or an end.
 */
import * as vscode from "vscode";
import {
  CancellationToken,
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import { applyChecked, checkedApplyOf } from "../editing/apply";
import { answerRequests } from "../editing/requests";
import type { Settling } from "../editing/settling";
import { PROTOCOL, type ClientOptions } from "../protocol";
import { serverSettings } from "./settings";

export interface Run {
  words: [string, ...string[]];
  cwd: string;
}

export interface Heard {
  settling: Settling;
  /** The server ended by itself. */
  ended: () => void;
  /** The server shows remarks of its own in a document, or takes them away. */
  remarked: (uri: vscode.Uri) => void;
}

/** Not started yet; it answers the server's requests for as long as it lives. */
export function makeClient(
  extension: vscode.Extension<unknown>,
  log: vscode.LogOutputChannel,
  { words, cwd }: Run,
  heard: Heard,
): LanguageClient {
  const [command, ...args] = words;
  const client: LanguageClient = new QuietClient(
    "coeditor",
    "Coeditor",
    { command, args, options: { cwd } },
    options(extension, log, heard, () => client),
  );
  answerRequests(client);
  return client;
}

function options(
  extension: vscode.Extension<unknown>,
  log: vscode.LogOutputChannel,
  { settling, ended, remarked }: Heard,
  client: () => LanguageClient,
): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    outputChannel: log,
    initializationOptions: () => ({ coeditor: clientOptions(extension) }),
    stdioOptions: {
      stdout: () => undefined, // it carries the messages
      stderr: (input) => {
        input.setEncoding("utf8"); // a character may come in two pieces
        input.on("data", (data: string) => { log.info(data.trimEnd()); });
      },
    },
    middleware: {
      handleDiagnostics: (uri, diagnostics, next) => {
        remarked(uri);
        next(uri, diagnostics);
      },
      workspace: {
        handleApplyEdit: async (params, next) => {
          const checked = checkedApplyOf(params);
          return checked === undefined
            ? next(params, CancellationToken.None)
            : applyChecked(params, checked, client().protocol2CodeConverter, settling);
        },
      },
    },
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        ended();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    initializationFailedHandler: () => false,
  };
}

/** Writes to the log what it would say in messages of its own; the supervisor tells what the person should know. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function clientOptions(extension: vscode.Extension<unknown>): ClientOptions {
  return {
    protocol: PROTOCOL,
    checkedApply: true,
    documentState: true,
    save: true,
    reload: true,
    publishDiagnostics: true,
    quickFixes: true,
    fileOperations: true,
    notebooks: true,
    lenses: false,
    trusted: vscode.workspace.isTrusted,
    ...serverSettings(extension),
  };
}
