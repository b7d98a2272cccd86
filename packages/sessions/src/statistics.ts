import type { TableHealth } from "@pond/substrate";
import type { SessionStore } from "./session-store.ts";

export type Statistics = {
  readonly store_id: string;
  readonly location: string;
  readonly sessions: number;
  readonly messages: number;
  readonly parts: number;
  /** Messages search can find, and how many of them have a vector. */
  readonly embedded: number;
  readonly by_agent: Readonly<Record<string, number>>;
  readonly by_project: Readonly<Record<string, number>>;
  readonly tables: readonly TableHealth[];
};

/** Counts of sessions by client and project, and the health of tables and indexes. */
export async function statistics({ store }: SessionStore): Promise<Statistics> {
  const names = ["sessions", "messages", "parts", "windows"];
  const tables = await Promise.all(names.map((name) => store.table(name).health()));
  const byAgent = new Map<string, number>();
  const byProject = new Map<string, number>();
  for await (const rows of store.table("sessions").scan({ columns: ["source_agent", "project"] })) {
    for (const row of rows) {
      count(byAgent, String(row["source_agent"]));
      count(byProject, String(row["project"]));
    }
  }
  const rowsOf = (name: string): number => tables.find((table) => table.name === name)?.rows ?? 0;
  return {
    store_id: store.id,
    location: store.location,
    sessions: rowsOf("sessions"),
    messages: rowsOf("messages"),
    parts: rowsOf("parts"),
    embedded: await store.table("messages").count({ op: "not-null", column: "embedding_model" }),
    by_agent: Object.fromEntries(byAgent),
    by_project: Object.fromEntries(byProject),
    tables,
  };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
