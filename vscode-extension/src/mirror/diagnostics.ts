/**
 * Tells the server what all other extensions of this window say about the open documents.
 *
 * VS Code collects changes for 50 ms and then says in one event which files have news. The event has no version, so
 * the document's version at that moment goes along.
 */
import * as vscode from "vscode";
import { isMirrored } from "../editing/documents";
import { METHOD_PUBLISH_DIAGNOSTICS, type PublishDiagnostics } from "../protocol";
import type { Notify } from "./documentState";
import { selected } from "./selected";

export class Diagnostics<Wire> implements vscode.Disposable {
  private readonly listeners: vscode.Disposable;

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
            this.tell(document);
          }
        }
      }),
      vscode.workspace.onDidOpenTextDocument((document) => {
        setImmediate(() => { this.tellUnlessNone(document); });
      }),
    );
  }

  /** Tell everything, to a server that has just started. */
  tellAll(): void {
    vscode.workspace.textDocuments.forEach((document) => { this.tellUnlessNone(document); });
  }

  dispose(): void {
    this.listeners.dispose();
  }

  /** A document without problems may be one that nobody has looked at yet: silence, instead of "none". */
  private tellUnlessNone(document: vscode.TextDocument): void {
    if (vscode.languages.getDiagnostics(document.uri).length > 0) {
      this.tell(document);
    }
  }

  private tell(document: vscode.TextDocument): void {
    if (document.isClosed || !isMirrored(document)) {
      return;
    }
    const params: PublishDiagnostics<Wire> = {
      uri: this.uriOf(document.uri),
      version: document.version,
      diagnostics: this.wireOf(selected(vscode.languages.getDiagnostics(document.uri))),
    };
    this.notify(METHOD_PUBLISH_DIAGNOSTICS, params);
  }
}
