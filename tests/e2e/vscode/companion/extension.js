// Test-only: lets a test read and steer this window's extension host over a Unix socket, one JSON object a line.
// Never shipped, and never a substitute for the window where the test is about what a person does.
"use strict";
const fs = require("node:fs");
const net = require("node:net");
const vscode = require("vscode");

const uriOf = (path) => (path.includes(":") ? vscode.Uri.parse(path) : vscode.Uri.file(path));
const find = (path) => {
  const wanted = uriOf(path).toString();
  return vscode.workspace.textDocuments.find((one) => one.uri.toString() === wanted && !one.isClosed);
};
const tabOf = (path) => {
  const wanted = uriOf(path).toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.find((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === wanted);
};
const severities = ["error", "warning", "information", "hint"];

function state({ path }) {
  const document = find(path);
  const tab = tabOf(path);
  const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
  return {
    open: document !== undefined,
    text: document?.getText() ?? null,
    dirty: document?.isDirty ?? false,
    version: document?.version ?? null,
    eol: document === undefined ? null : document.eol === vscode.EndOfLine.CRLF ? "crlf" : "lf",
    encoding: document?.encoding ?? null,
    tab: tab !== undefined,
    cursor: editor === undefined ? null : [editor.selection.active.line, editor.selection.active.character],
    active: document !== undefined && vscode.window.activeTextEditor?.document === document,
    // The lines around what is folded on the screen.
    folds: (editor?.visibleRanges ?? []).slice(1).map((range, at) => [editor.visibleRanges[at].end.line, range.start.line]),
    breakpoints: vscode.debug.breakpoints
      .filter((one) => one.location.uri.toString() === uriOf(path).toString())
      .map((one) => one.location.range.start.line),
    problems: vscode.languages.getDiagnostics(uriOf(path)).map((one) => ({
      severity: severities[one.severity],
      source: one.source ?? null,
      message: one.message,
      line: one.range.start.line,
    })),
  };
}

// Looks again after every event that can change a state; resolves with it, or fails at the deadline.
function until({ path, wanted, contains, problems, seconds }) {
  const holds = () => {
    const now = state({ path });
    const counted = { ...now, problems_count: now.problems.length };
    const same = Object.entries(wanted ?? {}).every(([key, value]) => JSON.stringify(counted[key]) === JSON.stringify(value));
    const within = contains === undefined || (now.text ?? "").includes(contains);
    const told = problems === undefined || problems.every((part) => now.problems.some((one) => one.message.includes(part)));
    return same && within && told ? now : undefined;
  };
  return new Promise((resolve, reject) => {
    const listeners = [];
    const end = (then) => {
      clearTimeout(timer);
      listeners.forEach((one) => one.dispose());
      then();
    };
    const look = () => {
      const now = holds();
      if (now !== undefined) end(() => resolve(now));
    };
    const timer = setTimeout(() => end(() => reject(new Error(`not so: ${JSON.stringify(state({ path }))}`))), seconds * 1000);
    const soon = () => setImmediate(look);
    listeners.push(
      vscode.workspace.onDidOpenTextDocument(soon),
      vscode.workspace.onDidCloseTextDocument(soon),
      vscode.workspace.onDidChangeTextDocument(soon),
      vscode.workspace.onDidSaveTextDocument(soon),
      vscode.languages.onDidChangeDiagnostics(soon),
      vscode.window.tabGroups.onDidChangeTabs(soon),
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection(soon),
      vscode.window.onDidChangeTextEditorVisibleRanges(soon),
      vscode.window.onDidChangeVisibleTextEditors(soon),
      vscode.debug.onDidChangeBreakpoints(soon),
    );
    look();
  });
}

// Stands for an extension that puts imports right when a file gets another name.
let follower;
function followRenames({ path, old, new: name }) {
  follower?.dispose();
  follower = path === undefined ? undefined : vscode.workspace.onWillRenameFiles((event) => {
    event.waitUntil((async () => {
      const document = await vscode.workspace.openTextDocument(uriOf(path));
      const at = document.getText().indexOf(old);
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(document.positionAt(at), document.positionAt(at + old.length)), name);
      return edit;
    })());
  });
  return null;
}

// What `look` gives, once it gives something; for what has no event.
function seen(look, milliseconds) {
  return new Promise((resolve, reject) => {
    const end = Date.now() + 60_000;
    const timer = setInterval(() => {
      const found = look();
      if (found === undefined && Date.now() < end) return;
      clearInterval(timer);
      if (found === undefined) reject(new Error("it did not come"));
      else resolve(found);
    }, milliseconds);
  });
}

