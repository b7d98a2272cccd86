import type { SessionId } from "../ids.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { Part } from "../part.ts";
import type { Meanings, SessionContent } from "../seam/codec.ts";

/** The names by which the session above can refer to a sub-agent. */
export type AgentNames = {
  readonly agent: SessionId;
  /** Each counts as a word, anywhere in a text. */
  readonly ids: readonly string[];
  /** Counts only if it is the whole text. */
  readonly label: string | undefined;
};

/**
 * The names that a client uses for a sub-agent (`RecordRules.agentNames`,
 * `RecordRules.agentLabel`).
 */
export function agentNamesOf(content: SessionContent, { recordRulesOf }: Meanings): AgentNames {
  const { id, source_agent } = content.session;
  const { agentNames, agentLabel } = recordRulesOf?.(source_agent) ?? {};
  return { agent: id, ids: agentNames?.(content) ?? [id], label: agentLabel?.(content) };
}

/** Those of the sub-agents that are named anywhere in these values. */
export function agentsNamedIn(
  values: readonly JsonValue[],
  agents: readonly AgentNames[],
): ReadonlySet<SessionId> {
  const found = new Set<SessionId>();
  if (agents.length === 0) return found;
  for (const text of textsIn(values)) {
    for (const { agent, ids, label } of agents) {
      if (text === label || ids.some((id) => hasWord(text, id))) found.add(agent);
    }
  }
  return found;
}

/**
 * The values of a part in which names can stand: everything that was said and noted, but not the
 * content of a file.
 */
export function valuesInPart(part: Part): readonly JsonValue[] {
  switch (part.type) {
    case "text":
      return [part.text, part.options];
    case "tool_call":
      return [part.call_id, part.params, part.options];
    case "tool_result":
      return [part.result, part.options];
    default:
      return [part.options];
  }
}

function* textsIn(values: readonly JsonValue[]): Generator<string> {
  const open: JsonValue[] = [...values];
  // No recursion, because records nest to any depth.
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string") yield value;
    else if (Array.isArray(value)) for (const each of value) open.push(each);
    else if (isJsonObject(value)) for (const each of Object.values(value)) open.push(each);
  }
}

/** True if the word stands by itself in the text: `a1` does in `agent-a1`, but not in `a12`. */
function hasWord(text: string, word: string): boolean {
  if (word === "") return false;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    const end = at + word.length;
    if (!wordEnd.test(before) && !wordStart.test(text.slice(end, end + 2))) return true;
  }
  return false;
}

const wordStart = /^[\p{L}\p{N}_]/u;
/** Results are often JSON inside a text, where a word can follow the two characters `\n`. */
const wordEnd = /(?:(?<!\\)|(?![nrt]))[\p{L}\p{N}_]$/u;
