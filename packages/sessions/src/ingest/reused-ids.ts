import type { Session } from "@pond/canonical";
import { and, oneOf, type Row, type Store } from "@pond/substrate";
import { idChunks } from "../rows/id-chunks.ts";
import type { PeekableEvents } from "./peekable-events.ts";
import { qualifiedId, unqualifiedId } from "./qualified-ids.ts";

/** The fields of a stored session by which another one may be told from it. */
export type SessionStart = {
  readonly sourceAgent: string;
  readonly project: string;
  readonly createdAt: bigint;
};

/**
 * The id of a session if its client began another one earlier, in another project, under the same
 * id: a program that starts the client may choose an id and reuse it.
 */
export function idWithStart(id: string, { sourceAgent, createdAt }: SessionStart): string {
  return qualifiedId(sourceAgent, `${createdAt}:${id}`);
}

/** The id that a session has at its client, if it is stored under such a name. */
export function idAtClient(
  id: string,
  { sourceAgent, createdAt }: SessionStart,
): string | undefined {
  const before = qualifiedId(sourceAgent, `${createdAt}:`);
  return id.startsWith(before) ? id.slice(before.length) : undefined;
}

/** True if both began in another project at another time; a copy keeps one of the two. */
export function hasDifferentStart(session: SessionStart, stored: SessionStart): boolean {
  const isOfClient = session.sourceAgent === stored.sourceAgent;
  const isCopy = session.project === stored.project || session.createdAt === stored.createdAt;
  return isOfClient && !isCopy;
}

/** What distinguishes a session from another one with its id. */
export function startOf({ source_agent, project, created_at }: Session): SessionStart {
  return { sourceAgent: source_agent, project, createdAt: created_at };
}

/** The same for a stored one, from its row. */
export function startFromRow(row: Row): SessionStart {
  return {
    sourceAgent: String(row["source_agent"]),
    project: String(row["project"]),
    createdAt: BigInt(row["created_at"] as bigint),
  };
}

/** The columns that {@link startFromRow} needs. */
export const startColumns: readonly string[] = ["source_agent", "project", "created_at"];

/**
 * The first of these sessions that has one of these messages; undefined if none has.
 *
 * @param projects - Of the sessions, by their ids: what another session left there says another
 * project.
 * @param times - Of the messages, by their ids.
 */
export async function sessionSharingMessages(
  store: Store,
  projects: ReadonlyMap<string, string>,
  times: ReadonlyMap<string, bigint>,
): Promise<string | undefined> {
  const columns = ["session_id", "project", "id", "timestamp"];
  const found = new Set<string>();
  for (const ids of idChunks([...times.keys()])) {
    const where = and(oneOf("session_id", [...projects.keys()]), oneOf("id", ids));
    for (const row of await store.table("messages").rows({ columns, where })) {
      const sessionId = String(row["session_id"]);
      const isOwn = row["project"] === projects.get(sessionId);
      // A record without an id of its own may say the same in both; its time is that of the
      // session.
      const isSame = times.get(String(row["id"])) === BigInt(row["timestamp"] as bigint);
      if (isOwn && isSame) found.add(sessionId);
    }
  }
  return [...projects.keys()].find((id) => found.has(id));
}

/** The next messages of a session, which distinguish it from another. */
export async function peekMessageTimes(events: PeekableEvents): Promise<Map<string, bigint>> {
  const messages = await events.peekMessages(messagesCompared);
  return new Map(messages.map((message) => [message.id as string, message.timestamp]));
}

/** In messages: a copy that lacks its beginning has some of the rest. */
const messagesCompared = 64;

/** Sessions that have such an id, by the id that they share. */
export class ReusedIds {
  /** Their projects, by their ids. */
  readonly #byClientId: Map<string, Map<string, string>> = new Map();

  constructor(known: Iterable<readonly [id: string, SessionStart]>) {
    for (const each of known) this.add(...each);
  }

  add(id: string, { sourceAgent, project }: SessionStart): void {
    const clientId = /^-?\d+:(.+)$/s.exec(unqualifiedId(sourceAgent, id) ?? "")?.[1];
    if (clientId === undefined) return;
    const key = keyOf(sourceAgent, clientId);
    const others = this.#byClientId.get(key);
    if (others) others.set(id, project);
    else this.#byClientId.set(key, new Map([[id, project]]));
  }

  /**
   * All sessions of a client that share an id, with their projects, except for the one that has the
   * id itself.
   */
  of(agent: string, clientId: string): ReadonlyMap<string, string> {
    return this.#byClientId.get(keyOf(agent, clientId)) ?? new Map();
  }
}

/**
 * The one of these sessions that began in another one's directory, or nearest above it, because an
 * agent may be given a directory of its own. Undefined if there is none.
 */
export function nearestByProject(
  sessions: Iterable<readonly [id: string, project: string]>,
  project: string,
): string | undefined {
  let [nearest, length]: [string | undefined, number] = [undefined, -1];
  for (const [id, above] of sessions) {
    // A root ends with the separator with which the directories below it begin.
    const below = project.slice(/[/\\]$/.test(above) ? above.length - 1 : above.length);
    const isAbove = project === above || /^[/\\]/.test(below);
    if (!isAbove || !project.startsWith(above) || above.length <= length) continue;
    [nearest, length] = [id, above.length];
  }
  return nearest;
}

function keyOf(agent: string, clientId: string): string {
  return JSON.stringify([agent, clientId]);
}
