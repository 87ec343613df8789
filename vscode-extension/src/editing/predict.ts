/**
 * The text that an editor has after a list of LSP edits, known before they are applied.
 *
 * VS Code gives every line break of an inserted text the document's own kind; what a server expects may so differ
 * from what would come out, and then nothing must be applied. Never: `vscode`; this is pure.
 */

export interface Position {
  line: number;
  character: number;
}

export interface TextEdit {
  range: { start: Position; end: Position };
  newText: string;
}

/** `text` with all `edits` applied at once; undefined when two of them overlap. */
export function predict(text: string, edits: readonly TextEdit[], eol: "\n" | "\r\n"): string | undefined {
  const starts = lineStarts(text);
  const spans = edits
    .map((edit, order) => ({
      start: offsetAt(text, starts, edit.range.start),
      end: offsetAt(text, starts, edit.range.end),
      newText: edit.newText.replace(/\r\n|\r|\n/g, eol),
      order,
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end || a.order - b.order);
  const parts: string[] = [];
  let done = 0;
  for (const span of spans) {
    if (span.start < done || span.end < span.start) {
      return undefined;
    }
    parts.push(text.slice(done, span.start), span.newText);
    done = span.end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/** Offsets at which the lines of `text` begin; only \n, \r\n and \r end a line. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) {
      starts.push(at + 1);
    } else if (code === 13 && text.charCodeAt(at + 1) !== 10) {
      starts.push(at + 1);
    }
  }
  return starts;
}

/** The offset of a UTF-16 position; one outside the text is clamped, as LSP says. */
function offsetAt(text: string, starts: readonly number[], position: Position): number {
  const start = starts[position.line];
  if (start === undefined) {
    return position.line < 0 ? 0 : text.length;
  }
  let end = starts[position.line + 1] ?? text.length;
  while (end > start && (text.charCodeAt(end - 1) === 10 || text.charCodeAt(end - 1) === 13)) {
    end -= 1;
  }
  return Math.min(start + Math.max(0, position.character), end);
}
