/**
 * Keeps one server running for the open folder: starts it, starts it again when it ends, and says so once.
 *
 * Never: a second server beside the first, or a start without an open folder.
 */
import { mkdirSync } from "node:fs";
import * as vscode from "vscode";
import {
  CancellationToken,
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import { applyChecked, checkedApplyOf } from "../editing/apply";
import { PROTOCOL, type ClientOptions } from "../protocol";
import { Backoff } from "./backoff";
import { chooseCommand } from "./command";
import { bundledWheel, isExecutable, makeEnvironment, readyEnvironment } from "./environment";
import { serverCommand } from "./settings";

export class Supervisor implements vscode.Disposable {
  private readonly backoff = new Backoff();
  private readonly started = new vscode.EventEmitter<LanguageClient>();
  private readonly stopped = new vscode.EventEmitter<void>();
  private readonly created = new vscode.EventEmitter<LanguageClient>();
  /** A client was made: handlers can be registered, once for all starts of its server. */
  readonly onDidCreateClient = this.created.event;
  /** A server runs and has been told of the open documents. */
  readonly onDidStart = this.started.event;
  readonly onDidStop = this.stopped.event;
  private client: LanguageClient | undefined;
  private skipWait: (() => void) | undefined;
  private ending = false;
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The client while its server runs. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** Start, or start anew. Failures are told to the person and do not throw. */
  restart(): Promise<void> {
    this.backoff.reset();
    return this.inOrder(async () => {
      await this.end();
      if (!this.ending && hasFolder()) {
        await this.begin();
      }
    });
  }

  stop(): Promise<void> {
    this.ending = true;
    this.skipWait?.();
    return this.inOrder(() => this.end());
  }

  dispose(): void {
    this.skipWait?.();
    this.started.dispose();
    this.stopped.dispose();
    this.created.dispose();
  }

  private inOrder(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step).catch((error: unknown) => { this.tell(error); });
    return this.queue;
  }

  private async begin(): Promise<void> {
    const words = await this.command();
    if (words === undefined) {
      return;
    }
    this.log.info(`starting ${words.join(" ")}`);
    const [command, ...args] = words;
    // Not the open folder: a program must not find its parts in there.
    const cwd = this.context.globalStorageUri.fsPath;
    mkdirSync(cwd, { recursive: true });
    const client = new LanguageClient("coeditor", "Coeditor", { command, args, options: { cwd } }, this.options());
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        // The event comes first, then the client opens the documents at the server.
        setImmediate(() => {
          if (this.running === client) {
            this.started.fire(client);
          }
        });
      } else if (newState === State.Stopped) {
        this.stopped.fire();
      }
    });
    this.created.fire(client);
    await client.start();
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.skipWait?.();
    if (client !== undefined) {
      await client.dispose(2_000).catch((error: unknown) => { this.log.warn(`stopping: ${String(error)}`); });
    }
  }

  private async command(): Promise<[string, ...string[]] | undefined> {
    const storage = this.context.globalStorageUri.fsPath;
    const wheel = bundledWheel(this.context.extensionPath);
    const around = { setting: serverCommand(), path: process.env.PATH, isExecutable, wheel };
    const found = chooseCommand({ ...around, ready: readyEnvironment(storage, wheel) });
    switch (found.kind) {
      case "command":
        return found.words;
      case "make":
        return [await makeEnvironment(storage, found.wheel, this.log), "serve"];
      case "none":
        throw new Error(found.remedy);
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      outputChannel: this.log,
      initializationOptions: () => ({ coeditor: clientOptions() }),
      stdioOptions: {
        stdout: () => undefined, // it carries the messages
        stderr: (input) => {
          input.on("data", (data: Buffer) => { this.log.info(data.toString().trimEnd()); });
        },
      },
      middleware: {
        workspace: {
          handleApplyEdit: async (params, next) => {
            const checked = checkedApplyOf(params);
            const client = this.client;
            return checked === undefined || client === undefined
              ? next(params, CancellationToken.None)
              : applyChecked(params, checked, client.protocol2CodeConverter);
          },
        },
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(),
      },
      initializationFailedHandler: () => false,
    };
  }

  /** The server ended by itself: wait a little longer each time, then start it again. */
  private async closed(): Promise<{ action: CloseAction; message: string; handled: boolean }> {
    const wait = this.backoff.next(Date.now());
    this.stopped.fire();
    if (this.backoff.isWorthTelling) {
      const text = "Coeditor's server ended unexpectedly and is started again. Agents carry on where they were.";
      void vscode.window.showWarningMessage(text, "Show Log").then((button) => {
        if (button !== undefined) {
          this.log.show();
        }
      });
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.skipWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.skipWait = undefined;
    const action = this.ending || this.client === undefined ? CloseAction.DoNotRestart : CloseAction.Restart;
    return { action, handled: true, message: `the server ended; waited ${wait} ms` };
  }

  private tell(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.log.error(text);
    void vscode.window.showErrorMessage(text, "Show Log").then((button) => {
      if (button !== undefined) {
        this.log.show();
      }
    });
  }
}

function hasFolder(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).some((folder) => folder.uri.scheme === "file");
}

function clientOptions(): ClientOptions {
  return {
    protocol: PROTOCOL,
    checkedApply: true,
    documentState: true,
    save: true,
    reload: true,
    publishDiagnostics: true,
    trusted: vscode.workspace.isTrusted,
    settings: {},
  };
}
