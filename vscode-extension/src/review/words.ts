/** How the views speak of agents, turns, files and hunks: to eyes and to screen readers. Pure. */
import { countsOf, hunksOf, lastEdit, type Counts, type Group, type GroupFile } from "./groups";
import type { Conflict, Hunk, SeenFile, Span } from "./types";

export interface Words {
  label: string;
  description: string;
  /** What a screen reader says: a sentence, without signs. */
  spoken: string;
}

export function groupWords(group: Group, nameOfSession: (session: string) => string | undefined): Words {
  const who = agentOf(group, nameOfSession);
  const counts = countsOf(hunksOf(group));
  const count = group.files.length;
  const files = count === 1 ? "1 file" : `${count} files`;
  const label = group.turn === undefined ? who : `${who}, turn ${short(group.turn)}`;
  return {
    label,
    description: `${files} ${signs(counts)}`,
    spoken: `${label}: ${files}, ${spokenCounts(counts)}`,
  };
}

export function fileWords(found: GroupFile, path: string): Words {
  const at = path.lastIndexOf("/");
  const label = path.slice(at + 1);
  const folder = at > 0 ? path.slice(0, at) : "";
  const counts = countsOf(found.hunks);
  const how = HOW[found.file.operation];
  const parts = [folder, how ?? "", signs(counts)].filter((part) => part !== "");
  return {
    label,
    description: parts.join(" · "),
    spoken: `${label}${folder === "" ? "" : ` in ${folder}`}${how === undefined ? "" : `, ${how}`}, ${spokenCounts(counts)}`,
  };
}

const HOW: Readonly<Record<string, string>> = { create: "new", delete: "deleted", move: "moved" };

export function hunkWords(hunk: Hunk): Words {
  const counts = countsOf([hunk]);
  const label = hunk.kind === "lines" ? linesText(hunk) : WHOLE[hunk.kind];
  const stuck = hunk.undoable ? "" : ", cannot be undone by itself";
  const line = firstLine(hunk);
  return {
    label,
    description: `${signs(counts)}${line === "" ? "" : `  ${line}`}`,
    spoken: `${label}, ${spokenCounts(counts)}${stuck}${line === "" ? "" : `: ${line}`}`,
  };
}

const WHOLE = { create: "the new file", delete: "the deleted file", move: "the new name" } as const;

function linesText(hunk: Hunk): string {
  if (hunk.end_line < hunk.start_line) {
    return hunk.start_line === 1 ? "before line 1" : `after line ${hunk.start_line - 1}`;
  }
  return hunk.start_line === hunk.end_line ? `line ${hunk.start_line}` : `lines ${hunk.start_line}–${hunk.end_line}`;
}

function firstLine(hunk: Hunk): string {
  const text = hunk.after === "" ? hunk.before : hunk.after;
  const line = text.split(/\r\n|\n|\r/).find((one) => one.trim() !== "") ?? "";
  return line.trim().slice(0, 80);
}

/** The mark of a file with changes to look at; VS Code shows two characters at most. */
export function badgeWords(count: number): { badge: string; tooltip: string } {
  const changes = count === 1 ? "1 change of an agent" : `${count} changes of agents`;
  return { badge: count > 9 ? "9+" : String(count), tooltip: `${changes} to look at` };
}

export function signs({ added, removed }: Counts): string {
  return `+${added} −${removed}`;
}

function spokenCounts({ added, removed }: Counts): string {
  return `${added} ${added === 1 ? "line" : "lines"} added, ${removed} removed`;
}

interface Who {
  agent?: string | undefined;
  session?: string | undefined;
}

export function agentOf(who: Who, nameOfSession: (session: string) => string | undefined): string {
  const named = who.session === undefined ? undefined : nameOfSession(who.session);
  return named ?? who.agent ?? (who.session === undefined ? "An agent" : `agent ${short(who.session)}`);
}

/** Who, when and why, for the lens above a hunk and for its hover. */
export function hunkOrigin(hunk: Hunk, nameOfSession: (session: string) => string | undefined): string {
  const edit = lastEdit(hunk);
  const who = agentOf(edit ?? {}, nameOfSession);
  return edit?.turn === undefined ? who : `${who}, turn ${short(edit.turn)}`;
}

/** Ids can be long; what is left tells them apart. */
export function short(id: string): string {
  return id.length > 20 ? `${id.slice(0, 12)}…` : id;
}

/** Lines as ranges, as people write them. */
export function spansText(spans: readonly Span[]): string {
  return spans.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
}

/** Where an agent was stopped; `path` as people know it. */
export function conflictWords(conflict: Conflict, path: string, who: string): Words {
  const said = conflict.message.startsWith(conflict.agent) ? conflict.message.slice(conflict.agent.length + 1) : conflict.message;
  const at = `line ${conflict.line}`;
  return { label: path, description: `${at} · ${who}`, spoken: `${path}, ${at}: ${who} ${said}` };
}

/** What an agent has seen of a file. */
export function seenWords(file: SeenFile): string {
  if (file.state === "absent") {
    return "looked for, not there";
  }
  const shown = file.shown ?? [];
  const total = file.total_lines ?? 0;
  const [only] = shown;
  if (total === 0 || (shown.length === 1 && only?.[0] === 1 && only[1] === total)) {
    return "all of it";
  }
  return shown.length === 0 ? "no line of it as it is now" : `lines ${spansText(shown)} of ${total}`;
}
