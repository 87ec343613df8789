/** The answers of the server's review, ledger and conflicts, as far as the views show them. No imports, no code. */

/** One edit that has a part in a hunk. */
export interface EditRef {
  edit_id: string;
  session?: string;
  scope?: string;
  turn?: string;
  agent?: string;
  tool?: string;
  /** RFC 3339, UTC. */
  time?: string;
}

export type HunkKind = "lines" | "create" | "delete" | "move";

/** What can be kept or undone by itself; its lines are 1-based, inclusive. */
export interface Hunk {
  /** Its name, the same for as long as its lines, their base and its edits are. */
  hunk: string;
  kind: HunkKind;
  start_line: number;
  /** One less than `start_line` where lines were only taken away. */
  end_line: number;
  before: string;
  after: string;
  added: number;
  removed: number;
  edits: EditRef[];
  undoable: boolean;
}

export interface ReviewedFile {
  file_path: string;
  operation: "create" | "update" | "delete" | "move";
  /** Where it was moved from. */
  from?: string;
  hunks: Hunk[];
}

/** `coeditor/review`. */
export interface Review {
  files: ReviewedFile[];
  pending: number;
}

/** `coeditor/review/base`. */
export interface ReviewBase {
  text: string | null;
}

export type Span = readonly [first: number, last: number];

export interface SeenFile {
  file_path: string;
  time: string;
  state: "present" | "absent";
  total_lines?: number;
  shown?: Span[];
  read?: Span[];
}

/** `coeditor/ledger`. */
export interface Ledger {
  scopes: { session: string; scope: string; files: SeenFile[] }[];
}

/** An agent was stopped at what the person, or somebody else, has there. */
export interface Conflict {
  conflict: string;
  file_path: string;
  line: number;
  session: string;
  agent: string;
  code: string;
  message: string;
  time: string;
  /** Whether what it saw and what it wanted are both known. */
  texts: boolean;
}

/** `coeditor/conflicts`. */
export interface Conflicts {
  conflicts: Conflict[];
}

/** `coeditor/conflicts/texts`. */
export interface ConflictTexts {
  base: string | null;
  current: string | null;
  wanted: string | null;
}
