/**
 * Tells the server what LSP does not: what is unsaved, and how a document is encoded.
 *
 * The change event of the first typed key still says that the document is saved; the flag follows in an event of its
 * own, without content changes. So nothing is told at changes of content, only at that event, which is when it is true.
 */
import * as vscode from "vscode";
import { isMirrored, isReadonly } from "../editing/documents";
import { METHOD_DOCUMENT_STATE, type DocumentState } from "../protocol";
import { StateTable } from "./stateTable";

/** From a change of a notebook until its dirty flag is right for sure. */
const NOTEBOOK_DIRTY_MS = 100;

/** Sends a notification when the server runs. */
export type Notify = (method: string, params: object) => void;

export class DocumentStates implements vscode.Disposable {
  private readonly table = new StateTable();
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly notify: Notify,
    private readonly uriOf: (uri: vscode.Uri) => string,
  ) {
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument((document) => { this.soon(document); }),
      vscode.workspace.onDidSaveTextDocument((document) => { this.soon(document, true); }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.contentChanges.length === 0) {
          this.soon(event.document);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => { this.table.forget(this.uriOf(document.uri)); }),
      vscode.workspace.onDidOpenNotebookDocument((notebook) => { this.soonOf(notebook); }),
      vscode.workspace.onDidSaveNotebookDocument((notebook) => { this.soonOf(notebook); }),
      vscode.workspace.onDidChangeNotebookDocument(({ notebook }) => { this.soonOf(notebook); }),
      vscode.workspace.onDidCloseNotebookDocument((notebook) => { this.table.forget(this.uriOf(notebook.uri)); }),
    );
  }

  /** Tell everything, to a server that has just started. */
  tellAll(): void {
    this.table.clear();
    for (const document of vscode.workspace.textDocuments) {
      this.tell(document);
    }
    for (const notebook of vscode.workspace.notebookDocuments) {
      this.tellOf(notebook);
    }
  }

  /** The flag of a notebook follows its change a moment later, and has no event of its own: "saved" waits for it. */
  private soonOf(notebook: vscode.NotebookDocument): void {
    setImmediate(() => {
      if (notebook.isDirty) {
        this.tellOf(notebook);
      }
    });
    setTimeout(() => { this.tellOf(notebook); }, NOTEBOOK_DIRTY_MS);
  }

  private tellOf(notebook: vscode.NotebookDocument): void {
    if (notebook.isClosed || notebook.notebookType !== "jupyter-notebook") {
      return;
    }
    const uri = this.uriOf(notebook.uri);
    const state: DocumentState = { uri, version: notebook.version, dirty: notebook.isDirty, untitled: notebook.isUntitled };
    if (this.table.isNews(state)) {
      this.notify(METHOD_DOCUMENT_STATE, state);
    }
  }

  dispose(): void {
    this.listeners.dispose();
  }

  /** After the language client's own listeners, so that the server knows the document and the version. */
  private soon(document: vscode.TextDocument, always = false): void {
    setImmediate(() => { this.tell(document, always); });
  }

  private tell(document: vscode.TextDocument, always = false): void {
    if (document.isClosed || !isMirrored(document)) {
      return;
    }
    const state: DocumentState = {
      uri: this.uriOf(document.uri),
      version: document.version,
      dirty: document.isDirty,
      encoding: document.encoding,
      eol: document.eol === vscode.EndOfLine.CRLF ? "crlf" : "lf",
      readonly: isReadonly(document),
      untitled: document.isUntitled,
    };
    if (this.table.isNews(state) || always) {
      this.notify(METHOD_DOCUMENT_STATE, state);
    }
  }
}
