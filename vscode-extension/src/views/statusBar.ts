/** The status bar item: agents connected, and the last edit. */
import * as vscode from "vscode";
import type { Agents, DidApplyEdit } from "../protocol";
import { statusText, type Status } from "./statusText";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("coeditor.status", vscode.StatusBarAlignment.Right, 100);
  private status: Status = { running: false, agents: [], unsavedConflicts: 0, lastEdit: undefined };

  constructor() {
    this.item.name = "Coeditor";
    this.show({});
    this.item.show();
  }

  running(running: boolean): void {
    this.show(running ? { running } : { running, agents: [], unsavedConflicts: 0 });
  }

  agents(found: Agents): void {
    this.show({ agents: found.agents, unsavedConflicts: found.unsaved_conflicts });
  }

  lastEdit(lastEdit: DidApplyEdit): void {
    this.show({ lastEdit });
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(news: Partial<Status>): void {
    this.status = { ...this.status, ...news };
    const { text, tooltip, label } = statusText(this.status);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label, role: "button" };
    this.item.command = this.status.lastEdit === undefined ? "coeditor.showLog" : "coeditor.showLastEdit";
  }
}
