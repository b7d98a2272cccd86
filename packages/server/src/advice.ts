import type { StatusResponse } from "@pond/wire";

/** Something the operator should do, and how. */
type Advice = StatusResponse["advice"][number];
type Facts = Pick<StatusResponse, "sessions" | "tables" | "embeddings">;
/** What of an `EmbeddingStatus` it depends on. */
type Embedding =
  | { readonly enabled: false }
  | { readonly enabled: true; readonly error: { readonly message: string } }
  | { readonly enabled: true; readonly model: string; readonly missing: number };

// Beyond it, searching what is not indexed yet is what a search waits for.
const waitingRowsToTell = 20_000;

/** What needs doing, judged by the numbers alone. */
export function adviseOn(facts: Facts, embedding: Embedding): Advice[] {
  if (facts.sessions === 0) {
    return [{ code: "empty", message: "Nothing is stored yet: `pond sync` fetches sessions." }];
  }
  return [...onIndexes(facts), ...onEmbeddings(facts, embedding)];
}

function onIndexes({ tables }: Facts): Advice[] {
  const waiting = Math.max(
    0,
    ...tables.flatMap(({ indexes }) => indexes.map(({ unindexedRows }) => unindexedRows)),
  );
  const hasUnindexedTable = tables.some(({ rows, indexes }) => rows > 0 && indexes.length === 0);
  if (!hasUnindexedTable && waiting < waitingRowsToTell) return [];
  return [
    {
      code: "indexes_behind",
      message: "Search is complete but slow: `pond sync --only update-indexes` speeds it up.",
    },
  ];
}

function onEmbeddings({ embeddings }: Facts, status: Embedding): Advice[] {
  if (!status.enabled) return [];
  if ("error" in status) {
    const message = `Search goes by words alone: ${status.error.message}`;
    return [{ code: "embeddings_unusable", message }];
  }
  const { model, missing } = status;
  if (missing === 0) return [];
  const messages = missing === 1 ? "1 message is" : `${count(missing)} messages are`;
  const stale = embeddings
    .filter((each) => each.model !== model)
    .reduce((sum, { messages }) => sum + messages, 0);
  const others = stale === 0 ? "" : `, ${count(stale)} of them only by another model`;
  return [
    {
      code: "embeddings_behind",
      message: `${messages} not embedded by ${model}${others}: \`pond sync\` does it.`,
    },
  ];
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
