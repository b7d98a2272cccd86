import { type Message, partsOf, type SessionId } from "@pond/canonical";
import type { Course, Lineage, Meanings, SessionContent } from "@pond/canonical/adapter";
import {
  type AgentNames,
  agentNamesOf,
  agentsNamedIn,
  isSubAgent,
  valuesInPart,
} from "@pond/canonical/foreign";

/** A lineage to translate. */
export type Remaining = {
  readonly lineage: Lineage;
  /** What sub-agents that are not in it said, by the nearest session above them that is. */
  readonly leftOut: ReadonlyMap<SessionId, readonly Message[]>;
};

/**
 * Leaves out the sub-agents that were started in turns which their client undid, with everything
 * below them: another client is not told the call, either. The first message that names a sub-agent
 * shows where it was started; a sub-agent that none names stays.
 */
export function withoutUndoneAgents(lineage: Lineage, meanings: Meanings): Remaining {
  const { root, descendants } = lineage;
  const members = new Map([root, ...descendants].map((each) => [each.session.id, each]));
  const undoneAgents = new Set<SessionId>();
  for (const [id, agents] of Map.groupBy(descendants, parentOf)) {
    const above = id && members.get(id);
    if (above === undefined) continue;
    const started = agents.filter(({ session }) => isSubAgent(session));
    for (const each of startedInUndoneTurns(above, started, meanings)) undoneAgents.add(each);
  }
  if (undoneAgents.size === 0) return { lineage, leftOut: new Map() };
  const kept: SessionContent[] = [];
  const leftOut = new Map<SessionId, Message[]>();
  const standIns = new Map<SessionId | undefined, SessionId>();
  // Parents come first.
  for (const content of descendants) {
    const { session, messages } = content;
    const above = parentOf(content);
    const isBelow = standIns.has(above) && isSubAgent(session);
    const by = undoneAgents.has(session.id) ? above : isBelow ? standIns.get(above) : undefined;
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

/** The agents of a session that began in undone turns of it. */
function startedInUndoneTurns(
  content: SessionContent,
  agents: readonly SessionContent[],
  meanings: Meanings,
): readonly SessionId[] {
  if (agents.length === 0) return [];
  const { course } = meanings.recordRulesOf?.(content.session.source_agent) ?? {};
  const { live, undone }: Course = course?.(content) ?? { live: [], undone: [] };
  const since = undone.reduce<bigint | undefined>(earlier, undefined);
  if (since === undefined) return [];
  // An agent that began earlier was not started there, whatever is said about it.
  const begun = agents.filter(({ session }) => session.created_at >= since);
  const open = new Map(begun.map((agent) => [agent.session.id, agentNamesOf(agent, meanings)]));
  const [liveById, undoneById] = [byId(live), byId(undone)];
  const found: SessionId[] = [];
  for (const { id } of content.messages) {
    // Once it is known where an agent began, its names need not be looked for.
    for (const agent of agentsIn(liveById.get(id), open)) open.delete(agent);
    const undoneIn = agentsIn(undoneById.get(id), open);
    for (const agent of undoneIn) {
      open.delete(agent);
      found.push(agent);
    }
    if (open.size === 0) break;
  }
  return found;
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
  agents: ReadonlyMap<SessionId, AgentNames>,
): ReadonlySet<SessionId> {
  if (message === undefined) return new Set();
  const given =
    message.role === "system" ? [message.content] : partsOf(message).flatMap(valuesInPart);
  return agentsNamedIn([message.options, ...given], [...agents.values()]);
}
