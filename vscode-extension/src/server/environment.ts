/**
 * The private environment: a venv in the extension's own storage, made from the wheel that is bundled.
 *
 * It is named after the wheel and its contents, so that a new version of the extension makes a new one, and it counts
 * only once it is complete. Making it may need the network, using it never. Never: `vscode`, or a change to any Python
 * of the person.
 */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isExecutable, run, type RunOptions } from "./programs";
import { findMakers } from "./python";

/** The file whose presence says that an environment is whole; its time, when it was used last. */
const COMPLETE = "complete";
/** Between an environment's name and the process of the window that makes it. */
const LOCK = ".lock-";
/** Another version's environment that nobody used for this long goes, in ms. */
const UNUSED_MS = 30 * 24 * 3_600_000;
/** Between looks whether another window has made it, or is gone, which no watch of a folder tells; in ms. */
const LOOK_MS = 500;

export interface Making {
  /** Where programs are looked for. */
  path: string | undefined;
  signal: AbortSignal;
  /** What happens now, in a few words. */
  report: (message: string) => void;
  note: (text: string) => void;
}

export function bundledWheel(extensionPath: string): string | undefined {
  const folder = join(extensionPath, "wheel");
  const name = existsSync(folder) ? readdirSync(folder).find((one) => one.endsWith(".whl")) : undefined;
  return name === undefined ? undefined : join(folder, name);
}

/** `coeditor` of the finished environment of this wheel. One whose Python is gone is none. */
export function readyEnvironment(storage: string, wheel: string | undefined): string | undefined {
  const place = wheel === undefined ? undefined : placeOf(storage, wheel);
  if (place === undefined || !existsSync(join(place, COMPLETE)) || !isExecutable(join(place, "bin", "python"))) {
    return undefined;
  }
  const now = new Date();
  utimesSync(join(place, COMPLETE), now, now);
  return join(place, "bin", "coeditor");
}

/** Makes the environment, or waits for the window that makes it; gives its `coeditor`. Errors: what to do, in sentences. */
export async function makeEnvironment(storage: string, wheel: string, making: Making): Promise<string> {
  mkdirSync(storage, { recursive: true });
  const place = placeOf(storage, wheel);
  const lock = `${place}${LOCK}${process.pid}-${randomBytes(4).toString("hex")}`;
  for (;;) {
    const ready = readyEnvironment(storage, wheel);
    if (ready !== undefined) {
      return ready;
    }
    if (take(place, lock)) {
      break;
    }
    making.report("waiting for another window to make the environment");
    // Two that begin at once both step back: not for the same time.
    await pause(LOOK_MS * (0.5 + Math.random()), undefined, { signal: making.signal });
  }
  try {
    // Another window may have been done between the look and the lock.
    if (readyEnvironment(storage, wheel) === undefined) {
      await make(place, wheel, making);
    }
  } catch (error) {
    rmSync(place, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(lock, { force: true });
  }
  removeUnused(storage, place, making.note);
  return join(place, "bin", "coeditor");
}

async function make(place: string, wheel: string, { path, signal, report, note }: Making): Promise<void> {
  const options: RunOptions = { signal, heard: note, env: { ...process.env, PATH: path } };
  rmSync(place, { recursive: true, force: true });
  report("looking for Python 3.11 or newer");
  const { python, uv, remedy } = await findMakers(path, options);
  const inside = join(place, "bin", "python");
  report("making a private Python environment");
  if (python !== undefined) {
    await step([python, "-m", "venv", place], "The private environment could not be made", options);
    report("installing the server (once)");
    const install = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"];
    await step([inside, ...install, wheel], FETCHING, options);
  } else if (uv !== undefined) {
    await step([uv, "venv", "--python", ">=3.11", place], remedy, options);
    report("installing the server (once)");
    await step([uv, "pip", "install", "--python", inside, wheel], FETCHING, options);
  } else {
    throw new Error(remedy);
  }
  writeFileSync(join(place, COMPLETE), "");
}

const FETCHING =
  "The packages that the server needs could not be installed. They are fetched once, so this machine must reach a " +
  "package index then (pip's own settings for proxies and indexes count)";

async function step(words: [string, ...string[]], failure: string, options: RunOptions): Promise<void> {
  const { code, output } = await run(words, options);
  if (code !== 0) {
    const last = output.trim().split("\n").pop() ?? "";
    throw new Error(`${failure.replace(/\.$/, "")}: ${last || `it ended with ${String(code)}`}`);
  }
}

/**
 * Whether it is ours to make. Each window that wants to has a file of its own, named after its process, and gives way
 * to every other that is there after it: so nobody ever takes a file away that may be a living window's.
 * Errors: when it cannot be written at all.
 */
function take(place: string, lock: string): boolean {
  writeFileSync(lock, "");
  const start = `${basename(place)}${LOCK}`;
  const folder = dirname(place);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(start) || name === basename(lock)) {
      continue;
    }
    if (isAlive(Number.parseInt(name.slice(start.length), 10))) {
      rmSync(lock, { force: true });
      return false;
    }
    rmSync(join(folder, name), { force: true });
  }
  return true;
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0); // 0 would be ourselves
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** What cannot be removed, or another window removes meanwhile, is no reason not to use what was made. */
function removeUnused(storage: string, place: string, note: (text: string) => void): void {
  for (const name of readdirSync(storage)) {
    const other = join(storage, name);
    const complete = join(other, COMPLETE);
    try {
      if (other !== place && existsSync(complete) && Date.now() - statSync(complete).mtimeMs > UNUSED_MS) {
        rmSync(other, { recursive: true, force: true });
      }
    } catch (error) {
      note(`${other} was not removed: ${String(error)}`);
    }
  }
}

function placeOf(storage: string, wheel: string): string {
  const digest = createHash("sha256").update(readFileSync(wheel)).digest("hex");
  return join(storage, `${basename(wheel).split("-").slice(0, 2).join("-")}-${digest.slice(0, 12)}`);
}
