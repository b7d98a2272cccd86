import type { Message, Session, SessionId } from "@pond/canonical";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { eq, type Store } from "@pond/substrate";
import { unqualifiedId } from "../ingest/qualified-ids.ts";
import { idAtClient, startOf } from "../ingest/reused-ids.ts";

/** The id that a session has at its client, even if the store has that id for another one. */
export async function clientIdOf(store: Store, session: Session): Promise<SessionId> {
  const { id, source_agent: agent } = session;
  const withoutStart = idAtClient(id, startOf(session));
  if (withoutStart) return withoutStart as SessionId;
  const unqualified = unqualifiedId(agent, id);
  // A client may itself have begun with such an id.
  return unqualified && (await isOfOther(store, unqualified, agent))
    ? (unqualified as SessionId)
    : id;
}

async function isOfOther(store: Store, id: string, agent: string): Promise<boolean> {
  const columns = ["source_agent"];
  const [row] = await store.table("sessions").rows({ columns, where: eq("id", id), limit: 1 });
  return row !== undefined && row["source_agent"] !== agent;
}

/** A lineage of one client with the ids that it has there, and its ids in the store. */
export type ClientLineage = {
  readonly lineage: Lineage;
  readonly storedIds: ReadonlyMap<SessionId, SessionId>;
};

/** If two have one id at their client, the first has it here. */
export async function toClientLineage(
  store: Store,
  { root, descendants }: Lineage,
): Promise<ClientLineage> {
  const contents = [root, ...descendants];
  const taken = new Set(contents.map(({ session }) => session.id));
  const clientIds = new Map<SessionId, SessionId>();
  for (const { session } of contents) {
    const own = await clientIdOf(store, session);
    if (taken.has(own)) continue;
    taken.add(own);
    clientIds.set(session.id, own);
  }
  const storedIds = new Map([...clientIds].map(([stored, own]) => [own, stored]));
  if (clientIds.size === 0) return { lineage: { root, descendants }, storedIds };
  const change = (content: SessionContent): SessionContent => renamed(content, clientIds);
  return { lineage: { root: change(root), descendants: descendants.map(change) }, storedIds };
}

function renamed(
  { session, messages }: SessionContent,
  clientIds: ReadonlyMap<SessionId, SessionId>,
): SessionContent {
  const { parent_session_id: parent } = session;
  const id = clientIds.get(session.id) ?? session.id;
  const above = parent && clientIds.get(parent);
  const own = { ...session, id, ...(above && { parent_session_id: above }) };
  if (id === session.id) return { session: own, messages };
  return { session: own, messages: messages.map((message) => inSession(message, id)) };
}

function inSession(message: Message, session_id: SessionId): Message {
  if (message.role === "system") return { ...message, session_id };
  const content = message.content.map((part) => ({ ...part, session_id }));
  return { ...message, session_id, content } as Message;
}
