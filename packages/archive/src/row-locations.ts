import { rowId, type Store } from "@pond/substrate";
import { type Range, within } from "./ranges.ts";
import { SessionNames } from "./session-names.ts";
import { readOrder, type TableName } from "./tables.ts";

/** Rows with consecutive ids: as a rule, what one write stored of a session. */
type Run = { readonly first: bigint; rows: number };

/** Where the rows of sessions are in a store: their row ids, which stay whatever is written. */
export class RowLocations {
  readonly #runs: ReadonlyMap<TableName, Map<string, Run[]>> = new Map(
    readOrder.map((name) => [name, new Map()]),
  );

  readonly #rows: Map<TableName, number> = new Map();

  /** Call it with the number of all rows that were looked at. */
  addScanned(table: TableName, rows: number): void {
    this.#rows.set(table, this.rows(table) + rows);
  }

  /** How many rows of a table were looked at, of any session. */
  rows(table: TableName): number {
    return this.#rows.get(table) ?? 0;
  }

  add(table: TableName, sessionId: string, id: bigint): void {
    const sessions = this.#runs.get(table);
    const runs = sessions?.get(sessionId);
    const last = runs?.at(-1);
    if (last && last.first + BigInt(last.rows) === id) last.rows += 1;
    else if (runs) runs.push({ first: id, rows: 1 });
    else sessions?.set(sessionId, [{ first: id, rows: 1 }]);
  }

  /** True if a table has rows of the session. */
  has(table: TableName, sessionId: string): boolean {
    return this.#runs.get(table)?.has(sessionId) ?? false;
  }

  /** Sessions whose own row is there. */
  sessionIds(): string[] {
    return [...(this.#runs.get("sessions")?.keys() ?? [])];
  }

  /** Sessions that have messages but no row of their own. */
  idsWithoutSessionRow(): string[] {
    const ids = [...(this.#runs.get("messages")?.keys() ?? [])];
    return ids.filter((id) => !this.has("sessions", id));
  }

  /** How many rows of a session there are in all tables. */
  rowsOf(sessionId: string): number {
    const runs = readOrder.flatMap((name) => this.#runs.get(name)?.get(sessionId) ?? []);
    return runs.reduce((sum, { rows }) => sum + rows, 0);
  }

  /** The ids of the rows of some sessions. */
  rowIds(table: TableName, sessionIds: Iterable<string>): bigint[] {
    const ids: bigint[] = [];
    for (const sessionId of sessionIds) {
      for (const { first, rows } of this.#runs.get(table)?.get(sessionId) ?? []) {
        for (let at = 0n; at < rows; at++) ids.push(first + at);
      }
    }
    return ids;
  }
}

/** A store, and where its rows are. */
export type LocatedStore = {
  readonly store: Store;
  /** By the names of sessions. */
  readonly locations: RowLocations;
  readonly names: SessionNames;
};

export type FindOptions = {
  /** True for sessions whose rows are to be found. */
  readonly isWanted?: (sessionId: string) => boolean;
  /** Only this range is looked at. */
  readonly range?: Range;
  /** The names of sessions. */
  readonly names?: SessionNames;
};

/**
 * Finds out in one pass which row belongs to which session. If it were asked for one range at a
 * time, rows without an index would be read anew for each.
 */
export async function locateRows(
  store: Store,
  { isWanted = () => true, range, names = new SessionNames() }: FindOptions = {},
): Promise<RowLocations> {
  const locations = new RowLocations();
  for (const name of readOrder) {
    const table = store.table(name);
    const [column = "id"] = table.declaration.primaryKey;
    // What was read before may be newer than what this handle last saw.
    await table.refresh();
    const where = range && within(column, range);
    for await (const rows of table.scan({ columns: [column, rowId], where })) {
      locations.addScanned(name, rows.length);
      for (const row of rows) {
        const sessionId = names.nameOf(String(row[column]));
        if (isWanted(sessionId)) locations.add(name, sessionId, BigInt(row[rowId] as bigint));
      }
    }
  }
  return locations;
}
