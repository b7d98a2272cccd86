import type { SourceRecord } from "@pond/canonical/adapter";

/** How the first user text in a sub-agent's log of 2.x begins, before what its parent wrote. */
export const subagentPrefix = "You are a subagent spawned by another session.\n";

type Rule = readonly [kind: string, holds: (record: SourceRecord) => boolean];

// Some texts lack the flag: those that old versions and plugins wrote.
const textRules: readonly Rule[] = [
  ["synthetic", (part) => part.peek("synthetic") === true],
  ["ignored", (part) => part.peek("ignored") === true],
  ["reminder", (part) => isWrapped(part.peek("text"), "system-reminder")],
  [
    "read",
    (part) => startsWith(part.peek("text"), "Called the Read tool with the following input:"),
  ],
  ["command", (part) => part.peek("text") === "The following tool was executed by the user"],
];

const fileRules: readonly Rule[] = [["synthetic", (part) => part.peek("synthetic") === true]];

/**
 * Why the harness wrote a text of version 1; undefined if its author may have written it
 * (`model-part-provenance`).
 */
export function injectedText(part: SourceRecord, role: "user" | "assistant"): string | undefined {
  const rules = role === "user" ? textRules : textRules.slice(0, 2);
  return kindOf(rules, part);
}

/** Why the harness added a file: it is the echo of one that the user gave. */
export function injectedFile(part: SourceRecord): string | undefined {
  return kindOf(fileRules, part);
}

/** Why everything in a message is the harness's: it stands where the context was replaced. */
export function injectedMessage(
  message: SourceRecord,
  partTypes: readonly unknown[],
): string | undefined {
  if (message.peek("role") === "user" && partTypes.includes("compaction")) return "compaction";
  if (message.peek("role") === "assistant" && message.peek("summary") === true) {
    return "compaction-summary";
  }
  return undefined;
}

function kindOf(rules: readonly Rule[], part: SourceRecord): string | undefined {
  return rules.find(([, holds]) => holds(part))?.[0];
}

function startsWith(text: unknown, prefix: string): boolean {
  return typeof text === "string" && text.startsWith(prefix);
}

function isWrapped(text: unknown, tag: string): boolean {
  if (typeof text !== "string") return false;
  const inner = text.trim();
  return inner.startsWith(`<${tag}>`) && inner.endsWith(`</${tag}>`);
}
