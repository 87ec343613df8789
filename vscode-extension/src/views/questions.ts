/**
 * A question to the person that stops nobody: a notification that stays until it is answered and goes by itself when
 * the matter is settled otherwise, an item in the status bar, and a command for the keyboard.
 *
 * VS Code takes away from code only what shows progress, and progress has no buttons of ours: the answers are links.
 * Never: the keyboard taken from the person, or an answer that the person did not give.
 */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { questionText } from "./questionText";

const COMMAND = "coeditor.answerQuestion";

interface Question {
  /** Not to be guessed: only our own links name it. */
  readonly id: string;
  readonly text: string;
  readonly titles: readonly string[];
  /** Nothing: closed without a choice. */
  readonly finish: (title?: string) => void;
}

export class Questions implements vscode.Disposable {
  /** The one asked first comes first. */
  private open: readonly Question[] = [];
  private picker: vscode.QuickPick<vscode.QuickPickItem> | undefined;
  private readonly item = vscode.window.createStatusBarItem("coeditor.question", vscode.StatusBarAlignment.Right, 101);
  private readonly command = vscode.commands.registerCommand(COMMAND, (id?: unknown, number?: unknown) => {
    if (id === undefined) {
      this.pick();
    } else {
      const question = this.open.find((one) => one.id === id);
      question?.finish(typeof number === "number" ? question.titles[number] : undefined);
    }
  });

  constructor() {
    this.item.name = "Coeditor: Question";
    this.item.command = COMMAND;
    this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
  }

  /** The title that the person chose; nothing where the question was closed, or taken back by `token`. */
  async ask(text: string, titles: readonly string[], token: vscode.CancellationToken): Promise<string | undefined> {
    let finish: (title?: string) => void = () => undefined;
    const answer = new Promise<string | undefined>((resolve) => { finish = resolve; });
    const question: Question = { id: randomBytes(6).toString("hex"), text, titles, finish };
    const withdrawing = token.onCancellationRequested(() => { finish(); });
    this.tell([...this.open, question]);
    notify(question, answer);
    try {
      return await (token.isCancellationRequested ? undefined : answer);
    } finally {
      finish();
      withdrawing.dispose();
      this.tell(this.open.filter((one) => one !== question));
    }
  }

  /** The server that asked is gone: nobody waits for an answer any more. */
  withdraw(): void {
    this.open.forEach((one) => { one.finish(); });
  }

  dispose(): void {
    this.withdraw();
    this.command.dispose();
    this.item.dispose();
  }

  private tell(open: readonly Question[]): void {
    this.open = open;
    this.picker?.hide();
    const [first] = open;
    void vscode.commands.executeCommand("setContext", "coeditor.asked", first !== undefined);
    if (first === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = open.length === 1 ? "$(question) Agent asks" : `$(question) ${open.length} agents ask`;
    this.item.tooltip = first.text;
    this.item.accessibilityInformation = { label: `Answer: ${first.text}`, role: "button" };
    this.item.show();
  }

  /** The answers to the question asked first, to be picked with the keyboard. Leaving the list answers nothing. */
  private pick(): void {
    const [question] = this.open;
    if (question === undefined) {
      return;
    }
    const picker = vscode.window.createQuickPick();
    picker.title = question.text;
    picker.items = question.titles.map((label) => ({ label }));
    // What changes nothing comes last, and is what a hasty Enter gets.
    picker.activeItems = picker.items.slice(-1);
    picker.onDidAccept(() => { question.finish(picker.selectedItems[0]?.label); });
    picker.onDidHide(() => { picker.dispose(); });
    this.picker = picker;
    picker.show();
  }
}

/** Shown until there is an `answer`; cancelling it is closing the question. */
function notify({ id, text, titles, finish }: Question, answer: Promise<unknown>): void {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: questionText(text, titles, COMMAND, id),
    cancellable: true,
  };
  void vscode.window.withProgress(options, async (_, closed) => {
    closed.onCancellationRequested(() => { finish(); });
    await answer;
  });
}
