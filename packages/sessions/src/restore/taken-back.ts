import {
  isJsonObject,
  type JsonValue,
  type Message,
  partsOf,
  type SessionId,
} from "@pond/canonical";
import type { Course, Lineage, Meanings, SessionContent } from "@pond/canonical/adapter";
import { isSubAgent } from "@pond/canonical/foreign";

/** A lineage to translate. */
export type Remaining = {
  readonly lineage: Lineage;
  /** What sub-agents said that are not in it, by the session above them that is. */
  readonly leftOut: ReadonlyMap<SessionId, readonly Message[]>;
};

/**
 * Leaves out the sub-agents that were started in turns which their client took back, with those
 * below them: another client is not told the call either. Which one that is says the first message
 * that names it; a sub-agent that none names stays.
 */
export function withoutTakenBack(lineage: Lineage, meanings: Meanings): Remaining {
  const { root, descendants } = lineage;
  const members = new Map([root, ...descendants].map((each) => [each.session.id, each]));
  const takenBack = new Set<SessionId>();
  for (const [id, agents] of Map.groupBy(descendants, parentOf)) {
    const above = id && members.get(id);
    if (above === undefined) continue;
    const started = agents.filter(({ session }) => isSubAgent(session));
    for (const each of startedInUndone(above, started, meanings)) takenBack.add(each);
  }
  if (takenBack.size === 0) return { lineage, leftOut: new Map() };
  const kept: SessionContent[] = [];
  const leftOut = new Map<SessionId, Message[]>();
  const standIns = new Map<SessionId | undefined, SessionId>();
  // Parents come first.
  for (const content of descendants) {
    const { session, messages } = content;
    const above = parentOf(content);
    const isBelow = standIns.has(above) && isSubAgent(session);
    const by = takenBack.has(session.id) ? above : isBelow ? standIns.get(above) : undefined;
    if (by === undefined) {
      kept.push(content);
      continue;
    }
    const standIn = standIns.get(by) ?? by;
    standIns.set(session.id, standIn);
    leftOut.set(standIn, [...(leftOut.get(standIn) ?? []), ...messages]);
  }
  return { lineage: { root, descendants: kept }, leftOut };
}

function parentOf({ session }: SessionContent): SessionId | undefined {
  return session.parent_session_id;
}

/** Those of the agents of a session that began in what was taken back of it. */
function startedInUndone(
  content: SessionContent,
  agents: readonly SessionContent[],
  { recordsOf }: Meanings,
): readonly SessionId[] {
  if (agents.length === 0) return [];
  const { course } = recordsOf?.(content.session.source_agent) ?? {};
  const { live, undone }: Course = course?.(content) ?? { live: [], undone: [] };
  const since = undone.reduce<bigint | undefined>(earlier, undefined);
  if (since === undefined) return [];
  const open = new Map<string, SessionId>();
  for (const agent of agents) {
    const { id, created_at, source_agent } = agent.session;
    // One that began before was not started there, whatever is said of it.
    if (created_at < since) continue;
    const names = recordsOf?.(source_agent)?.agentNames?.(agent) ?? [id];
    for (const name of names) open.set(name, id);
  }
  const [liveById, undoneById] = [live, undone].map(byId);
  const found: SessionId[] = [];
  for (const { id } of content.messages) {
    forget(agentsIn(liveById?.get(id), open), open);
    const taken = agentsIn(undoneById?.get(id), open);
    forget(taken, open);
    found.push(...taken);
    if (open.size === 0) break;
  }
  return found;
}

/** Once it is known where an agent began, its names need not be looked for. */
function forget(agents: ReadonlySet<SessionId>, open: Map<string, SessionId>): void {
  for (const [name, id] of open) if (agents.has(id)) open.delete(name);
}

function earlier(first: bigint | undefined, { timestamp }: Message): bigint {
  return first === undefined || timestamp < first ? timestamp : first;
}

/** A message may be cut in two, of which one half is live. */
function byId(messages: readonly Message[]): ReadonlyMap<string, Message> {
  return new Map(messages.map((message) => [message.id, message]));
}

/** The agents that are named anywhere in a message. */
function agentsIn(
  message: Message | undefined,
  names: ReadonlyMap<string, SessionId>,
): ReadonlySet<SessionId> {
  const found = new Set<SessionId>();
  if (message === undefined || names.size === 0) return found;
  for (const text of textsIn(message)) {
    for (const [name, id] of names) if (text.includes(name)) found.add(id);
  }
  return found;
}

/** Every string of a message but what its files hold. */
function* textsIn(message: Message): Generator<string> {
  const parts = partsOf(message).map(({ options, ...part }) => [
    options,
    part.type === "tool_result" ? part.result : null,
    part.type === "tool_call" ? [part.call_id, part.params] : null,
    part.type === "text" ? part.text : null,
  ]);
  const open: JsonValue[] = [message.options, ...parts];
  if (message.role === "system") open.push(message.content);
  // Not by recursion: records nest as deep as they like.
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string") yield value;
    else if (Array.isArray(value)) open.push(...value);
    else if (isJsonObject(value)) open.push(...Object.values(value));
  }
}
