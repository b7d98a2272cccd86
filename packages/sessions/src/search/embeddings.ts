import {
  and,
  eq,
  type Filter,
  fragmentOf,
  isNotNull,
  isNull,
  ne,
  oneOf,
  or,
  type Row,
  rowAddress,
  rowId,
} from "@pond/substrate";
import type { SessionStore } from "../session-store.ts";
import { searchable } from "../tables.ts";
import { fromIndexed } from "./indexed-text.ts";

/** The model that makes the vectors; its id is stored with each of them. */
export type EmbeddingModel = { readonly modelId: string; readonly dimension: number };

/** A message that waits for its vector. */
export type BacklogMessage = {
  readonly sessionId: string;
  readonly id: string;
  /** Names its row in this store. */
  readonly row: bigint;
  /** Messages of one fragment are cheaply written together. */
  readonly fragment: number;
};

/** A waiting message, and its text to embed. */
export type BacklogText = { readonly message: BacklogMessage; readonly text: string };

/** The vector of a message. */
export type MessageVector = { readonly message: BacklogMessage; readonly vector: Float32Array };

// Decided by the model alone: asking for nulls among the vectors would read all of them.
function backlogOf(modelId: string): Filter {
  return and(searchable, or(isNull("embedding_model"), ne("embedding_model", modelId)));
}

/**
 * Makes the store ready for the vectors of a model (spec 5.5). Vectors of another length, or all of
 * them if that is forced, are emptied in one commit together with their `embedding_model`: from
 * then on every message is in the backlog, however often the work is interrupted. If the length
 * stays the same, indexes trained on another model's vectors are dropped.
 *
 * @param prove - Shows that the model works, and throws if it does not; called before anything is
 * changed for it.
 */
export async function prepareEmbeddings(
  { store }: SessionStore,
  { modelId, dimension }: EmbeddingModel,
  isForced: boolean,
  prove: () => Promise<void>,
): Promise<void> {
  const messages = store.table("messages");
  const isEmptied = isForced || (await messages.vectorDimension("vector")) !== dimension;
  // Null, for rows without a vector, does not count as another model.
  const isOfOthers = ne("embedding_model", modelId);
  if (!isEmptied && (await messages.count(isOfOthers)) === 0) return;
  await prove();
  if (isEmptied) {
    await messages.renew({ vector: { vector: dimension }, embedding_model: "text" });
    await store.flush();
  } else {
    await messages.dropIndex("vector");
  }
}

/** How many messages wait for a vector of a model. */
export function countBacklog({ store }: SessionStore, modelId: string): Promise<number> {
  return store.table("messages").count(backlogOf(modelId));
}

/** How many messages {@link prepareEmbeddings} would leave waiting; changes nothing. */
export async function countToEmbed(
  sessions: SessionStore,
  { modelId, dimension }: EmbeddingModel,
  isForced: boolean,
): Promise<number> {
  const messages = sessions.store.table("messages");
  const isEmptied = isForced || (await messages.vectorDimension("vector")) !== dimension;
  return isEmptied ? messages.count(searchable) : countBacklog(sessions, modelId);
}

/**
 * The vector length of the store, and the model that filled some of it; undefined without room for
 * vectors.
 */
export async function readStoredModel({
  store,
}: SessionStore): Promise<{ readonly modelId?: string; readonly dimension: number } | undefined> {
  const messages = store.table("messages");
  const dimension = await messages.vectorDimension("vector");
  if (dimension === undefined) return undefined;
  const columns = ["embedding_model"];
  const [row] = await messages.rows({ columns, where: isNotNull("embedding_model"), limit: 1 });
  return { ...(row && { modelId: String(row["embedding_model"]) }), dimension };
}

/** Messages that wait for a vector, with those stored together next to each other. */
export async function readBacklog(
  { store }: SessionStore,
  modelId: string,
  limit: number,
): Promise<BacklogMessage[]> {
  const columns = ["session_id", "id", rowId, rowAddress];
  const rows = await store.table("messages").rows({ columns, where: backlogOf(modelId), limit });
  return rows.map(toMessage);
}

/**
 * The texts of those messages that still wait: another process may have embedded some. They are
 * read from the store, whatever became of the source (`session-embed-from-canonical`).
 */
export async function readTexts(
  { store }: SessionStore,
  modelId: string,
  messages: readonly BacklogMessage[],
): Promise<BacklogText[]> {
  const rows = await store.table("messages").rows({
    columns: [rowId, "search_text", "embedding_model"],
    where: withRows(messages),
  });
  const waiting = new Map(
    rows
      .filter((row) => row["embedding_model"] !== modelId && row["search_text"] !== null)
      .map((row) => [row[rowId], fromIndexed(String(row["search_text"]))]),
  );
  return messages.flatMap((message) => {
    const text = waiting.get(message.row);
    return text === undefined ? [] : [{ message, text }];
  });
}

/**
 * Stores vectors, as many as fit in one commit, and makes them durable. A message that got its
 * vector from another process in the meantime keeps that one.
 *
 * @returns How many were stored.
 */
export async function writeEmbeddings(
  { store }: SessionStore,
  modelId: string,
  vectors: readonly MessageVector[],
): Promise<number> {
  const table = store.table("messages");
  const done = await table.rows({
    columns: [rowId],
    where: and(withRows(vectors.map(({ message }) => message)), eq("embedding_model", modelId)),
  });
  const isDone = new Set(done.map((row) => row[rowId]));
  const rest = vectors.filter(({ message }) => !isDone.has(message.row));
  if (rest.length === 0) return 0;
  const updated = await table.update({
    session_id: rest.map(({ message }) => message.sessionId),
    id: rest.map(({ message }) => message.id),
    vector: rest.map(({ vector }) => vector),
    embedding_model: rest.map(() => modelId),
  });
  await store.flush();
  return updated;
}

function withRows(messages: readonly BacklogMessage[]): Filter {
  return oneOf(
    rowId,
    messages.map(({ row }) => row),
  );
}

function toMessage(row: Row): BacklogMessage {
  return {
    sessionId: String(row["session_id"]),
    id: String(row["id"]),
    row: BigInt(row[rowId] as bigint),
    fragment: fragmentOf(row),
  };
}
