/** Where agents were stopped at what the person has, as the server last told it. Never: a decision. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { METHOD_CONFLICTS, METHOD_CONFLICTS_DISMISS, METHOD_CONFLICT_TEXTS } from "../protocol";
import { askAsPerson } from "./answers";
import type { Conflict, Conflicts, ConflictTexts } from "./types";

export class Stops implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private found: Conflict[] = [];
  private asked = 0;

  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The newest first. */
  get all(): readonly Conflict[] {
    return this.found;
  }

  async refresh(): Promise<void> {
    this.asked += 1;
    const asked = this.asked;
    try {
      const { conflicts } = await this.request<Conflicts>(METHOD_CONFLICTS, {});
      if (asked === this.asked) {
        this.show(conflicts);
      }
    } catch (error) {
      this.log.debug(`conflicts: ${String(error)}`);
    }
  }

  clear(): void {
    this.asked += 1;
    this.show([]);
  }

  /** Errors: a Refusal. */
  texts({ conflict }: Conflict): Promise<ConflictTexts> {
    return this.request<ConflictTexts>(METHOD_CONFLICT_TEXTS, { conflict });
  }

  /** The person has decided about these. Errors: a Refusal. */
  async dismiss(conflicts: readonly Conflict[]): Promise<void> {
    await this.request(METHOD_CONFLICTS_DISMISS, { conflicts: conflicts.map(({ conflict }) => conflict) });
    await this.refresh();
  }

  dispose(): void {
    this.changed.dispose();
  }

  private show(conflicts: Conflict[]): void {
    this.found = conflicts;
    this.changed.fire();
  }

  private request<T>(method: string, params: object): Promise<T> {
    return askAsPerson<T>(this.client(), method, params);
  }
}
