// Bundles the extension into dist/, or with --tests each unit test into dist-test/.
import { rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { build } from "esbuild";

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  logLevel: "warning",
};

if (process.argv.includes("--tests")) {
  rmSync("dist-test", { recursive: true, force: true });
  const names = (await readdir("test")).filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    entryPoints: names.map((name) => `test/${name}`),
    outdir: "dist-test",
    outExtension: { ".js": ".cjs" },
    sourcemap: "inline",
  });
} else {
  rmSync("dist", { recursive: true, force: true });
  // Two files: the language client is loaded once a server is started, not while the window starts.
  await build({
    ...common,
    entryPoints: { extension: "src/extension.ts", client: "src/server/client.ts" },
    outdir: "dist",
    external: ["vscode", "./client.js"],
    minify: true,
  });
}
