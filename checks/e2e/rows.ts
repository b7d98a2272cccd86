import { openSessions } from "@pond/sessions";

type Rows = Readonly<Record<string, readonly string[]>>;

const tables = {
  sessions: ["id", "parent_session_id", "source_agent", "created_at", "project", "options"],
  messages: [
    "session_id",
    "id",
    "ordinal",
    "timestamp",
    "role",
    "project",
    "content",
    "search_text",
    "options",
    "digest",
    "revises",
    "revision",
  ],
  parts: [
    "session_id",
    "message_id",
    "id",
    "ordinal",
    "type",
    "provenance",
    "variant_data",
    "options",
  ],
  windows: ["session_id", "id", "text", "message_ids"],
} as const;

/** Every row of a store as text, sorted: all that is data, so not when it was stored. */
export async function allRows(storage: string): Promise<Rows> {
  const sessions = await openSessions(storage);
  const rows: Record<string, string[]> = {};
  for (const [table, columns] of Object.entries(tables)) {
    const found = await sessions.store.table(table).rows({ columns });
    rows[table] = found
      .map((row) => JSON.stringify(columns.map((name) => String(row[name]))))
      .sort();
  }
  sessions.close();
  return rows;
}

/** Keys that stand in a table twice. */
export function duplicateKeys(rows: Rows): string[] {
  const lengths = { sessions: 1, messages: 2, parts: 3, windows: 2 };
  return Object.entries(lengths).flatMap(([table, length]) => {
    const seen = new Set<string>();
    return (rows[table] ?? []).flatMap((row) => {
      const key = JSON.stringify(JSON.parse(row).slice(0, length));
      if (!seen.has(key)) {
        seen.add(key);
        return [];
      }
      return [`${table} ${key}`];
    });
  });
}
