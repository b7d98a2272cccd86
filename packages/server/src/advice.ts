import type { StatusResponse } from "@pond/wire";

/** Something that the operator should do, and how. */
type Advice = StatusResponse["advice"][number];
/** @inline */
type Facts = Pick<StatusResponse, "sessions" | "tables" | "embeddings">;
/** The part of an `EmbeddingStatus` that it depends on. @inline */
type Embedding =
  | { readonly enabled: false }
  | { readonly enabled: true; readonly error: { readonly message: string } }
  | { readonly enabled: true; readonly model: string; readonly missing: number };

// Beyond this, searching rows that are not indexed yet takes most of a search's time.
const unindexedRowsToReport = 20_000;

/** Who is advised. @inline */
export type AdviceOptions = {
  /** False if the caller runs no pond there: a tenant has nothing to run `pond sync` on. */
  readonly isPersonal: boolean;
};

/** Says what needs doing, judged by the numbers alone. */
export function adviseOn(
  facts: Facts,
  embedding: Embedding,
  { isPersonal }: AdviceOptions = { isPersonal: true },
): Advice[] {
  if (facts.sessions === 0) {
    const remedy = isPersonal ? "`pond sync` fetches sessions" : "`ingest` takes sessions";
    return [{ code: "empty", message: `Nothing is stored yet: ${remedy}.` }];
  }
  return [
    ...adviseOnIndexes(facts, isPersonal),
    ...adviseOnEmbeddings(facts, embedding, isPersonal),
  ];
}

function adviseOnIndexes({ tables }: Facts, isPersonal: boolean): Advice[] {
  const waiting = Math.max(
    0,
    ...tables.flatMap(({ indexes }) => indexes.map(({ unindexedRows }) => unindexedRows)),
  );
  const hasUnindexedTable = tables.some(({ rows, indexes }) => rows > 0 && indexes.length === 0);
  if (!hasUnindexedTable && waiting < unindexedRowsToReport) return [];
  const remedy = isPersonal
    ? "`pond sync --only update-indexes` speeds it up"
    : "it speeds up once the service has updated its indexes";
  return [{ code: "indexes_behind", message: `Search is complete but slow: ${remedy}.` }];
}

function adviseOnEmbeddings(
  { embeddings }: Facts,
  status: Embedding,
  isPersonal: boolean,
): Advice[] {
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
  const remedy = isPersonal
    ? "`pond sync` does it"
    : "words alone find them until the service does it";
  const message = `${messages} not embedded by ${model}${others}: ${remedy}.`;
  return [{ code: "embeddings_behind", message }];
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
