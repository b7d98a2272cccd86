import {
  type Labels,
  type LiveMessage,
  leaveOutLeft,
  liveMessages,
  type NamedApart,
  storedColumns,
  storedMessage,
} from "@pond/sessions/rows";
import { eq, type Filter, type Store } from "@pond/substrate";
import type { PlacedStore } from "./places.ts";

// Two copies at once may bring two sessions by one name. Whoever stores the row of its session has
// that; the other one gives its own another name, and takes out what it left.

/** A session of a store, by the name that it has in another. */
type Stored = {
  readonly labels: Labels;
  readonly live: ReadonlyMap<string, LiveMessage>;
};

/** What a store shows of a session. */
export async function storedIn(
  { store, names }: Pick<PlacedStore, "store" | "names">,
  name: string,
): Promise<Stored | undefined> {
  const id = names.idOf(name);
  const labels = (await labelsOf(store, eq("id", id))).get(id);
  if (labels === undefined) return undefined;
  const columns = [...storedColumns];
  const rows = await store.table("messages").rows({ columns, where: eq("session_id", id) });
  return { labels: { ...labels, sessionId: name }, live: liveMessages(rows.map(storedMessage)) };
}

/**
 * Takes out of sessions what was left in them by those that are called otherwise now: by a copy that
 * lost a name to them, and by one that broke off before it knew.
 *
 * @param left - Names that they had in this copy before, by their ids.
 */
export async function leaveOutNames(
  { store, names }: Pick<PlacedStore, "store" | "names">,
  to: Store,
  left: ReadonlyMap<string, ReadonlySet<string>>,
  at: bigint,
): Promise<void> {
  if (names.isEmpty) return;
  const [given, there] = [await labelsOf(store), await labelsOf(to)];
  const named: NamedApart[] = [];
  for (const [id, name] of names.entries()) {
    const labels = given.get(id);
    // It has all that is its own by then.
    if (labels === undefined || there.has(name)) continue;
    const others = new Set([id, ...(left.get(id) ?? [])]);
    const bases = [...others].flatMap((each) => there.get(each) ?? []);
    const times = async (): Promise<ReadonlyMap<string, bigint>> => {
      const { live } = (await storedIn({ store, names }, name)) ?? { live: new Map() };
      return new Map([...live].map(([each, { timestamp }]) => [each, timestamp]));
    };
    named.push({ labels, bases, times });
  }
  await leaveOutLeft(to, named, at);
}

async function labelsOf(store: Store, where?: Filter): Promise<Map<string, Labels>> {
  const columns = ["id", "source_agent", "project"];
  const rows = await store.table("sessions").rows({ columns, where });
  return new Map(
    rows.map((row) => {
      const [sessionId, sourceAgent] = [String(row["id"]), String(row["source_agent"])];
      return [sessionId, { sessionId, sourceAgent, project: String(row["project"]) }];
    }),
  );
}
