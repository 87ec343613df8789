// Makes coeditor.vsix: the wheel, the bundle, the package. The same sources give the same bytes: times in the
// archives are SOURCE_DATE_EPOCH, else that of the last commit.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const commit = spawnSync("git", ["log", "-1", "--format=%ct"], { cwd: here, encoding: "utf8" });
const time = process.env.SOURCE_DATE_EPOCH || commit.stdout?.trim() || "315532800";
const env = { ...process.env, SOURCE_DATE_EPOCH: time, TZ: "UTC" };

const vsce = join("node_modules", "@vscode", "vsce", "vsce");
const steps = [
  [join("scripts", "wheel.mjs")],
  [vsce, "package", "--no-dependencies", "--allow-missing-repository", "--out", "coeditor.vsix"],
];
for (const words of steps) {
  const done = spawnSync(process.execPath, words, { cwd: here, env, stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
