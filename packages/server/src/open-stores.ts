import type { SessionStore } from "@pond/sessions";
import { endTurns } from "./turns.ts";

type Entry = {
  readonly place: string;
  readonly opening: Promise<SessionStore>;
  users: number;
  /** Set while nobody uses it. */
  idleTimer: NodeJS.Timeout | undefined;
};

/** Which stores stay open. */
export type OpenStoresOptions = {
  readonly maxOpen: number;
  /** After how many milliseconds without a user a store is closed. */
  readonly idleMs: number;
  /** Called when the last open store was closed for that reason. */
  readonly onAllIdle: () => void;
};

/**
 * Stores by key, each opened once for all callers. If there are more than `maxOpen`, the least
 * recently used are closed, but never one in use, so there may be more for a while.
 */
export class OpenStores {
  readonly #options: OpenStoresOptions;
  /** The least recently used first. */
  readonly #entries: Map<string, Entry> = new Map();
  /** Still in use, but given to nobody else. */
  readonly #retired: Set<Entry> = new Set();
  readonly #closing: Set<Promise<void>> = new Set();

  constructor(options: OpenStoresOptions) {
    this.#options = options;
  }

  /** Whether it is open at that place; waits for an opening in progress. */
  async isOpen(key: string, place: string = ""): Promise<boolean> {
    const entry = this.#entries.get(key);
    if (entry?.place !== place) return false;
    const isOpened = entry.opening.then(
      () => true,
      () => false,
    );
    return isOpened;
  }

  /**
   * @param until - Settles when the store is not used any more; left out, it stays open.
   * @param place - Where it is. If one with this key is open at another place, that one is retired.
   * @throws What `open` throws; the next caller tries again.
   */
  async use(
    key: string,
    open: () => Promise<SessionStore>,
    until: Promise<unknown> = new Promise(() => {}),
    place: string = "",
  ): Promise<SessionStore> {
    if (this.#entries.get(key)?.place !== place) this.retire(key);
    const entry = this.#entries.get(key) ?? {
      place,
      opening: open(),
      users: 0,
      idleTimer: undefined,
    };
    clearTimeout(entry.idleTimer);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users += 1;
    try {
      const sessions = await entry.opening;
      this.#closeSurplus();
      const release = (): void => this.#release(key, entry);
      void until.then(release, release);
      return sessions;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      this.#retired.delete(entry);
      throw error;
    }
  }

  /** Closes a store as soon as nobody uses it. */
  retire(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#retired.add(entry);
    if (entry.users === 0) void this.#close(entry);
  }

  /** Closes every store once its writes are done. Reads still in progress fail. */
  async close(): Promise<void> {
    for (const entry of [...this.#entries.values(), ...this.#retired]) void this.#close(entry);
    this.#entries.clear();
    await Promise.all(this.#closing);
  }

  #release(key: string, entry: Entry): void {
    entry.users -= 1;
    if (entry.users === 0 && this.#retired.has(entry)) void this.#close(entry);
    else this.#closeSurplus();
    if (entry.users > 0 || this.#entries.get(key) !== entry) return;
    entry.idleTimer = setTimeout(() => this.#closeIdle(key, entry), this.#options.idleMs).unref();
  }

  /** The memory it holds is worth more to others by now. */
  async #closeIdle(key: string, entry: Entry): Promise<void> {
    this.#entries.delete(key);
    await this.#close(entry);
    if (this.#entries.size === 0 && this.#retired.size === 0) this.#options.onAllIdle();
  }

  #closeSurplus(): void {
    let surplus = this.#entries.size - this.#options.maxOpen;
    for (const [key, { users }] of this.#entries) {
      if (surplus <= 0) return;
      if (users > 0) continue;
      this.retire(key);
      surplus -= 1;
    }
  }

  #close(entry: Entry): Promise<void> {
    clearTimeout(entry.idleTimer);
    this.#retired.delete(entry);
    // Indexes may be under maintenance just now, for nobody in particular.
    const closed = entry.opening.then(
      (sessions) => endTurns(sessions).then(() => sessions.close()),
      () => undefined,
    );
    this.#closing.add(closed);
    void closed.finally(() => this.#closing.delete(closed));
    return closed;
  }
}
