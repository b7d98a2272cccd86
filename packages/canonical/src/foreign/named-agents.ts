import type { SessionId } from "../ids.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { Part } from "../part.ts";
import type { Meanings, SessionContent } from "../seam/codec.ts";

/** By what the session above can name an agent. */
export type AgentNames = {
  readonly agent: SessionId;
  /** Each counts as a word, wherever it stands in a text. */
  readonly ids: readonly string[];
  /** Counts as a whole text alone. */
  readonly label: string | undefined;
};

/** By what its client names an agent (`RecordRules.agentNames`, `RecordRules.agentLabel`). */
export function agentNamesOf(content: SessionContent, { recordsOf }: Meanings): AgentNames {
  const { id, source_agent } = content.session;
  const { agentNames, agentLabel } = recordsOf?.(source_agent) ?? {};
  return { agent: id, ids: agentNames?.(content) ?? [id], label: agentLabel?.(content) };
}

/** Those of the agents that are named anywhere in these values. */
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

/** What names can stand in of a part: all that was said and noted, but not what a file holds. */
export function recordedIn(part: Part): readonly JsonValue[] {
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
  // Not by recursion: records nest as deep as they like.
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string") yield value;
    else if (Array.isArray(value)) for (const each of value) open.push(each);
    else if (isJsonObject(value)) for (const each of Object.values(value)) open.push(each);
  }
}

/** True where a word stands in a text by itself: `a1` does in `agent-a1`, and does not in `a12`. */
function hasWord(text: string, word: string): boolean {
  if (word === "") return false;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    const end = at + word.length;
    if (!goesOn.test(before) && !begins.test(text.slice(end, end + 2))) return true;
  }
  return false;
}

const begins = /^[\p{L}\p{N}_]/u;
/** Results are often JSON in a text: a word begins behind its `\n`. */
const goesOn = /(?:(?<!\\)|(?![nrt]))[\p{L}\p{N}_]$/u;
