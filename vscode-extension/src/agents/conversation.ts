/**
 * Which conversation calls a tool: its name for the ledger. Pure.
 *
 * VS Code gives its tools a token of the conversation, with the conversation's address in it. It is named as VS Code
 * names it to MCP servers, so that a conversation that uses both is one session. A token of another form still tells
 * conversations apart: one that was not seen before has read nothing.
 */
import { createHash } from "node:crypto";

const LONGEST = 200;

interface Address {
  scheme: string;
  authority: string;
  path: string;
}

/** Undefined where the call is part of no conversation. */
export function conversationOf(token: unknown): string | undefined {
  if (token === undefined || token === null) {
    return undefined;
  }
  const address = typeof token === "object" && "sessionResource" in token ? token.sessionResource : undefined;
  const name = isAddress(address) ? nameOf(address) : digest(JSON.stringify(token));
  return name.length <= LONGEST ? name : digest(name);
}

/** `vscode-chat-session://local/BASE64` is the conversation's own name in disguise. */
function nameOf(address: Address): string {
  const parts = address.path.split("/");
  const last = parts[1];
  if (address.scheme === "vscode-chat-session" && address.authority === "local" && parts.length === 2 && last) {
    return Buffer.from(last, "base64").toString("utf8");
  }
  return `${address.scheme}://${address.authority}${address.path}`;
}

function isAddress(found: unknown): found is Address {
  const address = found as Partial<Address> | null | undefined;
  return [address?.scheme, address?.authority, address?.path].every((part) => typeof part === "string");
}

function digest(text: string): string {
  return `chat-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