const operations = {
  followRenames,
  ping: () => ({ version: vscode.version, trusted: vscode.workspace.isTrusted }),
  state,
  until,
  show: async ({ path, line }) => {
    const editor = await vscode.window.showTextDocument(uriOf(path), { preview: false });
    if (line !== undefined) {
      editor.selection = new vscode.Selection(line, 0, line, 0);
      editor.revealRange(editor.selection);
    }
    return editor.document.uri.toString();
  },
  openNotebook: async ({ path }) => {
    const notebook = await vscode.workspace.openNotebookDocument(uriOf(path));
    await vscode.window.showNotebookDocument(notebook, { preview: false });
    return null;
  },
  notebook: ({ path }) => {
    const wanted = uriOf(path).toString();
    const found = vscode.workspace.notebookDocuments.find((one) => one.uri.toString() === wanted && !one.isClosed);
    return found === undefined ? null : {
      dirty: found.isDirty,
      cells: found.getCells().map((cell) => ({
        uri: cell.document.uri.toString(),
        kind: cell.kind === vscode.NotebookCellKind.Code ? "code" : "markdown",
        text: cell.document.getText(),
        id: cell.metadata.id ?? null,
        outputs: cell.outputs.length,
      })),
    };
  },
  saveNotebook: ({ path }) => {
    const wanted = uriOf(path).toString();
    return vscode.workspace.notebookDocuments.find((one) => one.uri.toString() === wanted).save();
  },
  // As extensions do: a document without a tab.
  openBehind: async ({ path }) => (await vscode.workspace.openTextDocument(uriOf(path))).uri.toString(),
  tabs: () => vscode.window.tabGroups.all.flatMap((group) => group.tabs).map((one) => one.label),
  untitled: async ({ text }) => {
    const document = await vscode.workspace.openTextDocument({ content: text });
    await vscode.window.showTextDocument(document, { preview: false });
    return document.uri.toString();
  },
  // One undo step of a person's (or another extension's) own.
  edit: async ({ path, edits }) => {
    const change = new vscode.WorkspaceEdit();
    change.set(uriOf(path), edits.map(([range, text]) => vscode.TextEdit.replace(new vscode.Range(...range), text)));
    return vscode.workspace.applyEdit(change);
  },
  save: ({ path }) => find(path).save(),
  command: async ({ name, args }) => {
    const found = await vscode.commands.executeCommand(name, ...(args ?? []));
    try {
      return JSON.parse(JSON.stringify(found ?? null));
    } catch {
      return null;
    }
  },
  // What chats of this window are offered, and a call of it as another extension's agent makes it.
  tools: ({ prefix }) => vscode.lm.tools.filter((one) => one.name.startsWith(prefix)).map((one) => ({
    name: one.name, description: one.description, schema: one.inputSchema, tags: one.tags,
  })),
  invoke: async ({ name, input }) => {
    const found = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return found.content.map((part) => part.value);
  },
  // A tool that somebody else registered, once it is there: its whole name has more before `contains`.
  untilTool: ({ contains, besides }) => {
    const look = () => vscode.lm.tools.map((one) => one.name).filter((name) => name.includes(contains) && !name.startsWith(besides));
    return seen(() => (look().length > 0 ? look() : undefined), 100);
  },
  fileAppears: ({ path }) => seen(() => (fs.existsSync(path) ? true : undefined), 50),
  terminal: ({ program, arguments: shellArgs, without }) => {
    const env = Object.fromEntries((without ?? []).map((name) => [name, null]));
    vscode.window.createTerminal({ name: "test", shellPath: program, shellArgs, env, hideFromUser: true });
    return null;
  },
  // What the extension host's environment has, for all extensions; null takes a variable out.
  environment: ({ name, value }) => {
    const before = process.env[name] ?? null;
    if (value === null) delete process.env[name];
    else process.env[name] = value;
    return before;
  },
  // The window shows a text before this host hears which one it is.
  active: ({ scheme }) =>
    seen(() => {
      const uri = vscode.window.activeTextEditor?.document.uri;
      return uri?.scheme === scheme ? { uri: uri.toString() } : undefined;
    }, 50),
  setBreakpoint: ({ path, line }) => {
    const place = new vscode.Location(uriOf(path), new vscode.Position(line, 0));
    vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(place)]);
    return null;
  },
  setting: async ({ name, value }) => {
    await vscode.workspace.getConfiguration().update(name, value ?? undefined, vscode.ConfigurationTarget.Global);
    return null;
  },
  // Every document as on disk, every tab closed.
  reset: async () => {
    for (const document of vscode.workspace.textDocuments.filter((one) => one.isDirty)) {
      await vscode.window.showTextDocument(document, { preview: false });
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
    for (const notebook of vscode.workspace.notebookDocuments.filter((one) => one.isDirty)) {
      await vscode.window.showNotebookDocument(notebook, { preview: false });
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await vscode.commands.executeCommand("notifications.clearAll");
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    return null;
  },
};

function serve(socket) {
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("error", () => undefined);
  socket.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const { id, op, ...params } = JSON.parse(line);
      const answer = (found) => socket.write(`${JSON.stringify({ id, ...found })}\n`);
      Promise.resolve()
        .then(() => operations[op](params))
        .then((result) => answer({ result: result ?? null }), (error) => answer({ error: String(error?.message ?? error) }));
    }
  });
}

// The first window of the tests has the socket of this name, further ones have a number behind it.
function listen(server, number) {
  server.once("error", () => listen(server, number + 1));
  server.listen(process.env.COEDITOR_TEST_SOCKET + (number === 0 ? "" : `-${number}`));
}

exports.activate = (context) => {
  const server = net.createServer(serve);
  listen(server, 0);
  context.subscriptions.push({ dispose: () => server.close() });
};
