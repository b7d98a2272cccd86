import * as v from "valibot";
import { type Envelope, envelope } from "./envelope.ts";
import { type ErrorBody, errorSchema } from "./errors.ts";

/** A question about the store; it holds nothing but the envelope. */
export type StatusRequest = Envelope;

/** How much is stored of one client or one project. */
export type LabelCounts = { readonly sessions: number; readonly messages: number };

/** The state of a table and its indexes. Rows that are not indexed yet are found all the same. */
export type TableStatus = {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly fragments: number;
  readonly indexes: readonly {
    readonly name: string;
    readonly column: string;
    readonly kind: string;
    readonly indexedRows: number;
    readonly unindexedRows: number;
    readonly bytes: number;
  }[];
};

/** How many of the stored messages can be searched by meaning. */
export type EmbeddingStatus =
  | { readonly enabled: false; readonly reason: string }
  | { readonly enabled: true; readonly error: ErrorBody["error"] }
  | {
      readonly enabled: true;
      readonly model: string;
      readonly dimension: number;
      /** Messages with a vector of this model. */
      readonly embedded: number;
      /** Searchable messages without one. */
      readonly missing: number;
    };

/** What is stored, how much of it can be searched, and what the operator should do. */
export type StatusResponse = {
  readonly store_id: string;
  /** Folder or address of the store; empty unless the caller is an operator. */
  readonly location: string;
  readonly sessions: number;
  readonly messages: number;
  readonly parts: number;
  /** Messages that search can find. */
  readonly searchable: number;
  readonly embedded: number;
  readonly embeddings: readonly { readonly model: string; readonly messages: number }[];
  readonly by_agent: Readonly<Record<string, LabelCounts>>;
  readonly by_project: Readonly<Record<string, LabelCounts>>;
  readonly tables: readonly TableStatus[];
  readonly namespace: string;
  readonly embedding: EmbeddingStatus;
  /** What the operator should do. */
  readonly advice: readonly { readonly code: string; readonly message: string }[];
};

export const statusRequestSchema: v.GenericSchema<unknown, StatusRequest> =
  v.strictObject(envelope);

const counts = v.record(v.string(), v.object({ sessions: v.number(), messages: v.number() }));

const embeddingSchema = v.union([
  v.object({ enabled: v.literal(false), reason: v.string() }),
  v.object({
    enabled: v.literal(true),
    error: errorSchema,
  }),
  v.object({
    enabled: v.literal(true),
    model: v.string(),
    dimension: v.number(),
    embedded: v.number(),
    missing: v.number(),
  }),
]);

export const statusResponseSchema: v.GenericSchema<unknown, StatusResponse> = v.object({
  store_id: v.string(),
  location: v.pipe(
    v.string(),
    v.description("Folder or address of the store; empty if the caller is not its operator."),
  ),
  sessions: v.number(),
  messages: v.number(),
  parts: v.number(),
  searchable: v.number(),
  embedded: v.number(),
  embeddings: v.array(v.object({ model: v.string(), messages: v.number() })),
  by_agent: counts,
  by_project: counts,
  tables: v.array(
    v.object({
      name: v.string(),
      rows: v.number(),
      bytes: v.number(),
      fragments: v.number(),
      indexes: v.array(
        v.object({
          name: v.string(),
          column: v.string(),
          kind: v.string(),
          indexedRows: v.number(),
          unindexedRows: v.number(),
          bytes: v.number(),
        }),
      ),
    }),
  ),
  namespace: v.string(),
  embedding: embeddingSchema,
  advice: v.array(v.object({ code: v.string(), message: v.string() })),
});
