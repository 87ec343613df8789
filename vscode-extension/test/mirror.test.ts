import assert from "node:assert/strict";
import { test } from "node:test";
import { LARGEST, selected } from "../src/mirror/selected";
import { StateTable } from "../src/mirror/stateTable";
import type { DocumentState } from "../src/protocol";

const state: DocumentState = { uri: "file:///a", version: 1, dirty: false, encoding: "utf8", eol: "lf" };

test("only what differs from what was told is news", () => {
  const table = new StateTable();
  assert.ok(table.isNews(state));
  assert.ok(!table.isNews({ ...state, version: 2 }), "a version alone is no news");
  assert.ok(table.isNews({ ...state, version: 2, dirty: true }));
  assert.ok(table.isNews({ ...state, version: 3, dirty: true, encoding: "utf16le" }));
  assert.ok(table.isNews({ ...state, uri: "file:///b" }), "another document");
});

test("a document that was closed, or a server that is new, is told again", () => {
  const table = new StateTable();
  table.isNews(state);
  table.forget(state.uri);
  assert.ok(table.isNews(state));
  table.clear();
  assert.ok(table.isNews(state));
});

test("our own problems are left out, the order is kept", () => {
  const found = [{ severity: 2, source: "ts" }, { severity: 0, source: "Coeditor" }, { severity: 0 }];
  assert.deepEqual(selected(found), [found[0], found[2]]);
});

test("of too many problems the worst are told", () => {
  const found = Array.from({ length: LARGEST + 5 }, (_, at) => ({ severity: at % 4 }));
  const told = selected(found);
  assert.equal(told.length, LARGEST);
  assert.equal(told.filter((one) => one.severity === 0).length, found.filter((one) => one.severity === 0).length);
  assert.ok(told.every((one, at) => at === 0 || (told[at - 1]?.severity ?? 0) <= one.severity));
});
