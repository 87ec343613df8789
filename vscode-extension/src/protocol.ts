/**
 * What `coeditor serve` and this extension say to each other beyond LSP: names and shapes, version 1.
 *
 * The names are those of lsp_server/handlers/methods.py; a test holds the two together. No imports, no code.
 */

export const PROTOCOL = 1;

/** Server to client. */
export const METHOD_APPLY_NOTEBOOK_EDIT = "coeditor/applyNotebookEdit";
export const METHOD_SAVE = "coeditor/save";
export const METHOD_RELOAD = "coeditor/reload";
export const METHOD_DOCUMENT_TEXT = "coeditor/documentText";
/** Not offered: VS Code shows `window/showMessageRequest` in its own way, and takes it away when that is cancelled. */
export const METHOD_ASK = "coeditor/ask";
export const METHOD_WITHDRAW = "coeditor/withdraw";
export const METHOD_FILE_OPERATIONS = "coeditor/fileOperations";
export const METHOD_QUICK_FIXES = "coeditor/quickFixes";
export const METHOD_DID_APPLY_EDIT = "coeditor/didApplyEdit";
export const METHOD_AGENTS = "coeditor/agents";
export const METHOD_DID_CHANGE_REVIEW = "coeditor/didChangeReview";

/** Client to server. */
export const METHOD_DOCUMENT_STATE = "coeditor/documentState";
export const METHOD_PUBLISH_DIAGNOSTICS = "coeditor/publishDiagnostics";
export const METHOD_CALL_TOOL = "coeditor/callTool";
export const METHOD_STATUS = "coeditor/status";
export const METHOD_FILE_VERSIONS = "coeditor/fileVersions";
export const METHOD_REVIEW = "coeditor/review";
export const METHOD_REVIEW_BASE = "coeditor/review/base";
export const METHOD_REVIEW_KEEP = "coeditor/review/keep";
export const METHOD_REVIEW_UNDO = "coeditor/review/undo";
export const METHOD_CONFLICTS = "coeditor/conflicts";
export const METHOD_CONFLICT_TEXTS = "coeditor/conflicts/texts";
export const METHOD_CONFLICTS_DISMISS = "coeditor/conflicts/dismiss";
export const METHOD_LEDGER = "coeditor/ledger";

/** `initializationOptions.coeditor`: what this client does, and what the person set. */
export interface ClientOptions {
  protocol: typeof PROTOCOL;
  checkedApply: boolean;
  documentState: boolean;
  save: boolean;
  reload: boolean;
  publishDiagnostics: boolean;
  quickFixes: boolean;
  fileOperations: boolean;
  notebooks: boolean;
  /** False: the views here show what is pending. */
  lenses: boolean;
  trusted: boolean;
  settings: Record<string, unknown>;
  /** What the repository sets (`.vscode/settings.json`); it can only tighten. */
  workspaceSettings: Record<string, unknown>;
}

/** SHA-256, hex, of a document's text in UTF-8, with its line endings and without a BOM. */
export type Hash = string;

export type SavePolicy = "when-clean" | "never" | "always";

/** One document of a checked `workspace/applyEdit`. */
export interface CheckedDocument {
  uri: string;
  before: Hash;
  after: Hash;
  save: SavePolicy;
}

/** The field `coeditor` in the params of `workspace/applyEdit`. */
export interface CheckedApply {
  protocol: number;
  edit_id: string;
  documents: CheckedDocument[];
  /** Unix time in ms after which the server no longer waits, so that nothing may be applied. */
  expires?: number;
}

export type RefusedBecause = "changed" | "closed" | "readonly" | "failed" | "expired";

export interface RefusedDocument {
  uri: string;
  why: RefusedBecause;
  hash?: Hash;
}

export interface AppliedDocument {
  uri: string;
  version: number;
  hash: Hash;
  dirty: boolean;
  saved: boolean;
  formatted: boolean;
}

/** The answer to a checked `workspace/applyEdit`. */
export type CheckedResult =
  | { applied: true; coeditor: { documents: AppliedDocument[] } }
  | { applied: false; failureReason: string; coeditor: { refused: RefusedDocument[] } };

/** A cell that is to be made; `language` of code, else the kind again. */
export interface NewCell {
  kind: "code" | "markdown" | "raw";
  text: string;
  language: string;
  id?: string;
}

/** An edit of an open notebook; all indices are those of the cells before. */
export interface NotebookEditParams {
  uri: string;
  protocol: number;
  edit_id: string;
  label: string;
  /** Unix time in ms after which the server no longer waits, so that nothing may be applied. */
  expires: number;
  /** Every cell as the server knows it: the condition of the edit. */
  cells: { uri: string; hash: Hash }[];
  /** Cells that stay: how their text changes, what it is then, and whether their results go. */
  sources: {
    index: number;
    edits: { range: { start: WirePosition; end: WirePosition }; newText: string }[];
    text: string;
    clear: boolean;
  }[];
  splices: { start: number; delete: number; cells: NewCell[] }[];
}

