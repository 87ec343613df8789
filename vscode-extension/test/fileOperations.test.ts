import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf } from "../src/editing/hash";
import { fakeVscode, type Code } from "./fakeVscode";

/** The window as far as a delete reaches it: it runs over a key that was pressed at the same moment. */
interface Row {
  what: string;
  /** What the window refuses or throws at while the typing is brought back. */
  gone?: true;
  apply?: () => Promise<boolean>;
  open?: () => Promise<object>;
  show?: () => Promise<void>;
  untitled?: () => Promise<object>;
  /** Where the typing is in the end, and what the person reads. */
  found: "in the file" | "without a file" | "copied";
  said?: RegExp;
}

const fails = (): Promise<never> => Promise.reject(new Error("VS Code is closing"));
const rows: Row[] = [
  { what: "goes back", found: "in the file" },
  { what: "goes back and is not shown", show: fails, found: "in the file" },
  { what: "has no file any more", gone: true, found: "without a file", said: /a\.txt was deleted while you typed in it/ },
  { what: "is refused", apply: () => Promise.resolve(false), found: "without a file", said: /without a file/ },
  { what: "fails", apply: fails, found: "without a file", said: /without a file/ },
  { what: "meets a file that does not open", open: fails, found: "without a file", said: /without a file/ },
  { what: "fits nowhere", open: fails, untitled: fails, found: "copied", said: /could not be put back: Error: VS Code is closing/ },
];

test("typing that a delete ran over is never dropped silently", async (context) => {
  const { vscode, live } = fakeVscode();
  const { operate } = await import("../src/editing/fileOperations.js");
  const made = vscode.workspace.createFileSystemWatcher as unknown as () => object;
  const tells = { onDidCreate: (told: () => void) => { setImmediate(told); } };
  const watch = (): object => Object.assign(made(), tells);
  for (const row of rows) {
    await context.test(`it ${row.what}`, async () => {
      const found = await bringing(vscode, operate, watch, row);
      assert.equal(found.at, row.found);
      assert.equal(found.said.length, row.said === undefined ? 0 : 1);
      assert.match(found.said[0] ?? "", row.said ?? /^$/);
      assert.deepEqual(live().filter((name) => name.endsWith("Watcher")), []);
    });
  }
});

type Operate = (typeof import("../src/editing/fileOperations.js"))["operate"];

async function bringing(
  vscode: Code,
  operate: Operate,
  watch: () => object,
  row: Row,
): Promise<{ at: string; said: string[] }> {
  let text = "one\n";
  const said: string[] = [];
  const uri = { path: "/w/a.txt", toString: () => "file:///w/a.txt" };
  const document = { uri, isClosed: false, isDirty: false, lineCount: 2, getText: () => text };
  let edits = 0;
  let end: (at: string) => void = () => undefined;
  const ended = new Promise<{ at: string; said: string[] }>((resolve) => {
    end = (at) => { setImmediate(() => { resolve({ at, said }); }); };
  });
  Object.assign(vscode.Uri, { parse: () => uri });
  Object.assign(vscode.workspace, {
    textDocuments: [document],
    asRelativePath: () => "a.txt",
    fs: { stat: () => (row.gone === undefined ? Promise.resolve() : fails()) },
    createFileSystemWatcher: watch,
    applyEdit: async () => {
      edits += 1;
      if (edits === 1) {
        text = "typed one\n";
        return true;
      }
      const done = await (row.apply?.() ?? Promise.resolve(true));
      if (done) {
        end("in the file");
      }
      return done;
    },
    openTextDocument: async (what: object) => {
      if (what === uri) {
        return row.open?.() ?? document;
      }
      assert.deepEqual(what, { content: "typed one\n" });
      const made = (await row.untitled?.()) ?? {};
      end("without a file");
      return made;
    },
  });
  const say = (words: string, ...buttons: string[]): Promise<string | undefined> => {
    said.push(words);
    return Promise.resolve(buttons[0]);
  };
  Object.assign(vscode.window, {
    showTextDocument: row.show ?? (() => Promise.resolve()),
    showWarningMessage: say,
    showErrorMessage: say,
  });
  const copied = (words: string): void => {
    assert.equal(words, "typed one\n");
    end("copied");
  };
  Object.assign(vscode.env, { clipboard: { writeText: copied } });
  const operations = [{ kind: "delete" as const, uri: "file:///w/a.txt", before: hashOf("one\n") }];
  const answer = await operate({ protocol: 1, edit_id: "e", label: "x", expires: Date.now() + 60_000, operations });
  assert.equal(answer.applied, false);
  return ended;
}
