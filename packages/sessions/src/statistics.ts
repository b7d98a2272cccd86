import { isNotNull, type Store, type TableHealth } from "@pond/substrate";
import type { SessionStore } from "./session-store.ts";
import { searchable as isSearchable } from "./tables.ts";

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
  const [tables, [byAgent, byProject], searchable, embedded] = await Promise.all([
    Promise.all(names.map((name) => store.table(name).health())),
    countLabels(store),
    store.table("messages").count(isSearchable),
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
    by_agent: sorted(byAgent),
    by_project: sorted(byProject),
    tables,
  };
}

type Counts = Map<string, { sessions: number; messages: number }>;

/** By client and by project; in one pass, for it reads every message's labels. */
async function countLabels(store: Store): Promise<readonly [Counts, Counts]> {
  const [byAgent, byProject]: [Counts, Counts] = [new Map(), new Map()];
  for (const table of ["sessions", "messages"] as const) {
    const labels = store.table(table).scan({ columns: ["source_agent", "project"] });
    for await (const rows of labels) {
      for (const { source_agent, project } of rows) {
        add(byAgent, String(source_agent), table);
        add(byProject, String(project), table);
      }
    }
  }
  return [byAgent, byProject];
}

function add(counts: Counts, label: string, table: "sessions" | "messages"): void {
  const known = counts.get(label);
  if (known) known[table] += 1;
  else counts.set(label, { sessions: 0, messages: 0, [table]: 1 });
}

function sorted(counts: Counts): Record<string, LabelCounts> {
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}
