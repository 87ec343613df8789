/** What the status bar says. Pure. */
import type { Agents, DidApplyEdit } from "../protocol";

export interface Status {
  running: boolean;
  agents: Agents["agents"];
  unsavedConflicts: number;
  /** Changes that wait for the person. */
  pending: number;
  /** Agents that were stopped, and where the person may decide. */
  conflicts: number;
  lastEdit: DidApplyEdit | undefined;
}

export interface StatusText {
  text: string;
  isUrgent: boolean;
  tooltip: string;
  /** What a screen reader says. */
  label: string;
}

export function statusText(status: Status): StatusText {
  if (!status.running) {
    const text = "$(debug-disconnect) Coeditor";
    return { text, isUrgent: false, tooltip: "Coeditor: no server runs", label: "Coeditor, no server" };
  }
  const count = status.agents.length;
  const agents = counted(count, "agent");
  const lines = [`Coeditor: ${count === 0 ? "no agent" : agents} connected`];
  for (const agent of status.agents) {
    lines.push(`• ${agent.name ?? "agent"} (${agent.session})`);
  }
  if (status.pending > 0) {
    lines.push(`${counted(status.pending, "change")} to look at`);
  }
  if (status.conflicts > 0) {
    lines.push(`${counted(status.conflicts, "conflict")} to decide about`);
  }
  if (status.unsavedConflicts > 0) {
    lines.push(`Edits refused for what you had not saved: ${status.unsavedConflicts}`);
  }
  if (status.lastEdit !== undefined) {
    lines.push(`Last edit: ${editText(status.lastEdit)}`);
  }
  const parts = [
    count === 0 ? "" : agents,
    status.pending === 0 ? "" : counted(status.pending, "change"),
    status.conflicts === 0 ? "" : `$(warning) ${counted(status.conflicts, "conflict")}`,
  ].filter((part) => part !== "");
  const text = parts.length === 0 ? "$(edit) Coeditor" : `$(edit) Coeditor: ${parts.join(", ")}`;
  return { text, isUrgent: status.conflicts > 0, tooltip: lines.join("\n"), label: lines.join(", ").replaceAll("• ", "") };
}

function counted(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}

/** One line on an edit: who, what, where, how much. */
export function editText(edit: DidApplyEdit): string {
  const [first] = edit.files;
  const added = edit.files.reduce((sum, file) => sum + file.added, 0);
  const removed = edit.files.reduce((sum, file) => sum + file.removed, 0);
  const name = first === undefined ? "no file" : nameOf(first.uri);
  const where = edit.files.length > 1 ? `${name} and ${edit.files.length - 1} more` : name;
  return `${edit.agent ?? "an agent"}, ${edit.tool} in ${where} (+${added} −${removed})`;
}

export function nameOf(uri: string): string {
  const name = uri.split("/").pop() ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
