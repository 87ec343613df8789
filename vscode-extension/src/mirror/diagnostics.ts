/**
 * Tells the server what all other extensions of this window say about the open documents.
 *
 * VS Code collects changes for 50 ms and then says in one event which files have news. The event has no version, so
 * the document's version at that moment goes along.
 *
 * Where an edit changes nothing, some extensions say nothing. So a moment after each edit of an agent what stands is
 * told once more, marked as no news. So is what follows remarks of our own, which come and go in the same collection.
 */
import * as vscode from "vscode";
import { findDocument, isMirrored } from "../editing/documents";
import { METHOD_PUBLISH_DIAGNOSTICS, type PublishDiagnostics } from "../protocol";
import type { Notify } from "./documentState";
import { selected } from "./selected";

/** After an agent's edit, so that what VS Code collects for 50 ms comes before. In ms. */
const STANDING_MS = 100;
/** How long after a remark of our own VS Code may tell of it, in ms. */
const OWN_MS = 500;

export class Diagnostics<Wire> implements vscode.Disposable {
  private readonly listeners: vscode.Disposable;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly own = new Map<string, number>();
  private readonly last = new Map<string, string>();

  constructor(
    private readonly notify: Notify,
    private readonly uriOf: (uri: vscode.Uri) => string,
    private readonly wireOf: (found: vscode.Diagnostic[]) => Wire[],
  ) {
    this.listeners = vscode.Disposable.from(
      vscode.languages.onDidChangeDiagnostics((event) => {
        const changed = new Set(event.uris.map(String));
        for (const document of vscode.workspace.textDocuments) {
          if (changed.has(document.uri.toString())) {
            this.tell(document, this.isOwn(document) ? "if unchanged" : "no");
          }
        }
      }),
      vscode.workspace.onDidOpenTextDocument((document) => {
        setImmediate(() => { this.tellUnlessNone(document); });
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.own.delete(uri.toString());
        this.last.delete(uri.toString());
      }),
    );
  }

  /** Tell everything, to a server that has just started. */
  tellAll(): void {
    vscode.workspace.textDocuments.forEach((document) => { this.tellUnlessNone(document); });
  }

  /** An agent's edit has happened: tell soon what stands. */
  afterEdit(uris: readonly string[]): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      for (const uri of uris) {
        const document = findDocument(uri);
        if (document !== undefined) {
          this.tell(document, "yes");
        }
      }
    }, STANDING_MS);
    this.timers.add(timer);
  }

  /** A remark of our own is shown in a document, or taken away: what VS Code tells of that is no news. */
  remarked(uri: vscode.Uri): void {
    const now = Date.now();
    this.own.forEach((at, key) => now - at < OWN_MS || this.own.delete(key)); // also of files that are never open
    this.own.set(uri.toString(), now);
  }

  dispose(): void {
    this.listeners.dispose();
    this.timers.forEach((timer) => { clearTimeout(timer); });
  }

  private isOwn(document: vscode.TextDocument): boolean {
    return Date.now() - (this.own.get(document.uri.toString()) ?? 0) < OWN_MS;
  }

  /** A document without problems may be one that nobody has looked at yet: silence, instead of "none". */
  private tellUnlessNone(document: vscode.TextDocument): void {
    if (vscode.languages.getDiagnostics(document.uri).length > 0) {
      this.tell(document);
    }
  }

  private tell(document: vscode.TextDocument, standing: "yes" | "no" | "if unchanged" = "no"): void {
    const key = document.uri.toString();
    if (document.isClosed || !isMirrored(document)) {
      this.last.delete(key);
      return;
    }
    const params: PublishDiagnostics<Wire> = {
      uri: this.uriOf(document.uri),
      version: document.version,
      diagnostics: this.wireOf(selected(vscode.languages.getDiagnostics(document.uri))),
    };
    const said = JSON.stringify(params.diagnostics);
    if (standing === "yes" || (standing === "if unchanged" && said === (this.last.get(key) ?? "[]"))) {
      params.standing = true;
    }
    this.last.set(key, said);
    this.notify(METHOD_PUBLISH_DIAGNOSTICS, params);
  }
}
