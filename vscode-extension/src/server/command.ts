/** Which command runs the server. Pure: the look-ups are handed in. */
import { delimiter, isAbsolute, join } from "node:path";

export type ServerCommand =
  | { kind: "command"; words: [string, ...string[]]; from: "setting" | "path" | "private" }
  /** A private environment has to be made first. */
  | { kind: "make"; wheel: string }
  | { kind: "none"; remedy: string };

export interface Surroundings {
  setting: readonly string[];
  path: string | undefined;
  isExecutable: (file: string) => boolean;
  /** `coeditor` in a private environment that was made from the bundled wheel, when there is one. */
  ready: string | undefined;
  wheel: string | undefined;
}

const REMEDY =
  "Coeditor's server was not found. Install it (Coeditor's README, Use it with), or name its command in the setting " +
  "coeditor.server.command.";

export function chooseCommand(around: Surroundings): ServerCommand {
  const [first, ...rest] = around.setting;
  if (first !== undefined && first !== "") {
    return { kind: "command", words: serving([first, ...rest]), from: "setting" };
  }
  const found = onPath("coeditor", around);
  if (found !== undefined) {
    return { kind: "command", words: serving([found]), from: "path" };
  }
  if (around.ready !== undefined) {
    return { kind: "command", words: serving([around.ready]), from: "private" };
  }
  return around.wheel === undefined ? { kind: "none", remedy: REMEDY } : { kind: "make", wheel: around.wheel };
}

/** Looks only into absolute folders: what is found must not depend on the folder that is open. */
export function onPath(name: string, around: Pick<Surroundings, "path" | "isExecutable">): string | undefined {
  const folders = (around.path ?? "").split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(around.isExecutable);
}

/** The words that run Coeditor with any of its commands, from those that run its server. */
export function programOf(words: readonly string[]): string[] {
  const at = words.indexOf("serve");
  return at < 0 ? [...words] : words.slice(0, at);
}

function serving(words: [string, ...string[]]): [string, ...string[]] {
  return words.includes("serve") ? words : [...words, "serve"];
}
