import type { Statistics } from "@pond/sessions";
import type { Coverage, EmbeddingStatus } from "./embedding-status.ts";
import { formatCount, formatCounted } from "./output/numbers.ts";

/** Something the user should do, and how. */
export type Advice = { readonly code: string; readonly message: string };

// Beyond it, searching what is not indexed yet is what a search waits for.
const waitingRowsToTell = 20_000;

/** What needs doing, judged by the numbers alone. */
export function adviseOn(facts: Statistics, embedding: EmbeddingStatus): Advice[] {
  if (facts.sessions === 0) {
    return [{ code: "empty", message: "Nothing is stored yet: `pond sync` fetches sessions." }];
  }
  return [...onIndexes(facts), ...onEmbeddings(facts, embedding)];
}

function onIndexes({ tables }: Statistics): Advice[] {
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

function onEmbeddings({ embeddings }: Coverage, status: EmbeddingStatus): Advice[] {
  if (!status.enabled) return [];
  if ("error" in status) {
    const message = `Search goes by words alone: ${status.error.message}`;
    return [{ code: "embeddings_unusable", message }];
  }
  const { model, missing } = status;
  if (missing === 0) return [];
  const messages = formatCounted(missing, "message");
  const isAre = missing === 1 ? "is" : "are";
  const stale = embeddings
    .filter((each) => each.model !== model)
    .reduce((sum, { messages }) => sum + messages, 0);
  const others = stale === 0 ? "" : `, ${formatCount(stale)} of them only by another model`;
  return [
    {
      code: "embeddings_behind",
      message: `${messages} ${isAre} not embedded by ${model}${others}: \`pond sync\` does it.`,
    },
  ];
}
