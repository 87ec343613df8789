import assert from "node:assert/strict";
import { test } from "node:test";
import manifest from "../package.json";
import { fakeVscode } from "./fakeVscode";

test("what the extension makes while it starts is gone when it is deactivated", async () => {
  const { live } = fakeVscode();
  const { activate, deactivate } = await import("../src/extension.js");
  const subscriptions: { dispose(): unknown }[] = [];
  const context = {
    subscriptions,
    extension: { id: "coeditor.coeditor", packageJSON: manifest },
    extensionUri: {},
    extensionPath: "/nowhere",
    globalStorageUri: { fsPath: "/nowhere" },
    environmentVariableCollection: {},
  };
  activate(context as never);
  assert.ok(live().length > 50, live().join("\n"));
  await deactivate();
  for (const one of [...subscriptions].reverse()) {
    one.dispose();
  }
  assert.deepEqual(live(), []);
});
