import type { Message, Session, SessionId } from "@pond/canonical";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { eq, type Store } from "@pond/substrate";
import { idWithin } from "../ingest/apart.ts";
import { begunOf, idAtClient } from "../ingest/begun-elsewhere.ts";

/** The id that a session has at its client, even if the store has that id for another one. */
export async function ownIdOf(store: Store, session: Session): Promise<SessionId> {
  const { id, source_agent: agent } = session;
  const elsewhere = idAtClient(id, begunOf(session));
  if (elsewhere) return elsewhere as SessionId;
  const apart = idWithin(agent, id);
  // A client may itself have begun with such an id.
  return apart && (await isOfOther(store, apart, agent)) ? (apart as SessionId) : id;
}

async function isOfOther(store: Store, id: string, agent: string): Promise<boolean> {
  const columns = ["source_agent"];
  const [row] = await store.table("sessions").rows({ columns, where: eq("id", id), limit: 1 });
  return row !== undefined && row["source_agent"] !== agent;
}

/** A lineage of one client with the ids that it has there, and its ids in the store. */
export type AtClient = {
  readonly lineage: Lineage;
  readonly storedIds: ReadonlyMap<SessionId, SessionId>;
};

/** If two have one id at their client, the first has it here. */
export async function atClient(store: Store, { root, descendants }: Lineage): Promise<AtClient> {
  const contents = [root, ...descendants];
  const taken = new Set(contents.map(({ session }) => session.id));
  const ownIds = new Map<SessionId, SessionId>();
  for (const { session } of contents) {
    const own = await ownIdOf(store, session);
    if (taken.has(own)) continue;
    taken.add(own);
    ownIds.set(session.id, own);
  }
  const storedIds = new Map([...ownIds].map(([stored, own]) => [own, stored]));
  if (ownIds.size === 0) return { lineage: { root, descendants }, storedIds };
  const change = (content: SessionContent): SessionContent => renamed(content, ownIds);
  return { lineage: { root: change(root), descendants: descendants.map(change) }, storedIds };
}

function renamed(
  { session, messages }: SessionContent,
  ownIds: ReadonlyMap<SessionId, SessionId>,
): SessionContent {
  const { parent_session_id: parent } = session;
  const id = ownIds.get(session.id) ?? session.id;
  const above = parent && ownIds.get(parent);
  const own = { ...session, id, ...(above && { parent_session_id: above }) };
  if (id === session.id) return { session: own, messages };
  return { session: own, messages: messages.map((message) => inSession(message, id)) };
}

function inSession(message: Message, session_id: SessionId): Message {
  if (message.role === "system") return { ...message, session_id };
  const content = message.content.map((part) => ({ ...part, session_id }));
  return { ...message, session_id, content } as Message;
}
