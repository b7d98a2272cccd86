import type { Store } from "@pond/substrate";
import { findRows, type PlacedStore, type Places } from "./places.ts";
import type { Range } from "./ranges.ts";
import { SessionNames } from "./session-names.ts";

// Windows are made from the others, so they tell nothing new.
const watched = ["sessions", "messages", "parts"] as const;

/** A store that sessions are copied to, and where it has rows of them. */
export class Target {
  readonly store: Store;
  readonly #isWanted: (sessionId: string) => boolean;
  /** The state when the copy began. */
  readonly #first: Places;
  readonly #inserted: Map<string, number> = new Map();

  private constructor(store: Store, isWanted: (sessionId: string) => boolean, first: Places) {
    this.store = store;
    this.#isWanted = isWanted;
    this.#first = first;
  }

  static async look(store: Store, isWanted: (sessionId: string) => boolean): Promise<Target> {
    return new Target(store, isWanted, await findRows(store, { isWanted }));
  }

  /** Call it with everything that the copy inserts. */
  inserted(table: string, rows: number): void {
    this.#inserted.set(table, (this.#inserted.get(table) ?? 0) + rows);
  }

  /**
   * Where the store's rows of a range are now, as long as the copy has written none of them. Known
   * from the beginning, unless another process has written since.
   */
  async placesOf(range: Range): Promise<Places> {
    return (await this.isAlone()) ? this.#first : this.lookAgain(range);
  }

  /** True for the result of {@link placesOf} if no other process has written. */
  isFirst(places: Places): boolean {
    return places === this.#first;
  }

  /** Where the store's rows of a range are now. */
  lookAgain(range: Range): Promise<Places> {
    return findRows(this.store, { isWanted: this.#isWanted, range });
  }

  placed(places: Places): PlacedStore {
    return { store: this.store, places, names: new SessionNames() };
  }

  /**
   * True if no other process has written. Rows are never removed, so it is true exactly if there
   * are as many as at the beginning and as were added.
   */
  async isAlone(): Promise<boolean> {
    for (const name of watched) {
      const table = this.store.table(name);
      await table.refresh();
      const own = this.#first.rows(name) + (this.#inserted.get(name) ?? 0);
      if ((await table.count()) !== own) return false;
    }
    return true;
  }
}
