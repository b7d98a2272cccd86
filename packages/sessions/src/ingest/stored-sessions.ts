import type { Session } from "@pond/canonical";
import { oneOf, type Store } from "@pond/substrate";
import { SessionNotFoundError } from "../errors.ts";
import { type FoundMessage, storedMessages } from "../revisions/stored-messages.ts";
import { sessionColumns, sessionFromRow } from "../rows/from-rows.ts";

/** A session as it was first stored, and the rows of its messages, as reconciling needs them. */
export type StoredSession = {
  readonly session: Session;
  readonly messages: readonly FoundMessage[];
  /** Ids of the messages that have any part. */
  readonly withParts: ReadonlySet<string>;
};

const sessionsAtOnce = 32;

/**
 * What the store holds of sessions that come again. Where it is known which will come, several are
 * read at a time: for small ones a query costs more than what it finds.
 */
export class StoredSessions {
  readonly #store: Store;
  readonly #ids: readonly string[];
  readonly #ahead: Map<string, StoredSession> = new Map();
  readonly #taken: Set<string> = new Set();

  /** @param ids - Those that will come, about in their order. */
  constructor(store: Store, ids: readonly string[]) {
    this.#store = store;
    this.#ids = ids;
  }

  /** True where a session was read already: before it was taken, so nothing of it can have come. */
  isAhead(id: string): boolean {
    return this.#ahead.has(id);
  }

  /** @throws {SessionNotFoundError} */
  async take(id: string): Promise<StoredSession> {
    if (!this.#ahead.has(id)) await this.#read(id);
    const stored = this.#ahead.get(id);
    if (stored === undefined) throw new SessionNotFoundError(id);
    this.#ahead.delete(id);
    if (this.#ids.length > 0) this.#taken.add(id);
    return stored;
  }

  async #read(id: string): Promise<void> {
    const place = this.#ids.indexOf(id);
    const next = place < 0 ? [] : this.#ids.slice(place + 1, place + sessionsAtOnce);
    const ids = [id, ...next.filter((each) => !this.#taken.has(each))];
    const [rows, messages, withParts] = await Promise.all([
      this.#store.table("sessions").rows({ columns: sessionColumns, where: oneOf("id", ids) }),
      storedMessages(this.#store, ids),
      messagesWithParts(this.#store, ids),
    ]);
    this.#ahead.clear();
    for (const row of rows) {
      const session = sessionFromRow(row);
      this.#ahead.set(session.id, {
        session,
        messages: messages.get(session.id) ?? [],
        withParts: withParts.get(session.id) ?? new Set(),
      });
    }
  }
}

/** Ids of the messages that have any part, by session. */
async function messagesWithParts(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const found = new Map(sessionIds.map((id) => [id, new Set<string>()]));
  const columns = ["session_id", "message_id"];
  const where = oneOf("session_id", sessionIds);
  for await (const rows of store.table("parts").scan({ columns, where })) {
    for (const row of rows) found.get(String(row["session_id"]))?.add(String(row["message_id"]));
  }
  return found;
}
