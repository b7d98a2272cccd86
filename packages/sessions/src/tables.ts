import {
  type Column,
  type ColumnType,
  eq,
  type Filter,
  type IndexDeclaration,
  type TableDeclaration,
} from "@pond/substrate";

/** Dimension of `messages.vector` until a model with another one is chosen (spec 5.5). */
const vectorDimension = 384;

const required = (type: ColumnType): Column => ({ type });
const optional = (type: ColumnType): Column => ({ type, isNullable: true });
const sparse = (type: ColumnType): Column => ({ type, isNullable: true, isSparse: true });
const byRow = (column: Column): Column => ({ ...column, isReadByRow: true });
const derived = (type: ColumnType): Column => ({ type, isNullable: true, isDerived: true });
const btree = (column: string): IndexDeclaration => ({ column, kind: "btree" });
const bitmap = (column: string): IndexDeclaration => ({ column, kind: "bitmap" });

/**
 * One row per Session (spec 5.1). Columns that hold JSON hold its text, because JSONB changes
 * values.
 */
const sessionsTable: TableDeclaration = {
  name: "sessions",
  schemaVersion: 1,
  primaryKey: ["id"],
  columns: {
    id: required("text"),
    parent_session_id: optional("text"),
    parent_message_id: optional("text"),
    source_agent: required("text"),
    created_at: required("timestamp"),
    project: required("text"),
    options: required("text"),
    ingested_at: required("timestamp"),
  },
  indexes: [btree("id"), btree("parent_session_id")],
};

/**
 * One row per Message (spec 5.1). Columns that only the storage has:
 *
 * - `ordinal` orders a session (file order is not time order);
 * - `digest` tells a changed record from an equal one;
 * - `revises` and `revision` mark a carrier that holds a later state of another message (null
 *   digest: a tombstone);
 * - `is_searchable` spares reading every text to know which messages have one;
 * - `search_text` is read by `fromIndexed`: after the text it may hold lines of it in the form in
 *   which they are searched;
 * - `head` (since version 2) holds what search shows of a searchable message besides its text, read
 *   by `fromHeadText`.
 */
const messagesTable: TableDeclaration = {
  name: "messages",
  // The third has sparse texts: one long prompt may be the only one among thousands of tool calls.
  schemaVersion: 3,
  // A fork replays its parent's ids (`lance-table-creation-session-scoped-pk`), and a session is
  // coarse enough to shard by (`lance-forward-compat-shardable`).
  primaryKey: ["session_id", "id"],
  columns: {
    session_id: required("text"),
    id: required("text"),
    ordinal: required("int64"),
    timestamp: required("timestamp"),
    role: byRow(required("text")),
    source_agent: required("text"),
    project: required("text"),
    content: sparse("text"),
    search_text: byRow(sparse("text")),
    is_searchable: required("int64"),
    head: { ...byRow(derived("text")), since: 2 },
    vector: derived({ vector: vectorDimension }),
    embedding_model: derived("text"),
    options: required("text"),
    digest: optional("text"),
    revises: optional("text"),
    revision: required("int64"),
    ingested_at: required("timestamp"),
  },
  indexes: [
    btree("session_id"),
    btree("id"),
    btree("timestamp"),
    bitmap("role"),
    bitmap("is_searchable"),
    bitmap("source_agent"),
    bitmap("project"),
    bitmap("embedding_model"),
    { column: "search_text", kind: "full-text", hasPositions: true },
    { column: "vector", kind: "vector", distance: "cosine", minRows: 20_000 },
  ],
};

/** One row per Part (spec 5.1). */
const partsTable: TableDeclaration = {
  name: "parts",
  // The second has sparse data.
  schemaVersion: 2,
  primaryKey: ["session_id", "message_id", "id"],
  columns: {
    session_id: required("text"),
    message_id: required("text"),
    id: required("text"),
    ordinal: required("int64"),
    type: required("text"),
    provenance: required("text"),
    variant_data: required("text"),
    data: sparse("bytes"),
    options: required("text"),
    ingested_at: required("timestamp"),
  },
  indexes: [btree("session_id"), bitmap("type")],
};

/**
 * Derived: bounded runs of conversation, the second lexical unit of search (design section 6), and
 * titles, which have no `message_ids`.
 */
const windowsTable: TableDeclaration = {
  name: "windows",
  // The second has sparse texts: in a session that was taken back, all windows but one may be gone.
  schemaVersion: 2,
  primaryKey: ["session_id", "id"],
  isDerived: true,
  columns: {
    session_id: required("text"),
    id: required("text"),
    timestamp: required("timestamp"),
    source_agent: required("text"),
    project: required("text"),
    text: byRow(sparse("text")),
    message_ids: byRow(required("text")),
  },
  indexes: [
    btree("session_id"),
    btree("timestamp"),
    bitmap("source_agent"),
    bitmap("project"),
    { column: "text", kind: "full-text", hasPositions: false },
  ],
};

/** The tables of spec 5.1, and the windows that are made from them. */
export const sessionTables: readonly TableDeclaration[] = [
  sessionsTable,
  messagesTable,
  partsTable,
  windowsTable,
];

/** Rows of `messages` that search can find: those with a `search_text`. */
export const searchable: Filter = eq("is_searchable", 1n);
