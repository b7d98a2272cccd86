import { and, eq, isNotNull, isNull, oneOf, type Store } from "@pond/substrate";
import { liveMessages } from "../revisions/reconcile.ts";
import { storedColumns, storedMessage } from "../revisions/stored-messages.ts";
import { fromIndexed } from "../search/indexed-text.ts";
import { searchable } from "../tables.ts";

const titleChars = 120;

/** How many messages each session shows: carriers are none, tombstoned ones are left out. */
export async function countMessages(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  if (sessionIds.length === 0) return counts;
  const within = oneOf("session_id", sessionIds);
  const table = store.table("messages");
  const where = and(within, isNull("revises"));
  for await (const rows of table.scan({ columns: ["session_id"], where })) {
    for (const row of rows) add(counts, String(row["session_id"]), 1);
  }
  const columns = ["session_id", ...storedColumns];
  const carriers = await table.rows({ columns, where: and(within, isNotNull("revises")) });
  for (const [id, rows] of Map.groupBy(carriers, (row) => String(row["session_id"]))) {
    const removed = [...liveMessages(rows.map(storedMessage)).values()].filter(
      ({ digest }) => digest === null,
    );
    add(counts, id, -removed.length);
  }
  return counts;
}

/** The beginning of the first thing a person said in each session. */
export async function titles(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  if (sessionIds.length === 0) return new Map();
  const table = store.table("messages");
  const within = oneOf("session_id", sessionIds);
  const first = new Map<string, { readonly ordinal: bigint; readonly id: string }>();
  const spoken = and(within, eq("role", "user"), searchable);
  for await (const rows of table.scan({
    columns: ["session_id", "ordinal", "id"],
    where: spoken,
  })) {
    for (const row of rows) {
      const session = String(row["session_id"]);
      const ordinal = BigInt(row["ordinal"] as bigint);
      const known = first.get(session);
      if (!known || ordinal < known.ordinal) first.set(session, { ordinal, id: String(row["id"]) });
    }
  }
  const found = new Map<string, string>();
  const ids = [...first.values()].map(({ id }) => id);
  const rows = await table.rows({
    columns: ["session_id", "id", "search_text"],
    where: and(within, oneOf("id", ids)),
  });
  for (const row of rows) {
    const session = String(row["session_id"]);
    if (first.get(session)?.id === row["id"])
      found.set(session, shorten(fromIndexed(String(row["search_text"]))));
  }
  return found;
}

function shorten(text: string): string {
  const line = text
    .slice(0, titleChars * 10)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= titleChars ? line : `${line.slice(0, titleChars).toWellFormed()}…`;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
