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
import { Settling } from "../editing/settling";
import { PROTOCOL, type ClientOptions } from "../protocol";
import { Backoff } from "./backoff";
import { chooseCommand } from "./command";
import { bundledWheel, isExecutable, makeEnvironment, readyEnvironment } from "./environment";
import { serverCommand } from "./settings";

export class Supervisor implements vscode.Disposable {
  private readonly backoff = new Backoff();
  private readonly settling = new Settling();
  private readonly started = new vscode.EventEmitter<LanguageClient>();
  private readonly stopped = new vscode.EventEmitter<void>();
  private readonly created = new vscode.EventEmitter<LanguageClient>();
  private readonly remarked = new vscode.EventEmitter<vscode.Uri>();
  /** A client was made: handlers can be registered, once for all starts of its server. */
  readonly onDidCreateClient = this.created.event;
  /** A server runs and has been told of the open documents. */
  readonly onDidStart = this.started.event;
  readonly onDidStop = this.stopped.event;
  /** The server shows remarks of its own in a document, or takes them away. */
  readonly onDidRemark = this.remarked.event;
  private client: LanguageClient | undefined;
  private begunFor: string | undefined;
  private timer: NodeJS.Timeout | undefined;
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

  /** Start anew if what decides about the server, the person's trust or the settings, is not what it was. */
  refresh(): Promise<void> {
    return this.inOrder(async () => {
      if (this.begunFor === circumstances()) {
        return;
      }
      this.begunFor = undefined;
      await this.end();
      if (!this.ending && hasFolder()) {
        await this.begin();
      }
    });
  }

  stop(): Promise<void> {
    this.ending = true;
    return this.inOrder(() => this.end());
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.settling.dispose();
    this.started.dispose();
    this.stopped.dispose();
    this.created.dispose();
  }

  private inOrder(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      this.log.error(text);
      this.tell(text, "error");
    });
    return this.queue;
  }

  private async begin(): Promise<void> {
    const wanted = circumstances();
    const words = await this.command();
    this.log.info(`starting ${words.join(" ")}`);
    const [command, ...args] = words;
    // Not the open folder: a program must not find its parts in there.
    const cwd = this.context.globalStorageUri.fsPath;
    mkdirSync(cwd, { recursive: true });
    const ended = (): void => { this.ended(client); };
    const client = new QuietClient("coeditor", "Coeditor", { command, args, options: { cwd } }, this.options(ended));
    this.client = client;
    this.begunFor = wanted;
    this.created.fire(client);
    try {
      await client.start(); // afterwards the open documents are told
      if (this.running === client) {
        this.started.fire(client);
      }
    } catch (error) {
      this.log.error(`the server did not start: ${String(error)}`);
      this.ended(client);
    }
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer);
    const client = this.client;
    this.client = undefined;
    if (client !== undefined) {
      this.stopped.fire();
      await client.dispose(2_000).catch((error: unknown) => { this.log.warn(`stopping: ${String(error)}`); });
    }
  }

  /** The server ended by itself: start it again, a little later each time, and tell the person once. */
  private ended(client: LanguageClient): void {
    if (this.client !== client) {
      return;
    }
    this.client = undefined;
    this.stopped.fire();
    const wait = this.backoff.next(Date.now());
    this.log.warn(`the server ended; starting it again in ${wait} ms`);
    if (this.backoff.isWorthTelling) {
      this.tell("Coeditor's server ended unexpectedly and is started again. Agents carry on where they were.", "warning");
    }
    this.timer = setTimeout(() => {
      void this.inOrder(async () => {
        await client.dispose().catch(() => undefined); // there is nobody to say goodbye to
        if (!this.ending && this.client === undefined) {
          await this.begin();
        }
      });
    }, wait);
  }

  /** Errors: one sentence with what to do. */
  private async command(): Promise<[string, ...string[]]> {
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

  private options(ended: () => void): LanguageClientOptions {
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
        handleDiagnostics: (uri, diagnostics, next) => {
          this.remarked.fire(uri);
          next(uri, diagnostics);
        },
        workspace: {
          handleApplyEdit: async (params, next) => {
            const checked = checkedApplyOf(params);
            const client = this.client;
            return checked === undefined || client === undefined
              ? next(params, CancellationToken.None)
              : applyChecked(params, checked, client.protocol2CodeConverter, this.settling);
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

  private tell(text: string, how: "warning" | "error"): void {
    const show = how === "error" ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    void show(text, "Show Log").then((button) => {
      if (button !== undefined) {
        this.log.show();
      }
    });
  }
}

/** Writes to the log what it would say in messages of its own; the supervisor tells what the person should know. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function circumstances(): string {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  return JSON.stringify([serverCommand(), vscode.workspace.isTrusted, first?.uri.toString()]);
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
    quickFixes: true,
    notebooks: true,
    trusted: vscode.workspace.isTrusted,
    settings: {},
  };
}
