import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseCommand, onPath, type ServerCommand, type Surroundings } from "../src/server/command";

const nothing: Surroundings = {
  setting: [],
  path: "/usr/bin:/opt/bin",
  isExecutable: () => false,
  ready: undefined,
  wheel: undefined,
};

const rows: [string, Partial<Surroundings>, ServerCommand][] = [
  [
    "the setting comes first",
    { setting: ["/v/bin/coeditor"], isExecutable: () => true },
    { kind: "command", words: ["/v/bin/coeditor", "serve"], from: "setting" },
  ],
  [
    "a whole command is taken as it is",
    { setting: ["python", "-m", "lsp_server", "serve", "--root", "/x"] },
    { kind: "command", words: ["python", "-m", "lsp_server", "serve", "--root", "/x"], from: "setting" },
  ],
  [
    "then the PATH",
    { isExecutable: (file) => file === "/opt/bin/coeditor", ready: "/p/bin/coeditor" },
    { kind: "command", words: ["/opt/bin/coeditor", "serve"], from: "path" },
  ],
  [
    "then the private environment",
    { ready: "/p/bin/coeditor", wheel: "/e/w.whl" },
    { kind: "command", words: ["/p/bin/coeditor", "serve"], from: "private" },
  ],
  ["which is made when there is a wheel", { wheel: "/e/w.whl" }, { kind: "make", wheel: "/e/w.whl" }],
];

for (const [name, around, wanted] of rows) {
  test(`command: ${name}`, () => {
    assert.deepEqual(chooseCommand({ ...nothing, ...around }), wanted);
  });
}

test("command: without anything there is a remedy that names the setting", () => {
  const found = chooseCommand(nothing);
  assert.match(found.kind === "none" ? found.remedy : found.kind, /coeditor\.server\.command/);
});

test("relative folders of the PATH are not looked into", () => {
  assert.equal(onPath("coeditor", { path: ".:bin::/a", isExecutable: (file) => file !== "/a/coeditor" }), undefined);
});
