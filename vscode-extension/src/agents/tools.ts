/**
 * Lends the server's tools to the chats of this window.
 *
 * Which there are, with their schemas, is in package.json, made from the server's own table. Never: a check of the
 * arguments or a decision about a call; the server answers a model as it answers MCP clients.
 */
import * as vscode from "vscode";
import { METHOD_CALL_TOOL, type CallToolParams, type CallToolResult } from "../protocol";
import type { Supervisor } from "../server/supervisor";
import { conversationOf } from "./conversation";
import { invocationText, questionOf } from "./toolTexts";

const PREFIX = "coeditor_";
const READ_ONLY = "read-only";
const AGENT = "VS Code chat";

type Input = Record<string, unknown>;

interface Contributed {
  name: string;
  displayName: string;
  tags: string[];
}

export function lendTools(context: vscode.ExtensionContext, server: Supervisor): vscode.Disposable {
  const manifest = context.extension.packageJSON as { contributes: { languageModelTools: Contributed[] } };
  const tools = manifest.contributes.languageModelTools;
  return vscode.Disposable.from(
    ...tools.map((tool) => vscode.lm.registerTool<Input>(tool.name, new ServerTool(tool, server))),
  );
}

class ServerTool implements vscode.LanguageModelTool<Input> {
  private readonly tool: string;

  constructor(
    private readonly contributed: Contributed,
    private readonly server: Supervisor,
  ) {
    this.tool = contributed.name.slice(PREFIX.length);
  }

  prepareInvocation({ input }: vscode.LanguageModelToolInvocationPrepareOptions<Input>): vscode.PreparedToolInvocation {
    const { displayName, tags } = this.contributed;
    const invocationMessage = new vscode.MarkdownString(invocationText(this.tool, displayName, input));
    const question = tags.includes(READ_ONLY) ? undefined : questionOf(this.tool, displayName, input);
    if (question === undefined) {
      return { invocationMessage };
    }
    const message = new vscode.MarkdownString(question.message);
    return { invocationMessage, confirmationMessages: { title: question.title, message } };
  }

  async invoke(
    options: vscode.LanguageModelToolInvocationOptions<Input>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const client = await this.server.whenRunning(token);
    const session = conversationOf(options.toolInvocationToken);
    const params: CallToolParams = { tool: this.tool, arguments: options.input, agent: AGENT };
    if (session !== undefined) {
      params.session = session;
    }
    const found = await client.sendRequest<CallToolResult>(METHOD_CALL_TOOL, params, token);
    return new vscode.LanguageModelToolResult(
      found.content.map(({ text }) => new vscode.LanguageModelTextPart(text)),
    );
  }
}