/** `clean`: nothing was unsaved before the edit. */
export type NotebookEditResult =
  | { applied: true; clean: boolean; version: number }
  | { applied: false; why: RefusedBecause; failureReason: string };

/** A file that goes, or gets another name; `before`: only while the document is saved and has this text. */
export interface FileOperation {
  kind: "rename" | "delete";
  uri: string;
  new_uri?: string;
  before?: Hash;
}

export interface FileOperationsParams {
  protocol: number;
  edit_id: string;
  label: string;
  /** Unix time in ms after which the server no longer waits, so that nothing may be done. */
  expires: number;
  operations: FileOperation[];
}

export type FileOperationsResult =
  | { applied: true }
  | { applied: false; failureReason: string; refused: RefusedDocument[] };

export interface DocumentParams {
  uri: string;
}

/**
 * With `hash`, the document is saved only while its text is that one, so that no typing is saved along; with `cells`, a
 * notebook while its cells have these texts.
 */
export interface SaveParams extends DocumentParams {
  hash?: Hash;
  cells?: Hash[];
}

/**
 * With `discard`, a document with unsaved changes whose text is that one (the old text of the disk, put back by the
 * server) is reloaded too.
 */
export interface ReloadParams extends DocumentParams {
  discard?: Hash;
}

export interface SaveResult {
  saved: boolean;
  dirty: boolean;
  version: number;
  hash: Hash;
  reason?: string;
}

export interface ReloadResult {
  version: number;
  hash: Hash;
  dirty: boolean;
}

export interface DocumentTextResult {
  version: number;
  text: string;
  dirty: boolean;
}

export interface DocumentState {
  uri: string;
  version: number;
  dirty: boolean;
  encoding?: string;
  eol?: "lf" | "crlf";
  readonly?: boolean;
  untitled?: boolean;
}

export interface PublishDiagnostics<Diagnostic> {
  uri: string;
  version: number;
  diagnostics: Diagnostic[];
  /** Nobody said anything new: this is what stands a moment after an agent's edit. */
  standing?: boolean;
}

export interface WirePosition {
  line: number;
  character: number;
}

/** A problem as it was told in `coeditor/publishDiagnostics`, as far as it matters here. */
export interface WireProblem {
  range: { start: WirePosition; end: WirePosition };
  message: string;
}

/** What the editor's extensions offer to do about problems of one version of a document. */
export interface QuickFixesParams extends DocumentParams {
  version: number;
  diagnostics: WireProblem[];
}

/** For each problem the title of the first quick fix, null where there is none. */
export interface QuickFixesResult {
  titles: (string | null)[];
}

export type Operation = "create" | "update" | "delete" | "move";

/** An edit that is known to have happened. */
export interface DidApplyEdit {
  edit_id: string;
  session: string;
  agent?: string | null;
  tool: string;
  /** RFC 3339, UTC. */
  time: string;
  files: { uri: string; operation: Operation; added: number; removed: number }[];
}

export interface Agents {
  /** `title` is for people; `files` is how many it has seen. */
  agents: { session: string; name?: string | null; title?: string; since: string; files?: number }[];
  unsaved_conflicts: number;
}

/** `window/showMessageRequest`, with what the server adds for us. */
export interface Asked {
  message: string;
  actions?: { title: string }[];
  coeditor?: {
    question: string;
    agent: string;
    /** Of a change that waits for approval both texts; `editable`: another than `after` may be agreed to. */
    files: { uri: string; kind: string; verb: string; before?: string | null; after?: string | null; editable?: boolean }[];
  };
}

/** The button, and the person's own texts where they changed the agent's before they agreed. */
export interface AskedAnswer {
  title: string;
  coeditor?: { files: { uri: string; after: string }[] };
}

export interface FileVersions {
  files: { file_path: string; operation: Operation; before: string | null; after: string | null }[];
}

/** One tool for a model, answered with what a model reads. */
export interface CallToolParams {
  tool: string;
  arguments: object;
  /** The conversation; when left out, the window. */
  session?: string;
  agent?: string;
  cwd?: string;
}

export interface CallToolResult {
  content: { type: "text"; text: string }[];
  isError: boolean;
}

/** What the tool `status` answers, as far as it matters here. */
export interface Status {
  server: {
    /** The folders by which other processes find this server. */
    state: string;
    runtime: string;
  };
}
