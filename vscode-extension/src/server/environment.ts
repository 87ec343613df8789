/**
 * The private environment: a venv in the extension's own storage, made from the wheel that is bundled.
 *
 * It is named after the wheel and its contents, so that a new version of the extension makes a new one, and it counts only once it is
 * complete. Never: a change to any Python of the person.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import * as vscode from "vscode";

const PYTHONS = ["python3", "python3.13", "python3.12", "python3.11", "python"];
const RECENT = "import sys; sys.exit(sys.version_info < (3, 11))";

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function bundledWheel(extensionPath: string): string | undefined {
  const folder = join(extensionPath, "wheel");
  const name = existsSync(folder) ? readdirSync(folder).find((one) => one.endsWith(".whl")) : undefined;
  return name === undefined ? undefined : join(folder, name);
}

/** `coeditor` of the finished environment of this wheel. */
export function readyEnvironment(storage: string, wheel: string | undefined): string | undefined {
  if (wheel === undefined) {
    return undefined;
  }
  const place = placeOf(storage, wheel);
  return existsSync(join(place, "complete")) ? join(place, "bin", "coeditor") : undefined;
}

/** Makes the environment, with progress shown; gives its `coeditor`. Errors: one sentence with what to do. */
export async function makeEnvironment(storage: string, wheel: string, log: vscode.LogOutputChannel): Promise<string> {
  const options = { location: vscode.ProgressLocation.Notification, title: "Coeditor", cancellable: true };
  return vscode.window.withProgress(options, async (progress, cancelled) => {
    await mkdir(storage, { recursive: true });
    const place = placeOf(storage, wheel);
    rmSync(place, { recursive: true, force: true });
    progress.report({ message: "looking for Python 3.11 or newer" });
    const python = await findPython(log, cancelled);
    progress.report({ message: "making a private Python environment" });
    await run(python, ["-m", "venv", place], log, cancelled);
    progress.report({ message: "installing the server (once)" });
    const install = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", wheel];
    await run(join(place, "bin", "python"), install, log, cancelled);
    writeFileSync(join(place, "complete"), "");
    return join(place, "bin", "coeditor");
  });
}

async function findPython(log: vscode.LogOutputChannel, cancelled: vscode.CancellationToken): Promise<string> {
  for (const python of PYTHONS) {
    try {
      await run(python, ["-c", RECENT], log, cancelled);
      return python;
    } catch {
      log.debug(`${python} is not there or older than 3.11`);
    }
  }
  throw new Error("Coeditor needs Python 3.11 or newer, and none was found. Install it and restart the server.");
}

function placeOf(storage: string, wheel: string): string {
  const digest = createHash("sha256").update(readFileSync(wheel)).digest("hex");
  return join(storage, `${basename(wheel).split("-").slice(0, 2).join("-")}-${digest.slice(0, 12)}`);
}

function run(
  program: string,
  words: string[],
  log: vscode.LogOutputChannel,
  cancelled: vscode.CancellationToken,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
    const listener = cancelled.onCancellationRequested(() => child.kill());
    let last = "";
    const note = (data: Buffer): void => {
      last = data.toString().trim().split("\n").pop() ?? last;
      log.info(data.toString().trimEnd());
    };
    child.stdout.on("data", note);
    child.stderr.on("data", note);
    child.on("error", reject);
    child.on("close", (code) => {
      listener.dispose();
      if (code === 0) {
        resolve();
      } else {
        reject(new Error(`The private environment could not be made: ${last || "it was cancelled"}. See the log.`));
      }
    });
  });
}
