import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsOf, hunksOf, lastEdit, nextPlace, placeOf } from "../src/review/groups";
import type { Hunk, Review } from "../src/review/types";
import { fileWords, groupWords, hunkWords, seenWords } from "../src/review/words";

const nobody = (): undefined => undefined;

function hunk(name: string, more: Partial<Hunk> = {}): Hunk {
  return {
    hunk: name,
    kind: "lines",
    start_line: 2,
    end_line: 3,
    before: "old\n",
    after: "one\ntwo\n",
    added: 2,
    removed: 1,
    edits: [{ edit_id: "e1", session: "s1", turn: "t1", agent: "claude-code", time: "2026-01-01T10:00:00.000Z" }],
    undoable: true,
    ...more,
  };
}

const later = { edit_id: "e2", session: "s1", turn: "t2", agent: "claude-code", time: "2026-01-01T11:00:00.000Z" };
const review: Review = {
  pending: 3,
  files: [
    { file_path: "/w/a.py", operation: "update", hunks: [hunk("h1"), hunk("h2", { edits: [later] })] },
    { file_path: "/w/b.py", operation: "create", hunks: [hunk("h3", { edits: [...hunk("x").edits, later] })] },
  ],
};

test("the newest turn comes first, and a hunk of several turns stands with the last", () => {
  const [first, second, ...others] = groupsOf(review);
  assert.equal(others.length, 0);
  assert.deepEqual(hunksOf(first!).map((one) => one.hunk), ["h2", "h3"]);
  assert.deepEqual(hunksOf(second!).map((one) => one.hunk), ["h1"]);
  assert.deepEqual([first?.turn, second?.turn], ["t2", "t1"]);
  assert.equal(first?.time, later.time);
});

test("an edit that the server has forgotten is still shown", () => {
  const [only] = groupsOf({ pending: 1, files: [{ file_path: "/w/a", operation: "update", hunks: [hunk("h", { edits: [] })] }] });
  assert.equal(groupWords(only!, nobody).label, "An agent");
  assert.equal(lastEdit(hunk("h", { edits: [] })), undefined);
});

test("words for eyes have signs, words for screen readers do not", () => {
  const [group] = groupsOf(review);
  assert.deepEqual(groupWords(group!, () => "Claude Code in terminal 2"), {
    label: "Claude Code in terminal 2, turn t2",
    description: "2 files +4 −2",
    spoken: "Claude Code in terminal 2, turn t2: 2 files, 4 lines added, 2 removed",
  });
  assert.deepEqual(fileWords(group!.files[1]!, "src/b.py"), {
    label: "b.py",
    description: "src · new · +2 −1",
    spoken: "b.py in src, new, 2 lines added, 1 removed",
  });
});

for (const { more, label, spoken } of [
  { more: {}, label: "lines 2–3", spoken: /^lines 2–3, 2 lines added, 1 removed: one$/ },
  { more: { end_line: 2 }, label: "line 2", spoken: /^line 2, / },
  { more: { end_line: 1, after: "", added: 0 }, label: "after line 1", spoken: /1 removed: old$/ },
  { more: { start_line: 1, end_line: 0, after: "" }, label: "before line 1", spoken: /^before/ },
  { more: { kind: "delete", undoable: false } as const, label: "the deleted file", spoken: /cannot be undone by itself/ },
]) {
  test(`a hunk is called ${label}`, () => {
    const words = hunkWords(hunk("h", more));
    assert.equal(words.label, label);
    assert.match(words.spoken, spoken);
  });
}

for (const { name, more, lines, place } of [
  { name: "its own lines", more: {}, lines: ["zero", "one", "two", ""], place: { first: 1, last: 2 } },
  { name: "other lines", more: {}, lines: ["zero", "one", "2", ""], place: undefined },
  { name: "a shorter text", more: {}, lines: ["zero", "one"], place: undefined },
  { name: "endings of another kind", more: { after: "one\r\ntwo\r\n" }, lines: ["0", "one", "two"], place: { first: 1, last: 2 } },
  { name: "removed lines", more: { start_line: 3, end_line: 2, after: "" }, lines: ["a", "b", "c"], place: { first: 2, last: 2 } },
  { name: "removed last lines", more: { start_line: 4, end_line: 3, after: "" }, lines: ["a", "b", "c"], place: { first: 2, last: 2 } },
  { name: "a new file", more: { kind: "create", start_line: 1, end_line: 9 } as const, lines: ["a", "b"], place: { first: 0, last: 1 } },
  { name: "a new file that is empty", more: { kind: "create", start_line: 1, end_line: 0 } as const, lines: [""], place: { first: 0, last: 0 } },
  { name: "a deleted file", more: { kind: "delete", start_line: 1, end_line: 0 } as const, lines: [""], place: undefined },
]) {
  test(`a hunk is marked only where the text shows it: ${name}`, () => {
    assert.deepEqual(placeOf(hunk("h", more), lines), place);
  });
}

for (const { file, words } of [
  { file: { state: "absent" } as const, words: "looked for, not there" },
  { file: { state: "present", total_lines: 9, shown: [[1, 9]] } as const, words: "all of it" },
  { file: { state: "present", total_lines: 0, shown: [] } as const, words: "all of it" },
  { file: { state: "present", total_lines: 9, shown: [[1, 2], [4, 4]] } as const, words: "lines 1–2, 4 of 9" },
  { file: { state: "present", total_lines: 9, shown: [] } as const, words: "no line of it as it is now" },
]) {
  test(`what an agent has seen: ${words}`, () => {
    assert.equal(seenWords({ file_path: "/w/a", time: "", ...file, shown: "shown" in file ? file.shown.map(([a, b]) => [a, b] as const) : [] }), words);
  });
}

const hunkPlaces = [["a", 1], ["a", 3], ["b", 0]].map(([uri, line]) => ({ uri: String(uri), line: Number(line) }));
for (const { at, by, lines, wanted } of [
  { at: ["a", 0], by: 1, lines: 9, wanted: 0 },
  { at: ["a", 1], by: 1, lines: 9, wanted: 1 },
  { at: ["a", 3], by: 1, lines: 9, wanted: 2 },
  { at: ["a", 2], by: 1, lines: 3, wanted: 2 }, // the last lines were removed, and no line end is left
  { at: ["b", 0], by: 1, lines: 1, wanted: 0 },
  { at: ["x", 5], by: 1, lines: 9, wanted: 0 },
  { at: ["a", 3], by: -1, lines: 9, wanted: 0 },
  { at: ["a", 2], by: -1, lines: 3, wanted: 0 },
  { at: ["a", 1], by: -1, lines: 9, wanted: 2 },
] as const) {
  test(`from line ${at[1]} of ${lines} in ${at[0]} the ${by > 0 ? "next" : "previous"} change is number ${wanted}`, () => {
    const cursor = { uri: at[0], line: at[1], lines };
    assert.equal(nextPlace(hunkPlaces, cursor, by), hunkPlaces[wanted]);
  });
}
