/** What the status bar says. Pure. */
import type { Agents, DidApplyEdit } from "../protocol";

export interface Status {
  running: boolean;
  agents: Agents["agents"];
  unsavedConflicts: number;
  lastEdit: DidApplyEdit | undefined;
}

export interface StatusText {
  text: string;
  tooltip: string;
  /** What a screen reader says. */
  label: string;
}

export function statusText(status: Status): StatusText {
  if (!status.running) {
    return { text: "$(debug-disconnect) Coeditor", tooltip: "Coeditor: no server runs", label: "Coeditor, no server" };
  }
  const count = status.agents.length;
  const agents = count === 1 ? "1 agent" : `${count} agents`;
  const lines = [`Coeditor: ${count === 0 ? "no agent" : agents} connected`];
  for (const agent of status.agents) {
    lines.push(`• ${agent.name ?? "agent"} (${agent.session})`);
  }
  if (status.unsavedConflicts > 0) {
    lines.push(`Edits refused for what you had not saved: ${status.unsavedConflicts}`);
  }
  if (status.lastEdit !== undefined) {
    lines.push(`Last edit: ${editText(status.lastEdit)}`);
  }
  const text = count === 0 ? "$(edit) Coeditor" : `$(edit) Coeditor: ${agents}`;
  return { text, tooltip: lines.join("\n"), label: lines.join(", ") };
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
