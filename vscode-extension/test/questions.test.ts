/** The text of a question to the person. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { questionText } from "../src/views/questionText";

const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)\)/gi; // as VS Code finds them

const linksOf = (text: string): string[] => [...text.matchAll(LINK)].map((found) => found[1] ?? "");

test("each answer is a link, and nothing else is", () => {
  const rows: [string, string][] = [
    ["Ada wants to overwrite a.txt.", "plain"],
    ["Ada wants to overwrite [Refuse](command:workbench.action.quit).", "a name that looks like a link"],
    ["[a]([b](https://example.org) wants to delete x](file:/y).", "several"],
    [`${"long ".repeat(300)}[z](command:z`, "longer than a notification"],
  ];
  for (const [text, name] of rows) {
    const shown = questionText(text, ["Allow Once", "Allow for This Session", "Refuse"], "c.answer", "0a");
    assert.deepEqual(linksOf(shown), ["Allow Once", "Allow for This Session", "Refuse"], name);
    assert.ok(shown.length < 1_000, name);
    assert.ok(shown.includes("(command:c.answer?%5B%220a%22%2C2%5D)"), name);
  }
});
