/** Running programs to their end. Never: `vscode`, a shell, or a look into relative folders of the PATH. */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  /** Both streams, as they came. */
  output: string;
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /** What the program says, as it says it. */
  heard?: (text: string) => void;
}

/** Errors: when it cannot be started, or `signal` ends it. */
export function run(words: readonly [string, ...string[]], options: RunOptions = {}): Promise<Ended> {
  const { heard, ...spawning } = options;
  const [program, ...args] = words;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...spawning, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const note = (data: string): void => {
      output += data;
      heard?.(data.trimEnd());
    };
    child.stdout.setEncoding("utf8").on("data", note);
    child.stderr.setEncoding("utf8").on("data", note);
    child.on("error", reject);
    child.on("close", (code) => { resolve({ code, output }); });
  });
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
