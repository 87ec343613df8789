/** The status bar item: agents connected, what waits for the person, and the last edit. */
import * as vscode from "vscode";
import type { Agents, DidApplyEdit } from "../protocol";
import { statusText, type Status } from "./statusText";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("coeditor.status", vscode.StatusBarAlignment.Right, 100);
  private status: Status = {
    running: false,
    agents: [],
    unsavedConflicts: 0,
    pending: 0,
    conflicts: 0,
    lastEdit: undefined,
  };

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

  pending(pending: number): void {
    this.show({ pending });
  }

  conflicts(conflicts: number): void {
    this.show({ conflicts });
  }

  lastEdit(lastEdit: DidApplyEdit): void {
    this.show({ lastEdit });
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(news: Partial<Status>): void {
    this.status = { ...this.status, ...news };
    const { text, tooltip, label, isUrgent } = statusText(this.status);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label, role: "button" };
    this.item.backgroundColor = isUrgent ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.command = isUrgent ? "coeditor.openConflicts" : this.status.running ? "coeditor.openChanges" : "coeditor.showLog";
  }
}
