import type { JsonObject } from "@pond/canonical";
import * as v from "valibot";
import {
  type WireMessage,
  type WirePart,
  type WireSession,
  wireMessageSchema,
  wirePartSchema,
  wireSessionSchema,
} from "./canonical.ts";
import { type Envelope, envelope } from "./envelope.ts";
import { jsonObjectSchema } from "./json.ts";

/** One canonical object, tagged with its kind (spec 7.6). */
export type IngestEvent =
  | { readonly kind: "session"; readonly session: WireSession }
  | { readonly kind: "message"; readonly message: WireMessage }
  | { readonly kind: "part"; readonly part: WirePart };

/**
 * Events of any number of sessions. For each session, the session itself comes first, then every
 * message with all its parts right after it (`adapter-integrity-event-ordering`).
 */
export type IngestRequest = Envelope & { readonly events: readonly IngestEvent[] };

/**
 * The request as it arrives: each event is judged by itself, so that a wrong one costs no other.
 */
export type ReceivedIngest = Envelope & { readonly events: readonly unknown[] };

/** Why an event was not stored. */
export type RowErrorCode =
  /** The event is not a canonical object, or does not fit the message it belongs to. */
  | "invalid"
  /** Its session or message did not come right before it. */
  | "out_of_order"
  /** Its id came before in this request. */
  | "duplicate"
  /** The event is sound, but other rows of its session or message are not. */
  | "left_out"
  /** The session is stored with another `source_agent` or `project`, which stay. */
  | "immutable";

/** An event that was refused. */
export type RejectedRow = {
  /** Its place among the events, from 0. */
  readonly event: number;
  readonly code: RowErrorCode;
  readonly message: string;
  readonly details: JsonObject;
};

/** The outcome for one session of a batch. */
export type IngestedSession = {
  readonly session_id: string;
  /** What the accepted rows changed; `failed` if none could be accepted. */
  readonly status: "new" | "grown" | "revised" | "unchanged" | "failed";
  readonly messages_added: number;
  readonly parts_added: number;
  /** New values of messages that were already stored. */
  readonly revisions: number;
  readonly rows_rejected: number;
};

/** The outcome of a batch. Every event that is not among `rejected` is stored, now or before. */
export type IngestResponse = {
  readonly events: number;
  readonly accepted: number;
  /** In the order of the events. */
  readonly rejected: readonly RejectedRow[];
  /** In the order of their first events. */
  readonly sessions: readonly IngestedSession[];
  readonly took_ms: number;
};

export const ingestEventSchema: v.GenericSchema<unknown, IngestEvent> = v.variant("kind", [
  v.object({ kind: v.literal("session"), session: wireSessionSchema }),
  v.object({ kind: v.literal("message"), message: wireMessageSchema }),
  v.object({ kind: v.literal("part"), part: wirePartSchema }),
]);

export const ingestRequestSchema: v.GenericSchema<unknown, ReceivedIngest> = v.strictObject({
  ...envelope,
  events: v.pipe(
    v.array(v.pipe(v.unknown(), v.metadata({ $ref: "#/$defs/IngestEvent" }))),
    v.description(
      "For each session: first its own event, then each message directly followed by its parts.",
    ),
  ),
});

export const ingestResponseSchema: v.GenericSchema<unknown, IngestResponse> = v.object({
  events: v.number(),
  accepted: v.number(),
  rejected: v.array(
    v.object({
      event: v.number(),
      code: v.picklist(["invalid", "out_of_order", "duplicate", "left_out", "immutable"]),
      message: v.string(),
      details: jsonObjectSchema,
    }),
  ),
  sessions: v.array(
    v.object({
      session_id: v.string(),
      status: v.picklist(["new", "grown", "revised", "unchanged", "failed"]),
      messages_added: v.number(),
      parts_added: v.number(),
      revisions: v.number(),
      rows_rejected: v.number(),
    }),
  ),
  took_ms: v.number(),
});
