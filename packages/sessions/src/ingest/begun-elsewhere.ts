import type { Session } from "@pond/canonical";
import { and, eq, oneOf, type Store } from "@pond/substrate";
import type { Ahead } from "./ahead.ts";
import { idApart } from "./apart.ts";

/** A stored session, as far as another one may be told from it. */
export type Begun = {
  readonly sourceAgent: string;
  readonly project: string;
  readonly createdAt: bigint;
};

/**
 * The id of a session where its client began another one in another project under the same id, which
 * came first: a program that starts the client may choose one and use it again.
 */
export function idBegunElsewhere({ source_agent: agent, created_at: at, id }: Session): string {
  return idApart(agent, `${at}:${id}`);
}

/** True where both began in another project at another time: what is copied keeps either. */
export function mayBeOther(session: Session, { sourceAgent, project, createdAt }: Begun): boolean {
  const isOfClient = session.source_agent === sourceAgent;
  return isOfClient && session.project !== project && session.created_at !== createdAt;
}

/** True where what comes of a session is in none of the stored one's messages. */
export async function sharesNothing(store: Store, id: string, ahead: Ahead): Promise<boolean> {
  const messages = await ahead.messages(compared);
  const times = new Map(messages.map((message) => [message.id as string, message.timestamp]));
  const where = and(eq("session_id", id), oneOf("id", [...times.keys()]));
  const columns = ["id", "timestamp"];
  const rows = times.size > 0 ? await store.table("messages").rows({ columns, where }) : [];
  // A record without an id of its own may say the same in both; its time is that of the session.
  const isShared = rows.some(
    (row) => times.get(String(row["id"])) === BigInt(row["timestamp"] as bigint),
  );
  return times.size > 0 && !isShared;
}

/** Messages: a copy that lacks its beginning has any of the rest. */
const compared = 64;

/** Sessions that have such an id, by the one that they share. */
export class BegunElsewhere {
  readonly #ids: Map<string, string> = new Map();

  constructor(known: Iterable<readonly [id: string, Begun]>) {
    for (const each of known) this.add(...each);
  }

  add(id: string, { sourceAgent, project }: Begun): void {
    const rest = id.startsWith(idApart(sourceAgent, "")) ? id.slice(sourceAgent.length + 1) : "";
    const shared = /^\d+:(.+)$/s.exec(rest)?.[1];
    if (shared !== undefined) this.#ids.set(keyOf(sourceAgent, project, shared), id);
  }

  /** The one that a client began in a project; undefined where that has the shared id, or none. */
  idOf(agent: string, project: string, shared: string): string | undefined {
    return this.#ids.get(keyOf(agent, project, shared));
  }
}

function keyOf(agent: string, project: string, shared: string): string {
  return JSON.stringify([agent, project, shared]);
}
