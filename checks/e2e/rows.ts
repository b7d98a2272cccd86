import { createHash } from "node:crypto";
import { openSessions, sessionTables } from "@pond/sessions";

/** Every row of a store: table, then primary key, then the columns as texts. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, string>>>>;

export type Stored = {
  readonly rows: Rows;
  /** Keys that a table holds twice. */
  readonly duplicates: readonly string[];
};

/** All rows of a store, without the time of storing. */
export async function storedRows(
  storage: string,
  storageOptions: Readonly<Record<string, string>> = {},
): Promise<Stored> {
  const sessions = await openSessions(storage, { storageOptions });
  const rows = new Map<string, Map<string, Record<string, string>>>();
  const duplicates: string[] = [];
  for (const { name: table, primaryKey, columns } of sessionTables) {
    const names = Object.keys(columns).filter((name) => name !== "ingested_at");
    const byKey = new Map<string, Record<string, string>>();
    for (const row of await sessions.store.table(table).rows({ columns: names })) {
      const key = JSON.stringify(primaryKey.map((name) => row[name]));
      if (byKey.has(key)) duplicates.push(`${table} ${key}`);
      byKey.set(key, Object.fromEntries(names.map((name) => [name, cellText(row[name])])));
    }
    rows.set(table, byKey);
  }
  sessions.close();
  return { rows, duplicates };
}

/** How two stores differ, one line a row; only a few, because one cause affects many rows. */
export function rowDifferences(expected: Rows, found: Rows): string[] {
  const lines: string[] = [];
  for (const table of new Set([...expected.keys(), ...found.keys()])) {
    const [own, other] = [expected.get(table) ?? new Map(), found.get(table) ?? new Map()];
    for (const key of new Set([...own.keys(), ...other.keys()])) {
      const difference = rowDifference(own.get(key), other.get(key));
      if (difference !== undefined) lines.push(`${table} ${key}: ${difference}`);
    }
  }
  return lines.slice(0, 20);
}

type CellTexts = Readonly<Record<string, string>>;

function rowDifference(own?: CellTexts, other?: CellTexts): string | undefined {
  if (own === undefined) return "not expected";
  if (other === undefined) return "lost";
  const columns = Object.keys(own).filter((name) => own[name] !== other[name]);
  return columns.length === 0 ? undefined : `another ${columns.join(", ")}`;
}

function cellText(cell: unknown): string {
  if (cell instanceof Uint8Array) return createHash("sha256").update(cell).digest("hex");
  return String(cell);
}
