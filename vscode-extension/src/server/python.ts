/** Finds what can make a private environment: a Python that is recent enough, or uv. Never: `vscode`. */
import { onPath } from "./command";
import { isExecutable, run, type RunOptions } from "./programs";

const NAMES = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python"];
const OLDEST = [3, 11] as const;
/** The version, and whether it can make environments (Debian packages that apart). */
const PROBE = `import sys
try:
    import ensurepip, venv
    able = 1
except ImportError:
    able = 0
print("%d.%d.%d %d" % (sys.version_info[0], sys.version_info[1], sys.version_info[2], able))`;

export interface Makers {
  /** Recent enough, and able to make environments. */
  python: string | undefined;
  uv: string | undefined;
  /** Why there is no such Python: a sentence or two with what to do. */
  remedy: string;
}

export async function findMakers(path: string | undefined, options: RunOptions): Promise<Makers> {
  const around = { path, isExecutable };
  const uv = onPath("uv", around);
  const old: string[] = [];
  let unable: string | undefined;
  for (const name of NAMES) {
    const file = onPath(name, around);
    const found = file === undefined ? undefined : await probe(file, options);
    if (file === undefined || found === undefined) {
      continue;
    }
    if (!isRecent(found.version)) {
      old.push(`${found.version} (${file})`);
    } else if (!found.able) {
      unable ??= `${found.version} (${file})`;
    } else {
      return { python: file, uv, remedy: "" };
    }
  }
  return { python: undefined, uv, remedy: remedyFor(old, unable) };
}

function remedyFor(old: string[], unable: string | undefined): string {
  if (unable !== undefined) {
    const what = `Python ${unable} cannot make environments, since its parts venv and ensurepip are missing.`;
    return `${what} Install them (on Debian and Ubuntu the package python3-venv), then try again.`;
  }
  const what = "Coeditor needs Python 3.11 or newer";
  return old.length === 0
    ? `${what}, and no Python was found on the PATH. Install one, or uv, then try again.`
    : `${what}; there is only Python ${[...new Set(old)].join(" and ")}. Install a newer one, or uv, then try again.`;
}

async function probe(file: string, options: RunOptions): Promise<{ version: string; able: boolean } | undefined> {
  try {
    const { code, output } = await run([file, "-c", PROBE], options);
    const found = /^(\d+\.\d+\.\d+) ([01])\s*$/m.exec(output);
    return code === 0 && found?.[1] !== undefined ? { version: found[1], able: found[2] === "1" } : undefined;
  } catch (error) {
    options.signal?.throwIfAborted();
    options.heard?.(`${file} does not run: ${String(error)}`);
    return undefined;
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
