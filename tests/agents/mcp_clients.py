"""MCP's own programs in pinned versions: the inspector's command line, and the first SDK that there was.

Never: anything installed outside of the tests' cache.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.vscode.install import cache_folder, locked, run

PINNED = {
    "@modelcontextprotocol/inspector-cli": "0.22.0",
    "first-sdk": "npm:@modelcontextprotocol/sdk@1.0.0",
}
FIRST_SDK = """\
import { Client } from "first-sdk/client/index.js";
import { StdioClientTransport } from "first-sdk/client/stdio.js";
import { CallToolResultSchema } from "first-sdk/types.js";

const { command, args, env, cwd, calls } = JSON.parse(process.argv[2]);
process.chdir(cwd);
const client = new Client({ name: "first", version: "1" }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command, args, env }));
const listed = (await client.listTools()).tools.map((tool) => tool.name);
const results = [];
for (const [name, given] of calls) {
  results.push(await client.callTool({ name, arguments: given }, CallToolResultSchema));
}
console.log(JSON.stringify({ listed, results }));
await client.close();
"""


def installed() -> Path:
    """The folder with the packages; takes half a minute the first time. Errors: AssertionError."""
    folder = cache_folder() / "mcp-clients-0.22.0-1.0.0"
    with locked(folder):
        if not (folder / "complete").exists():
            manifest = {"private": True, "name": "coeditor-tests-mcp", "dependencies": PINNED}
            (folder / "package.json").write_text(json.dumps(manifest))
            run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], folder)
            # The inspector's package looks for a file that only its repository has.
            beside = folder / "node_modules" / "@modelcontextprotocol" / "package.json"
            beside.write_text(json.dumps({"name": "inspector", "version": "0.22.0"}))
            (folder / "first.mjs").write_text(FIRST_SDK)
            (folder / "complete").touch()
    return folder
