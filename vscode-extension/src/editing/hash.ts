/** The hash that both ends compare texts by. */
import { createHash } from "node:crypto";
import type { Hash } from "../protocol";

export function hashOf(text: string): Hash {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
