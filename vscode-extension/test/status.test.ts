import assert from "node:assert/strict";
import { test } from "node:test";
import type { DidApplyEdit } from "../src/protocol";
import { editText, nameOf, statusText } from "../src/views/statusText";

const edit: DidApplyEdit = {
  edit_id: "e1",
  session: "s1",
  agent: "claude-code",
  tool: "apply_patch",
  time: "2026-01-01T00:00:00Z",
  files: [
    { uri: "file:///w/a%20b.ts", operation: "update", added: 3, removed: 1 },
    { uri: "file:///w/c.ts", operation: "create", added: 4, removed: 0 },
  ],
};
const idle = { running: true, agents: [], unsavedConflicts: 0, pending: 0, conflicts: 0, lastEdit: undefined };
const agent = { session: "s1", name: "claude-code", since: "2026-01-01T00:00:00Z" };

test("without a server it says so", () => {
  assert.match(statusText({ ...idle, running: false }).tooltip, /no server/);
});

test("the number of agents stands in the bar", () => {
  assert.equal(statusText(idle).text, "$(edit) Coeditor");
  assert.equal(statusText({ ...idle, agents: [agent] }).text, "$(edit) Coeditor: 1 agent");
  assert.equal(statusText({ ...idle, agents: [agent, agent] }).text, "$(edit) Coeditor: 2 agents");
});

test("what waits for the person stands in the bar, and only conflicts are urgent", () => {
  assert.equal(statusText({ ...idle, pending: 1 }).text, "$(edit) Coeditor: 1 change");
  assert.equal(statusText({ ...idle, pending: 2 }).isUrgent, false);
  const found = statusText({ ...idle, agents: [agent], pending: 2, conflicts: 1 });
  assert.equal(found.text, "$(edit) Coeditor: 1 agent, 2 changes, $(warning) 1 conflict");
  assert.equal(found.isUrgent, true);
  assert.match(found.label, /2 changes to look at, 1 conflict to decide about/);
});

test("the tooltip names the agents, what waits, and the last edit", () => {
  const found = statusText({ ...idle, agents: [agent], unsavedConflicts: 2, lastEdit: edit });
  for (const part of [/claude-code \(s1\)/, /not saved: 2/, /apply_patch in a b\.ts and 1 more \(\+7 −1\)/]) {
    assert.match(found.tooltip, part);
    assert.match(found.label, part);
  }
});

test("an edit of nobody known, and a name that is no valid escape, still read well", () => {
  assert.match(editText({ ...edit, agent: null, files: [] }), /^an agent, apply_patch in no file/);
  assert.equal(nameOf("file:///w/100%.md"), "100%.md");
});
