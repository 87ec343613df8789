/** What was last told of each document, so that only news is sent. Never: `vscode`; this is pure. */
import type { DocumentState } from "../protocol";

export class StateTable {
  private readonly told = new Map<string, string>();

  /** Whether this differs, the version aside, from what was told last; remembers it. */
  isNews(state: DocumentState): boolean {
    const found = JSON.stringify({ ...state, version: 0 });
    if (this.told.get(state.uri) === found) {
      return false;
    }
    this.told.set(state.uri, found);
    return true;
  }

  forget(uri: string): void {
    this.told.delete(uri);
  }

  clear(): void {
    this.told.clear();
  }
}
