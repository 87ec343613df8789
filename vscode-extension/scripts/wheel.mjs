// Puts the project's own wheel into wheel/, from which the extension makes its private environment.
// Without Python the extension is packaged all the same: it then needs `coeditor` on the PATH.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(here, "wheel");
rmSync(out, { recursive: true, force: true });

const pythons = [process.env.COEDITOR_PYTHON, "python3", "python"].filter(Boolean);
for (const python of pythons) {
  const command = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", out, ".."];
  const done = spawnSync(python, command, { cwd: here, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  if (done.status === 0) {
    console.log(`wheel: ${readdirSync(out).join(", ")}`);
    process.exit(0);
  }
  console.warn(`wheel: ${python} could not build it: ${(done.error?.message ?? done.stderr).trim().split("\n").pop()}`);
}
console.warn("wheel: none is bundled; the extension will ask for coeditor on the PATH");
