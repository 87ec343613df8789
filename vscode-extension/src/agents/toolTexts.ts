/** What a person reads of a tool's call before it is made. Pure; the arguments are a model's, and not checked yet. */

type Input = Readonly<Record<string, unknown>>;

export interface Question {
  title: string;
  /** Markdown. */
  message: string;
}

/** Characters of a text that are shown. */
const SHOWN = 2_000;

const VERBS: Readonly<Record<string, string>> = {
  read: "Reading",
  edit: "Editing",
  write: "Writing",
  edit_notebook: "Editing a cell of",
  diagnostics: "Looking at the problems of",
  history: "Looking at the edits of",
  diff: "Comparing",
  glob: "Looking for",
  grep: "Searching for",
};

/** One line while the call runs. */
export function invocationText(tool: string, title: string, input: Input): string {
  const verb = VERBS[tool];
  const about = text(input, "file_path") ?? text(input, "pattern");
  if (verb !== undefined && about !== undefined) {
    return `${verb} ${code(about)}`;
  }
  const files = filesOf(text(input, "patch") ?? "");
  return files.length === 0 ? title : `Patching ${files.map(code).join(", ")}`;
}

/** What is asked before a call that changes something; undefined for one that only plans. */
export function questionOf(tool: string, title: string, input: Input): Question | undefined {
  if (input.validate_only === true || input.dry_run === true) {
    return undefined;
  }
  const file = text(input, "file_path");
  switch (tool) {
    case "edit":
      return { title: `${title}: ${file ?? ""}`, message: changed(span(input), text(input, "new_string") ?? "") };
    case "write":
      return { title: `${title}: ${file ?? ""}`, message: fenced(text(input, "content") ?? "", "") };
    case "edit_notebook": {
      const source = text(input, "new_source") ?? "";
      return { title: `${title}: ${file ?? ""}`, message: `${code(text(input, "mode") ?? "replace")}\n${fenced(source, "")}` };
    }
    case "apply_patch":
      return { title, message: fenced(text(input, "patch") ?? "", "diff") };
    case "rewind": {
      const only = file === undefined ? "" : ` in ${code(file)}`;
      return { title, message: `From ${code(text(input, "to") ?? "")} on${only}. What others changed meanwhile stays.` };
    }
    default:
      return { title, message: fenced(JSON.stringify(input, null, 2), "json") };
  }
}

/** The files that a patch names. */
export function filesOf(patch: string): string[] {
  const found = patch.matchAll(/^\*\*\* (?:Add|Update|Delete|Move) File: (.+?)(?: -> .*)?$/gm);
  return [...new Set([...found].map((match) => (match[1] ?? "").trim()))];
}

function span(input: Input): string {
  const old = text(input, "old_string");
  return old ?? `lines ${String(input.start_line)} to ${String(input.end_line)}`;
}

function changed(before: string, after: string): string {
  const lines = (mark: string, part: string): string[] => (part === "" ? [] : part.split("\n").map((line) => mark + line));
  return fenced([...lines("-", before), ...lines("+", after)].join("\n"), "diff");
}

function text(input: Input, name: string): string | undefined {
  const found = input[name];
  return typeof found === "string" ? found : undefined;
}

/** Inside a fence that the text cannot end. */
function fenced(content: string, language: string): string {
  const shown = content.length > SHOWN ? `${content.slice(0, SHOWN)}\n...` : content;
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}${language}\n${shown}\n${fence}`;
}

function code(content: string): string {
  const line = content.replace(/[\r\n]+/g, " ").slice(0, 200);
  const tick = "`".repeat(longestRun(line) + 1);
  return line.startsWith("`") || line.endsWith("`") ? `${tick} ${line} ${tick}` : `${tick}${line}${tick}`;
}

function longestRun(content: string): number {
  return Math.max(0, ...[...content.matchAll(/`+/g)].map((run) => run[0].length));
}
