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

/** A session that is stored and will come again. */
export type ExpectedSession = {
  readonly id: string;
  /** About how many messages it has; left out if unknown. */
  readonly messages?: number | undefined;
};

const sessionsAtOnce = 32;
// A query for so many takes long enough, and each takes some hundred bytes.
const messagesAtOnce = 4_000;

/**
 * What the store holds of sessions that come again. If it is known which will come, several are
 * read at a time: for small ones a query costs more than what it finds.
 */
export class StoredSessions {
  readonly #store: Store;
  readonly #expected: readonly ExpectedSession[];
  readonly #positions: ReadonlyMap<string, number>;
  readonly #prefetched: Map<string, StoredSession> = new Map();
  readonly #taken: Set<string> = new Set();

  /** @param expected - The sessions that will come, about in order, each once. */
  constructor(store: Store, expected: readonly ExpectedSession[]) {
    this.#store = store;
    this.#expected = expected;
    this.#positions = new Map(expected.map(({ id }, position) => [id, position]));
  }

  /** True if a session was read before it was taken, so that nothing of it can have come. */
  isPrefetched(id: string): boolean {
    return this.#prefetched.has(id);
  }

  /**
   * For a session to which rows of others may be added before it comes: it is read when it comes.
   */
  skipPrefetch(id: string): void {
    this.#prefetched.delete(id);
    this.#taken.add(id);
  }

  /** @throws {SessionNotFoundError} */
  async take(id: string): Promise<StoredSession> {
    if (!this.#prefetched.has(id)) await this.#read(id);
    const stored = this.#prefetched.get(id);
    if (stored === undefined) throw new SessionNotFoundError(id);
    this.#prefetched.delete(id);
    if (this.#expected.length > 0) this.#taken.add(id);
    return stored;
  }

  async #read(id: string): Promise<void> {
    const ids = [id, ...this.#nextExpectedIds(id)];
    const [rows, messages, withParts] = await Promise.all([
      this.#store.table("sessions").rows({ columns: sessionColumns, where: oneOf("id", ids) }),
      storedMessages(this.#store, ids),
      messagesWithParts(this.#store, ids),
    ]);
    // Otherwise others were read ahead, and will still come.
    if (this.#positions.has(id)) this.#prefetched.clear();
    for (const row of rows) {
      const session = sessionFromRow(row);
      this.#prefetched.set(session.id, {
        session,
        messages: messages.get(session.id) ?? [],
        withParts: withParts.get(session.id) ?? new Set(),
      });
    }
  }

  /** The next ones to come that are worth reading with it. */
  #nextExpectedIds(id: string): string[] {
    const position = this.#positions.get(id);
    if (position === undefined) return [];
    const ids: string[] = [];
    let left = messagesAtOnce - (this.#expected[position]?.messages ?? 0);
    for (const next of this.#expected.slice(position + 1, position + sessionsAtOnce)) {
      left -= next.messages ?? 0;
      if (left < 0) break;
      if (!this.#taken.has(next.id)) ids.push(next.id);
    }
    return ids;
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
