import assert from "node:assert/strict";
import { test } from "node:test";
import type { Asked } from "../src/protocol";
import { fakeVscode, type Code } from "./fakeVscode";

const asked: Asked = {
  message: "May it?",
  actions: [{ title: "Yes" }, { title: "No" }],
  coeditor: { question: "q1", agent: "an agent", files: [{ uri: "file:///w/a", kind: "", verb: "", before: "a", after: "b" }] },
};

/** A window with the diff of the question in it; gives which tabs were closed. */
function window(vscode: Code, how: { diff: Promise<void>; close: Promise<void> }): object[] {
  class Uri {
    readonly path = "/w/a";
    constructor(private readonly words: string) {}
    readonly with = (): this => this;
    readonly toString = (): string => this.words;
    static readonly parse = (words: string): Uri => new Uri(words);
    static readonly from = (parts: { scheme: string; query: string }): Uri => new Uri(`${parts.scheme}:${parts.query}`);
  }
  class TabInputTextDiff {
    constructor(readonly modified: Uri) {}
  }
  class Cancelling {
    readonly token = {};
    readonly cancel = (): undefined => undefined;
    readonly dispose = (): undefined => undefined;
  }
  const closed: object[] = [];
  const tabs: object[] = [];
  Object.assign(vscode.commands, {
    executeCommand: async (name: string, _: Uri, modified: Uri) => {
      if (name === "vscode.diff") {
        tabs.push({ input: new TabInputTextDiff(modified) });
        await how.diff;
      }
    },
  });
  const tabGroups = {
    all: [{ tabs }],
    close: async (ours: object[]) => {
      closed.push(...ours);
      await how.close;
    },
  };
  Object.assign(vscode.window, { tabGroups });
  Object.assign(vscode.Uri, { parse: Uri.parse, from: Uri.from });
  Object.assign(vscode, { TabInputTextDiff, TabInputText: Cancelling, CancellationTokenSource: Cancelling });
  return closed;
}

test("an answer counts, and its diff goes, whatever the window makes of the tabs", async (context) => {
  const { vscode } = fakeVscode();
  const { Approvals } = await import("../src/views/approvals.js");
  const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };
  const fine = Promise.resolve();
  const fails = Promise.reject(new Error("VS Code is closing"));
  fails.catch(() => undefined);
  const rows = [
    { what: "all is well", diff: fine, close: fine, closedBefore: 0 },
    { what: "the tab does not close", diff: fine, close: fails, closedBefore: 0 },
    { what: "the diff is not shown whole", diff: fails, close: fine, closedBefore: 1 },
    { what: "neither", diff: fails, close: fails, closedBefore: 1 },
  ];
  for (const { what, closedBefore, ...how } of rows) {
    await context.test(what, async () => {
      const closed = window(vscode, how);
      const questions = {
        ask: () => {
          assert.equal(closed.length, closedBefore);
          return Promise.resolve("Yes");
        },
      };
      const approvals = new Approvals(questions as never);
      assert.deepEqual(await approvals.ask(asked, token as never), { title: "Yes" });
      assert.equal(closed.length, 1);
      approvals.dispose();
    });
  }
});
