import { renamedRow } from "@pond/sessions/rows";
import type { Row } from "@pond/substrate";

/** The names of sessions in another store, by their ids, where they differ. */
export class SessionNames {
  readonly #names: ReadonlyMap<string, string>;
  /** The ids by these names. */
  readonly #ids: ReadonlyMap<string, string>;

  constructor(names: ReadonlyMap<string, string> = new Map()) {
    this.#names = names;
    this.#ids = new Map([...names].map(([id, name]) => [name, id]));
  }

  /** True if every session is called by its id. */
  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  /** The names that differ, by the ids. */
  entries(): MapIterator<[string, string]> {
    return this.#names.entries();
  }

  nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }

  /** The id that a session of that name has in its own store. */
  idOf(name: string): string {
    return this.#ids.get(name) ?? name;
  }

  /** A row of a table with these names. */
  renamed(table: string, row: Row): Row {
    return this.isEmpty ? row : renamedRow(table, row, (id) => this.nameOf(id));
  }
}
