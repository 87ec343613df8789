import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeVscode } from "./fakeVscode";

interface Row {
  name: string;
  opens: boolean;
}
const [ONE, TWO, FOLDED] = [{ name: "one", opens: true }, { name: "two", opens: true }, { name: "folded", opens: false }] as const;

/** A key as VS Code runs it: the selection before, the row that has the keyboard, and what is opened by then, or later. */
const rows: { what: string; before: Row[]; at?: Row; opened?: Row; later?: Row; acts: string[] }[] = [
  { what: "is about the row that it opens", before: [], at: ONE, opened: ONE, acts: ["one"] },
  { what: "is about the row that has the keyboard, not the one selected before", before: [TWO], at: ONE, opened: ONE, acts: ["one"] },
  { what: "is about a row that opens after the key has ended", before: [TWO], at: ONE, later: ONE, acts: ["one"] },
  { what: "is about a row that does not open", before: [], at: FOLDED, acts: ["folded"] },
  { what: "is about all that were selected on purpose", before: [ONE, TWO], at: TWO, opened: TWO, acts: ["one", "two"] },
  { what: "where no row has the keyboard is about none, nor about one that is opened afterwards", before: [], later: ONE, acts: [] },
];

test("a key in a view", async (context) => {
  const { vscode } = fakeVscode();
  const { RowKeys } = await import("../src/views/rowKeys.js");
  for (const row of rows) {
    await context.test(row.what, async () => {
      const commands = new Map<string, (how?: string) => unknown>();
      Object.assign(vscode.commands, {
        registerCommand: (name: string, run: (how?: string) => unknown) => {
          commands.set(name, run);
          return new vscode.Disposable(() => undefined);
        },
      });
      const acted: string[] = [];
      const view = { selection: row.before };
      const keys = new RowKeys<Row, string>("key", view, ({ opens }) => opens, (_how, found) => {
        acted.push(...found.map(({ name }) => name));
        return Promise.resolve();
      });
      const open = async (opened: Row | undefined): Promise<void> => { await (opened && keys.taken(opened)); };
      commands.get("key")?.("keep");
      view.selection = row.at === undefined ? [] : [row.at];
      await open(row.opened);
      await commands.get("keyDone")?.();
      await open(row.later);
      assert.deepEqual(acted, row.acts);
    });
  }
});
