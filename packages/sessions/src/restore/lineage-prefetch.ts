import type { SessionId } from "@pond/canonical";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { childrenOf } from "../read/ancestry.ts";
import type { Batches } from "../read/batches.ts";
import type { SessionStore } from "../session-store.ts";
import { contentBatches, type LineageOptions, loadLineage } from "./lineage.ts";

/** @inline */
type Which = Omit<LineageOptions, "onDamaged">;

const checkedAtOnce = 100;
// What is read ahead is held until it is taken, and nothing is gained for large sessions.
const prefetchBytes = 512 * 1024;

/**
 * The lineages of sessions that are restored one after the other. Those with nothing below them are
 * read several at a time: for a small one, the queries cost more than what they find.
 */
export class LineagePrefetch {
  readonly #sessions: SessionStore;
  readonly #ids: readonly string[];
  readonly #which: Which;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #batches: Batches<string, SessionContent>;
  readonly #contents: Map<string, SessionContent> = new Map();
  readonly #damaged: Set<string> = new Set();
  /** Sessions with others below them, as far as was checked. */
  readonly #parents: Set<string> = new Set();
  #checkedTo = 0;
  #readTo = 0;

  /** @param ids - Each once, about in the order in which they are taken. */
  constructor(sessions: SessionStore, ids: readonly string[], which: Which = {}) {
    this.#sessions = sessions;
    this.#ids = ids;
    this.#which = which;
    this.#positions = new Map(ids.map((id, position) => [id, position]));
    const onDamaged = (id: SessionId): void => void this.#damaged.add(id);
    const { at = "last" } = which;
    this.#batches = contentBatches(sessions.store, at, onDamaged, prefetchBytes);
  }

  /** The same result as that of {@link loadLineage}. @throws what that throws. */
  async take(id: string, onDamaged?: LineageOptions["onDamaged"]): Promise<Lineage> {
    const position = this.#positions.get(id) ?? -1;
    if (position >= this.#readTo) await this.#readFrom(position);
    const root = this.#contents.get(id);
    if (root === undefined) return loadLineage(this.#sessions, id, { ...this.#which, onDamaged });
    this.#contents.delete(id);
    if (this.#damaged.delete(id)) onDamaged?.(root.session.id);
    return { root, descendants: [] };
  }

  async #readFrom(position: number): Promise<void> {
    this.#contents.clear();
    try {
      if (position >= this.#checkedTo) await this.#checkFrom(position);
      this.#readTo = position + 1;
      const ids = this.#ids.slice(position, this.#checkedTo);
      const alone = ids.filter((id) => !this.#parents.has(id));
      if (alone[0] !== ids[0]) return;
      for (const content of await this.#batches.read(alone)) {
        this.#contents.set(content.session.id, content);
        this.#readTo = (this.#positions.get(content.session.id) ?? position) + 1;
      }
    } catch {
      // One of them cannot be read. Which one, and why, is reported when each is read by itself.
      this.#readTo = this.#checkedTo;
    }
  }

  async #checkFrom(position: number): Promise<void> {
    const { at = "last" } = this.#which;
    const ids = this.#ids.slice(position, position + checkedAtOnce);
    this.#checkedTo = position + ids.length;
    const children = await childrenOf(this.#sessions.store, ids, { at });
    for (const parent of children.values()) this.#parents.add(parent);
  }
}
