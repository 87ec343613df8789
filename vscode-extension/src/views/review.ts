/** All views of the review, joined: what they share, when they are refreshed, and what the window's menus know. */
import * as vscode from "vscode";
import type { CancellationToken, LanguageClient } from "vscode-languageclient/node";
import { METHOD_AGENTS, METHOD_DID_CHANGE_REVIEW, type Agents, type Asked } from "../protocol";
import { uriOfPath } from "../review/answers";
import { Comparing, registerEmpty } from "../review/comparing";
import { Deciding } from "../review/deciding";
import { Reviews } from "../review/reviews";
import { Stops } from "../review/stops";
import { AgentsTree } from "./agentsTree";
import { Approvals } from "./approvals";
import { Badges } from "./badges";
import { ChangesTree } from "./changesTree";
import { ConflictsTree } from "./conflictsTree";
import { Decorations } from "./decorations";
import { Lenses } from "./lenses";
import { Questions } from "./questions";
import type { StatusBar } from "./statusBar";

/** LSP's own: a question to the person, with buttons. */
const SHOW_MESSAGE_REQUEST = "window/showMessageRequest";

export class ReviewViews implements vscode.Disposable {
  readonly reviews: Reviews;
  readonly stops: Stops;
  private readonly agentsTree: AgentsTree;
  private readonly changesTree: ChangesTree;
  private readonly parts: vscode.Disposable;

  private readonly questions = new Questions();
  private readonly approvals = new Approvals(this.questions);

  constructor(
    extension: vscode.Uri,
    client: () => LanguageClient | undefined,
    log: vscode.LogOutputChannel,
    private readonly bar: StatusBar,
  ) {
    const reviews = new Reviews(client, log);
    const agents = new AgentsTree(client, log);
    const comparing = new Comparing(reviews);
    const changes = new ChangesTree(reviews, agents.nameOfSession);
    const stops = new Stops(client, log);
    this.reviews = reviews;
    this.stops = stops;
    this.agentsTree = agents;
    this.changesTree = changes;
    this.parts = vscode.Disposable.from(
      reviews.onDidChange(() => {
        bar.pending(reviews.review.pending);
        tellMenus(reviews);
      }),
      stops.onDidChange(() => { bar.conflicts(stops.all.length); }),
      this.approvals,
      this.questions,
      agents,
      comparing,
      registerEmpty(),
      changes,
      new ConflictsTree(stops, agents.nameOfSession),
      stops,
      new Decorations(extension, reviews, agents.nameOfSession),
      new Lenses(reviews, agents.nameOfSession),
      new Badges(reviews),
      new Deciding(reviews, comparing, changes, agents.nameOfSession).register(),
      vscode.commands.registerCommand("coeditor.openChanges", () =>
        vscode.commands.executeCommand("coeditor.changes.focus"),
      ),
      reviews,
    );
  }

  /** A client was made: hear what its server tells. */
  listen(client: LanguageClient): void {
    client.onNotification(METHOD_DID_CHANGE_REVIEW, () => { this.refresh(); });
    client.onNotification(METHOD_AGENTS, (found: Agents) => { this.agents(found); });
    client.onRequest(SHOW_MESSAGE_REQUEST, (asked: Asked, token: CancellationToken) =>
      this.approvals.ask(asked, token),
    );
  }

  refresh(): void {
    void this.reviews.refresh();
    void this.stops.refresh();
  }

  private agents(found: Agents): void {
    this.bar.agents(found);
    this.agentsTree.tell(found);
    this.changesTree.refresh();
  }

  stopped(): void {
    this.agentsTree.tell({ agents: [], unsaved_conflicts: 0 });
    this.reviews.clear();
    this.stops.clear();
    this.questions.withdraw();
  }

  dispose(): void {
    this.parts.dispose();
  }
}

/** Which menus are offered where. */
function tellMenus({ review }: Reviews): void {
  const set = (name: string, value: unknown): void => {
    void vscode.commands.executeCommand("setContext", `coeditor.${name}`, value);
  };
  set("pending", review.pending > 0);
  // A window of its own has other URIs for the files of another machine; the paths are the same.
  const uris = review.files.map(({ file_path }) => uriOfPath(file_path));
  set("pendingPaths", [...new Set(uris.flatMap((uri) => [uri.path, uri.fsPath]))]);
}
