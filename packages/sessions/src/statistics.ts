import { isNotNull, type Store, type TableHealth } from "@pond/substrate";
import type { SessionStore } from "./session-store.ts";

export type LabelCounts = { readonly sessions: number; readonly messages: number };

export type Statistics = {
  readonly store_id: string;
  readonly location: string;
  readonly sessions: number;
  readonly messages: number;
  readonly parts: number;
  /** Messages search can find. */
  readonly searchable: number;
  /** How many of them have a vector. */
  readonly embedded: number;
  readonly by_agent: Readonly<Record<string, LabelCounts>>;
  readonly by_project: Readonly<Record<string, LabelCounts>>;
  /** Rows, bytes and index coverage of each table. */
  readonly tables: readonly TableHealth[];
};

/** Counts by client and project, embedding coverage, and the health of tables and indexes. */
export async function statistics({ store }: SessionStore): Promise<Statistics> {
  const names = ["sessions", "messages", "parts", "windows"];
  const [tables, byAgent, byProject, searchable, embedded] = await Promise.all([
    Promise.all(names.map((name) => store.table(name).health())),
    countBy(store, "source_agent"),
    countBy(store, "project"),
    store.table("messages").count(isNotNull("search_text")),
    store.table("messages").count(isNotNull("embedding_model")),
  ]);
  const rowsOf = (name: string): number => tables.find((table) => table.name === name)?.rows ?? 0;
  return {
    store_id: store.id,
    location: store.location,
    sessions: rowsOf("sessions"),
    messages: rowsOf("messages"),
    parts: rowsOf("parts"),
    searchable,
    embedded,
    by_agent: byAgent,
    by_project: byProject,
    tables,
  };
}

async function countBy(store: Store, column: string): Promise<Record<string, LabelCounts>> {
  const counts = new Map<string, { sessions: number; messages: number }>();
  for (const table of ["sessions", "messages"] as const) {
    for await (const rows of store.table(table).scan({ columns: [column] })) {
      for (const row of rows) {
        const label = String(row[column]);
        const known = counts.get(label) ?? { sessions: 0, messages: 0 };
        known[table] += 1;
        counts.set(label, known);
      }
    }
  }
  // Labels come from sources: one may be called `__proto__`.
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}
