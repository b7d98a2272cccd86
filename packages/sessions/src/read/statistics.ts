import type { Row, Store, TableHealth } from "@pond/substrate";
import type { SessionStore } from "../session-store.ts";
import { searchable as isSearchable } from "../tables.ts";

/** How much is stored of one client, or one project. */
export type LabelCounts = { readonly sessions: number; readonly messages: number };

/** What is stored, and the state of the tables. */
export type Statistics = {
  readonly store_id: string;
  readonly location: string;
  readonly sessions: number;
  readonly messages: number;
  readonly parts: number;
  /** Messages that search can find. */
  readonly searchable: number;
  /** How many of them have a vector. */
  readonly embedded: number;
  /** The models of the vectors; the one with most messages first. */
  readonly embeddings: readonly { readonly model: string; readonly messages: number }[];
  readonly by_agent: Readonly<Record<string, LabelCounts>>;
  readonly by_project: Readonly<Record<string, LabelCounts>>;
  /** Rows, bytes and index coverage of each table. */
  readonly tables: readonly TableHealth[];
};

/** Counts by client and project, embedding coverage, and the health of tables and indexes. */
export async function statistics({ store }: SessionStore): Promise<Statistics> {
  const names = ["sessions", "messages", "parts", "windows"];
  const [tables, { byAgent, byProject, byModel }, searchable] = await Promise.all([
    Promise.all(names.map((name) => store.table(name).health())),
    countLabels(store),
    store.table("messages").count(isSearchable),
  ]);
  const rowsOf = (name: string): number => tables.find((table) => table.name === name)?.rows ?? 0;
  return {
    store_id: store.id,
    location: store.location,
    sessions: rowsOf("sessions"),
    messages: rowsOf("messages"),
    parts: rowsOf("parts"),
    searchable,
    embedded: [...byModel.values()].reduce((sum, messages) => sum + messages, 0),
    embeddings: [...byModel]
      .map(([model, messages]) => ({ model, messages }))
      .sort((left, right) => right.messages - left.messages || (left.model < right.model ? -1 : 1)),
    by_agent: sorted(byAgent),
    by_project: sorted(byProject),
    tables,
  };
}

type Counts = Map<string, { sessions: number; messages: number }>;

type CountsByLabel = {
  readonly byAgent: Counts;
  readonly byProject: Counts;
  readonly byModel: Map<string, number>;
};

/** In one pass, because it reads every message's labels. */
async function countLabels(store: Store): Promise<CountsByLabel> {
  const labels: CountsByLabel = { byAgent: new Map(), byProject: new Map(), byModel: new Map() };
  const columns = ["source_agent", "project"];
  for await (const rows of store.table("sessions").scan({ columns })) {
    for (const row of rows) addLabels(labels, row, "sessions");
  }
  const ofMessages = [...columns, "embedding_model"];
  for await (const rows of store.table("messages").scan({ columns: ofMessages })) {
    for (const row of rows) {
      addLabels(labels, row, "messages");
      const model = row["embedding_model"];
      if (typeof model !== "string") continue;
      labels.byModel.set(model, (labels.byModel.get(model) ?? 0) + 1);
    }
  }
  return labels;
}

function addLabels(
  { byAgent, byProject }: CountsByLabel,
  row: Row,
  table: "sessions" | "messages",
): void {
  add(byAgent, String(row["source_agent"]), table);
  add(byProject, String(row["project"]), table);
}

function add(counts: Counts, label: string, table: "sessions" | "messages"): void {
  const known = counts.get(label);
  if (known) known[table] += 1;
  else counts.set(label, { sessions: 0, messages: 0, [table]: 1 });
}

function sorted(counts: Counts): Record<string, LabelCounts> {
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}
