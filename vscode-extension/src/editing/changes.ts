/** Waiting for the change of a document that something else has caused, without polling. */
import * as vscode from "vscode";

export interface Watch {
  /** Resolves at the first change of text that `wanted` accepts, or with undefined after `milliseconds`. */
  readonly seen: (milliseconds: number) => Promise<string | undefined>;
  readonly dispose: () => void;
}

/** Keeps the text after the first change of `document` that `wanted` accepts; listening starts now. */
export function watchChange(document: vscode.TextDocument, wanted: (text: string) => boolean = () => true): Watch {
  let found: string | undefined;
  let tell: ((text: string | undefined) => void) | undefined;
  const listener = vscode.workspace.onDidChangeTextDocument((event) => {
    // Without content changes it is the dirty flag or the encoding that changed.
    if (event.document !== document || event.contentChanges.length === 0 || found !== undefined) {
      return;
    }
    const text = document.getText();
    if (wanted(text)) {
      found = text;
      tell?.(text);
    }
  });
  return {
    seen: (milliseconds) =>
      new Promise((resolve) => {
        if (found !== undefined) {
          resolve(found);
          return;
        }
        const timer = setTimeout(() => { resolve(undefined); }, milliseconds);
        tell = (text) => {
          clearTimeout(timer);
          resolve(text);
        };
      }),
    dispose: () => { listener.dispose(); },
  };
}
