import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf } from "../src/editing/hash";
import { lineStarts, predict, type TextEdit } from "../src/editing/predict";

function edit(line: number, character: number, endLine: number, endCharacter: number, newText: string): TextEdit {
  return { range: { start: { line, character }, end: { line: endLine, character: endCharacter } }, newText };
}

const rows: [string, string, TextEdit[], "\n" | "\r\n", string | undefined][] = [
  ["no edit", "a\nb\n", [], "\n", "a\nb\n"],
  ["insertion at the start", "a\n", [edit(0, 0, 0, 0, "x")], "\n", "xa\n"],
  ["several, positions of the text before", "a\nb\nc\n", [edit(0, 0, 0, 1, "AA"), edit(2, 0, 2, 1, "")], "\n", "AA\nb\n\n"],
  ["order of sending does not matter", "a\nb\n", [edit(1, 0, 1, 1, "B"), edit(0, 0, 0, 1, "A")], "\n", "A\nB\n"],
  ["two insertions at one place keep their order", "", [edit(0, 0, 0, 0, "1"), edit(0, 0, 0, 0, "2")], "\n", "12"],
  ["a line is taken out", "a\r\nb\r\nc", [edit(1, 0, 2, 0, "")], "\r\n", "a\r\nc"],
  ["breaks take the document's kind", "a\r\n", [edit(1, 0, 1, 0, "b\nc\rd\r\n")], "\r\n", "a\r\nb\r\nc\r\nd\r\n"],
  ["U+2028 and form feed end no line", "a\u2028\fb\nc", [edit(1, 0, 1, 1, "C")], "\n", "a\u2028\fb\nC"],
  ["columns count UTF-16 units", "😀x\n", [edit(0, 2, 0, 3, "y")], "\n", "😀y\n"],
  ["positions outside are clamped", "ab\ncd", [edit(0, 99, 0, 99, "!"), edit(9, 0, 9, 0, "?")], "\n", "ab!\ncd?"],
  ["overlapping edits have no outcome", "abcdef", [edit(0, 0, 0, 3, "x"), edit(0, 2, 0, 5, "y")], "\n", undefined],
  ["a backward range has no outcome", "abcdef", [edit(0, 3, 0, 1, "x")], "\n", undefined],
];

for (const [name, before, edits, eol, after] of rows) {
  test(`predict: ${name}`, () => {
    assert.equal(predict(before, edits, eol), after);
  });
}

test("predict gives the same as splitting by hand, for many single edits", () => {
  const text = "one\r\ntwo\n\nthree\rfour";
  const starts = lineStarts(text);
  assert.deepEqual(starts, [0, 5, 9, 10, 16]);
  for (let start = 0; start <= text.length; start += 1) {
    for (let end = start; end <= text.length; end += 1) {
      const [from, to] = [positionOf(text, starts, start), positionOf(text, starts, end)];
      if (from !== undefined && to !== undefined) {
        const made = predict(text, [edit(...from, ...to, "X")], "\n");
        assert.equal(made, `${text.slice(0, start)}X${text.slice(end)}`);
      }
    }
  }
});

/** Undefined inside a line break, which no position names. */
function positionOf(text: string, starts: number[], offset: number): [number, number] | undefined {
  const line = starts.findLastIndex((start) => start <= offset);
  const start = starts[line] ?? 0;
  return /[\r\n]/.test(text.slice(start, offset)) ? undefined : [line, offset - start];
}

test("the hash is SHA-256 of UTF-8 with the endings as they are", () => {
  assert.equal(hashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.notEqual(hashOf("a\r\n"), hashOf("a\n"));
});
