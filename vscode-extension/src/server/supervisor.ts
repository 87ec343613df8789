/**
 * Keeps one server running for the open folder: starts it, starts it again when it ends, and says so once.
 *
 * Never: a second server beside the first, or a start without an open folder.
 */
import { mkdirSync } from "node:fs";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Settling } from "../editing/settling";
import { Backoff } from "./backoff";
import { programOf } from "./command";
import { serverWords } from "./preparing";
import { serverCommand, serverSettings } from "./settings";

const SHOW_LOG = "Show Log";
const TRY_AGAIN = "Try Again";
const OPEN_SETTING = "Open Setting";
const COMMAND_SETTING = "coeditor.server.command";

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
  private words: string[] | undefined;
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
    return this.client?.isRunning() === true ? this.client : undefined;
  }

  /** The words that run Coeditor with any of its commands, once they are known. */
  get program(): string[] | undefined {
    return this.words === undefined ? undefined : programOf(this.words);
  }

  /** The client once its server runs. Errors: when it does not start; `CancellationError`. */
  async whenRunning(token: vscode.CancellationToken): Promise<LanguageClient> {
    await this.queue;
    if (token.isCancellationRequested) {
      throw new vscode.CancellationError();
    }
    if (this.running === undefined) {
      throw new Error("Coeditor's server does not run. The command `Coeditor: Show Log` tells why.");
    }
    return this.running;
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
      if (this.begunFor === this.circumstances()) {
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
    this.remarked.dispose();
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
    const wanted = this.circumstances();
    this.begunFor = wanted; // also when it fails: the same would fail again
    // Most of what this extension is: loaded only where there is a folder, and not while the window starts.
    const [words, { makeClient }] = await Promise.all([serverWords(this.context, this.log), import("./client.js")]);
    this.words = words;
    this.log.info(`starting ${words.join(" ")}`);
    // Not the open folder: a program must not find its parts in there.
    const cwd = this.context.globalStorageUri.fsPath;
    mkdirSync(cwd, { recursive: true });
    const client: LanguageClient = makeClient(this.context.extension, this.log, { words, cwd }, {
      settling: this.settling,
      ended: () => { this.ended(client); },
      remarked: (uri) => { this.remarked.fire(uri); },
    });
    this.client = client;
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

  /** What decides about the server: when it changes, another one is started. */
  private circumstances(): string {
    const [first] = vscode.workspace.workspaceFolders ?? [];
    const settings = serverSettings(this.context.extension);
    return JSON.stringify([serverCommand(), settings, vscode.workspace.isTrusted, first?.uri.toString()]);
  }

  private tell(text: string, how: "warning" | "error"): void {
    const show = how === "error" ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    const doings: Record<string, () => unknown> = { [SHOW_LOG]: () => { this.log.show(); } };
    if (how === "error") {
      doings[TRY_AGAIN] = () => this.restart();
      doings[OPEN_SETTING] = () => vscode.commands.executeCommand("workbench.action.openSettings", COMMAND_SETTING);
    }
    void show(text, ...Object.keys(doings).reverse()).then((button) => doings[button ?? ""]?.());
  }
}

function hasFolder(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).some((folder) => folder.uri.scheme === "file");
}
