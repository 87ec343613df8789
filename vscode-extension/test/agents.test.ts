import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { conversationOf } from "../src/agents/conversation";
import { launcher } from "../src/agents/launcher";
import { filesOf, invocationText, questionOf } from "../src/agents/toolTexts";
import { programOf } from "../src/server/command";

const local = (name: string): object => ({
  sessionResource: {
    $mid: 1,
    scheme: "vscode-chat-session",
    authority: "local",
    path: `/${Buffer.from(name).toString("base64")}`,
  },
});
const other = { sessionResource: { scheme: "copilotcli", authority: "", path: "/4f1c" } };

test("a conversation has the name that MCP servers are told", () => {
  assert.equal(conversationOf(local("5ef2-41")), "5ef2-41");
  assert.equal(conversationOf(other), "copilotcli:///4f1c");
});

test("no token is no conversation, tokens of other forms are told apart", () => {
  assert.equal(conversationOf(undefined), undefined);
  const names = [{ id: 1 }, { id: 2 }, "x", local("x".repeat(500))].map(conversationOf);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.every((name) => name !== undefined && name.length <= 200));
  assert.equal(conversationOf({ id: 1 }), conversationOf({ id: 1 }));
});

const lines: [string, object, RegExp][] = [
  ["read", { file_path: "a b.ts" }, /^Reading `a b\.ts`$/],
  ["grep", { pattern: "x`y" }, /^Searching for ``x`y``$/],
  ["apply_patch", { patch: "*** Begin Patch\n*** Add File: a\n*** Move File: b -> c\n" }, /^Patching `a`, `b`$/],
  ["status", {}, /^The title$/],
  ["read", { file_path: 5 }, /^The title$/],
];
for (const [tool, input, wanted] of lines) {
  test(`while it runs: ${tool} ${JSON.stringify(input)}`, () => {
    assert.match(invocationText(tool, "The title", input as Record<string, unknown>), wanted);
  });
}

const asked: [string, object, RegExp][] = [
  ["edit", { file_path: "a", old_string: "x\ny", new_string: "z" }, /^```diff\n-x\n-y\n\+z\n```$/],
  ["edit", { file_path: "a", start_line: 2, end_line: 3, new_string: "z" }, /-lines 2 to 3\n\+z/],
  ["write", { file_path: "a", content: "``` not the end" }, /^````\n``` not the end\n````$/],
  ["write", { file_path: "a", content: "x".repeat(9_999) }, /^```\nx{2000}\n\.\.\.\n```$/],
  ["apply_patch", { patch: "*** Begin Patch" }, /^```diff\n\*\*\* Begin Patch\n```$/],
  ["rewind", { to: "e1", file_path: "a" }, /^From `e1` on in `a`/],
  ["edit_notebook", { file_path: "a", mode: "delete" }, /`delete`/],
  ["context_event", { event: "scopeEnded" }, /scopeEnded/],
];
for (const [tool, input, wanted] of asked) {
  test(`asked before: ${tool} ${JSON.stringify(input).slice(0, 60)}`, () => {
    const found = questionOf(tool, "The title", input as Record<string, unknown>);
    assert.match(found?.title ?? "", /^The title/);
    assert.match(found?.message ?? "", wanted);
  });
}

test("what only plans is not asked about", () => {
  assert.equal(questionOf("apply_patch", "", { patch: "", validate_only: true }), undefined);
  assert.equal(questionOf("rewind", "", { to: "e1", dry_run: true }), undefined);
});

test("a patch names each file once", () => {
  assert.deepEqual(filesOf("*** Update File: a\n*** Update File: a\n*** Delete File: b c\n+*** Add File: d"), ["a", "b c"]);
});

test("the program is what stands before serve", () => {
  assert.deepEqual(programOf(["python", "-m", "lsp_server", "serve", "--root", "/x"]), ["python", "-m", "lsp_server"]);
  assert.deepEqual(programOf(["/bin/coeditor"]), ["/bin/coeditor"]);
});

test("the launcher hands on every word as it is", () => {
  const folder = mkdtempSync(join(tmpdir(), "launcher-"));
  try {
    const file = join(folder, "coeditor");
    writeFileSync(file, launcher([process.execPath, "-p", "JSON.stringify(process.argv.slice(1))", "it's $HOME"]), { mode: 0o755 });
    const done = spawnSync(file, ["a b", "*"], { encoding: "utf8" });
    assert.deepEqual(JSON.parse(done.stdout), ["it's $HOME", "a b", "*"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
