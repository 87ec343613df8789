/** What is pending, by the turn that changed it last: the newest turn first. Pure. */
import type { EditRef, Hunk, Review, ReviewedFile } from "./types";

export interface Group {
  /** The same for as long as there is something of the turn. */
  key: string;
  /** Undefined where the server no longer knows the edit. */
  session: string | undefined;
  turn: string | undefined;
  agent: string | undefined;
  /** Of its newest edit. */
  time: string | undefined;
  files: GroupFile[];
}

export interface GroupFile {
  group: Group;
  file: ReviewedFile;
  hunks: Hunk[];
}

export interface Counts {
  added: number;
  removed: number;
}

/** A hunk that several turns have a part in is shown with the last of them. */
export function groupsOf(review: Review): Group[] {
  const found = new Map<string, Group>();
  for (const file of review.files) {
    for (const hunk of file.hunks) {
      const edit = lastEdit(hunk);
      const key = JSON.stringify([edit?.session, edit?.turn]);
      let group = found.get(key);
      if (group === undefined) {
        group = { key, session: edit?.session, turn: edit?.turn, agent: edit?.agent, time: edit?.time, files: [] };
        found.set(key, group);
      }
      if ((edit?.time ?? "") > (group.time ?? "")) {
        group.time = edit?.time;
      }
      const known = group.files.find((one) => one.file === file);
      if (known === undefined) {
        group.files.push({ group, file, hunks: [hunk] });
      } else {
        known.hunks.push(hunk);
      }
    }
  }
  return [...found.values()].sort((one, other) => (other.time ?? "").localeCompare(one.time ?? ""));
}

export function lastEdit(hunk: Hunk): EditRef | undefined {
  return hunk.edits.reduce<EditRef | undefined>(
    (last, edit) => (last === undefined || (edit.time ?? "") >= (last.time ?? "") ? edit : last),
    undefined,
  );
}

export function countsOf(hunks: readonly Hunk[]): Counts {
  return {
    added: hunks.reduce((sum, hunk) => sum + hunk.added, 0),
    removed: hunks.reduce((sum, hunk) => sum + hunk.removed, 0),
  };
}

export function hunksOf(group: Group): Hunk[] {
  return group.files.flatMap(({ hunks }) => hunks);
}

/** A hunk's first line in one of several files; `line` is 0-based. */
export interface Place {
  uri: string;
  line: number;
}

/**
 * The place after the cursor (before it where `by` is -1): in its file, else in the next file with any, from the start
 * again after the last. Lines that were removed at the end of a text count as its last line: there is none behind it.
 */
export function nextPlace<Found extends Place>(
  places: readonly Found[],
  cursor: Place & { lines: number },
  by: 1 | -1,
): Found | undefined {
  const inOrder = by > 0 ? places : [...places].reverse();
  const isBehind = ({ uri, line }: Place): boolean =>
    uri === cursor.uri && by * (Math.min(line, cursor.lines - 1) - cursor.line) > 0;
  const lastHere = inOrder.map(({ uri }) => uri).lastIndexOf(cursor.uri);
  return inOrder.find(isBehind) ?? inOrder[lastHere + 1] ?? inOrder[0];
}

/** The lines of a document that show a hunk, 0-based, or nothing while the document shows something else. */
export function placeOf(hunk: Hunk, lines: readonly string[]): { first: number; last: number } | undefined {
  const first = hunk.start_line - 1;
  if (hunk.kind === "delete" || first < 0) {
    return undefined;
  }
  if (hunk.end_line < hunk.start_line) {
    const at = Math.min(first, Math.max(0, lines.length - 1));
    return { first: at, last: at };
  }
  if (hunk.kind === "lines") {
    const shown = lines.slice(first, hunk.end_line);
    const wanted = hunk.after.split(/\r\n|\n|\r/);
    const is = shown.length === hunk.end_line - first && shown.every((line, at) => line === wanted[at]);
    return is ? { first, last: hunk.end_line - 1 } : undefined;
  }
  return { first, last: Math.max(first, Math.min(hunk.end_line, lines.length) - 1) };
}
