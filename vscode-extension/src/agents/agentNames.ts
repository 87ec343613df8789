/** The agents and editors that `coeditor setup` knows, with their names for people; a test holds them to its own. */

export const AGENTS: readonly (readonly [name: string, label: string])[] = [
  ["claude-code", "Claude Code"],
  ["codex", "Codex"],
  ["gemini", "Gemini CLI"],
  ["copilot", "Copilot CLI"],
  ["vscode", "VS Code's own agents (hooks and mcp.json)"],
  ["cursor", "Cursor"],
  ["cline", "Cline"],
  ["opencode", "OpenCode"],
  ["zed", "Zed"],
  ["goose", "Goose"],
];
