import { isAsWritten } from "@pond/sessions/rows";
import { eq, type Row } from "@pond/substrate";
import type { LocatedStore } from "./row-locations.ts";
import { isRepeatedByCarrier } from "./whole-rows.ts";

/**
 * Recognizes messages, on their way out of a store, that have lost their parts there and that no
 * carrier repeats.
 */
export class MessagesMissingParts {
  readonly #from: LocatedStore;
  /** Ids of messages with any part, by session: of the parts that are copied too, */
  readonly #withCopiedParts: Map<string, Set<string>> = new Map();
  /** and of the parts that stay, because the other store has them. */
  readonly #withStoredParts: Map<string, ReadonlySet<string>> = new Map();
  /** Sessions with a message that no carrier repeats; their other messages need not be checked. */
  readonly #lost: Set<string> = new Set();

  constructor(from: LocatedStore) {
    this.#from = from;
  }

  /** Call it with the parts that are copied too; they come before all messages. */
  addPart({ session_id: sessionId, message_id: messageId }: Row): void {
    const ids = this.#withCopiedParts.get(String(sessionId)) ?? new Set();
    this.#withCopiedParts.set(String(sessionId), ids.add(String(messageId)));
  }

  async has(message: Row): Promise<boolean> {
    if (message["revises"] !== null) return false;
    const [sessionId, id] = [String(message["session_id"]), String(message["id"])];
    if (this.#withCopiedParts.get(sessionId)?.has(id) || isAsWritten(message, [])) return false;
    const stored = this.#withStoredParts.get(sessionId) ?? (await this.#loadWithParts(sessionId));
    this.#withStoredParts.set(sessionId, stored);
    if (stored.has(id)) return false;
    const { store, names } = this.#from;
    if (this.#lost.has(sessionId)) return true;
    if (await isRepeatedByCarrier(store, names.idOf(sessionId), message)) return false;
    this.#lost.add(sessionId);
    return true;
  }

  async #loadWithParts(name: string): Promise<ReadonlySet<string>> {
    const { store, names } = this.#from;
    const where = eq("session_id", names.idOf(name));
    const rows = await store.table("parts").rows({ columns: ["message_id"], where });
    return new Set(rows.map(({ message_id: id }) => String(id)));
  }
}
