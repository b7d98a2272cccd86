import type { Store } from "@pond/substrate";
import type { Range } from "./ranges.ts";
import { type LocatedStore, locateRows, type RowLocations } from "./row-locations.ts";
import { SessionNames } from "./session-names.ts";

// Windows are made from the others, so they tell nothing new.
const countedTables = ["sessions", "messages", "parts"] as const;

/** A store that sessions are copied to, and where it has rows of them. */
export class Target {
  readonly store: Store;
  readonly #isWanted: (sessionId: string) => boolean;
  /** The state when the copy began. */
  readonly #initial: RowLocations;
  readonly #inserted: Map<string, number> = new Map();

  private constructor(
    store: Store,
    isWanted: (sessionId: string) => boolean,
    initial: RowLocations,
  ) {
    this.store = store;
    this.#isWanted = isWanted;
    this.#initial = initial;
  }

  static async locate(store: Store, isWanted: (sessionId: string) => boolean): Promise<Target> {
    return new Target(store, isWanted, await locateRows(store, { isWanted }));
  }

  /** Call it with everything that the copy inserts. */
  inserted(table: string, rows: number): void {
    this.#inserted.set(table, (this.#inserted.get(table) ?? 0) + rows);
  }

  /**
   * Where the store's rows of a range are now, as long as the copy has written none of them. Known
   * from the beginning, unless another process has written since.
   */
  async locationsOf(range: Range): Promise<RowLocations> {
    return (await this.isAlone()) ? this.#initial : this.locateAgain(range);
  }

  /** True for the result of {@link locationsOf} if no other process has written. */
  isInitial(locations: RowLocations): boolean {
    return locations === this.#initial;
  }

  /** Where the store's rows of a range are now. */
  locateAgain(range: Range): Promise<RowLocations> {
    return locateRows(this.store, { isWanted: this.#isWanted, range });
  }

  located(locations: RowLocations): LocatedStore {
    return { store: this.store, locations, names: new SessionNames() };
  }

  /**
   * True if no other process has written. Rows are never removed, so it is true exactly if there
   * are as many as at the beginning and as were added.
   */
  async isAlone(): Promise<boolean> {
    for (const name of countedTables) {
      const table = this.store.table(name);
      await table.refresh();
      const own = this.#initial.rows(name) + (this.#inserted.get(name) ?? 0);
      if ((await table.count()) !== own) return false;
    }
    return true;
  }
}
