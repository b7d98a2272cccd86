import type { JsonObject } from "@pond/canonical";
import * as v from "valibot";
import { type WirePart, type WireSession, wirePartSchema, wireSessionSchema } from "./canonical.ts";
import { type Envelope, envelope, id } from "./envelope.ts";
import { jsonObjectSchema } from "./json.ts";
import { type PartSummary, partSummarySchema } from "./part-summary.ts";

/** How much of a session is returned (spec 7.5). */
export type ResponseMode = "conversational" | "complete" | "verbatim";

/** Asks for a session, or with `message_id` for one message of it. */
export type GetRequest = Envelope & {
  readonly session_id: string;
  readonly message_id?: string | undefined;
  /** For a session. */
  readonly response_mode?: ResponseMode | undefined;
  /** For a message: how many neighbours on each side. */
  readonly context_depth?: number | undefined;
  /** The last id of the page before: of a message, or of a part if one message is asked for. */
  readonly after_id?: string | undefined;
  /** For a session: the last page instead of the first. */
  readonly from_end?: boolean | undefined;
  /** For a session: the first id of a page, for the page that comes before it. */
  readonly before_id?: string | undefined;
  readonly limit_bytes?: number | undefined;
};

/** A message as `get` shows it. Which fields it has depends on the mode. */
export type ShownMessage = {
  readonly id: string;
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly timestamp: string;
  /** The value shown is not the one that was stored first. */
  readonly revised?: true;
  /** The message is no longer in its source; the value shown is the last one that it had there. */
  readonly removed?: true;
  /** The message is not as it was written: its parts are gone. */
  readonly damaged?: true;
  /** The conversation in the message; in verbatim mode, `content` holds everything instead. */
  readonly text?: string;
  readonly parts_summary?: readonly PartSummary[];
  readonly content?: string | readonly WirePart[];
  readonly options?: JsonObject;
};

/** A page of a session. */
export type SessionPage = {
  readonly session: WireSession;
  readonly response_mode: ResponseMode;
  readonly messages: readonly ShownMessage[];
  /** How many messages follow this page. Ask again with the last id as `after_id`. */
  readonly messages_remaining: number;
  /** If any come before this page, how many. Ask again with the first id as `before_id`. */
  readonly messages_before?: number;
  /** If any follow: the last of them, with which the session ends. */
  readonly last_id?: string;
};

/** One message and its neighbours. */
export type MessageView = {
  readonly session: WireSession;
  readonly before: readonly ShownMessage[];
  readonly target: ShownMessage;
  readonly after: readonly ShownMessage[];
  /** Some of the neighbours asked for did not fit into the page; the nearest are here. */
  readonly context_cut?: true;
  /** How many parts follow this page. Ask again with the last part's id as `after_id`. */
  readonly target_parts_remaining: number;
};

/** A page of a session, or one message with its neighbours. */
export type GetResponse = SessionPage | MessageView;

/** The most neighbours on each side that one request can ask for. */
export const maxContextDepth = 50;

export const getRequestSchema: v.GenericSchema<unknown, GetRequest> = v.strictObject({
  ...envelope,
  session_id: id("The session, by its whole id."),
  message_id: v.optional(id("Only this message of it, with all its parts and its neighbours.")),
  response_mode: v.optional(
    v.pipe(
      v.picklist(["conversational", "complete", "verbatim"]),
      v.description(
        "Not with `message_id`. What was said (the default), every message in short, or every message whole.",
      ),
    ),
  ),
  context_depth: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.maxValue(maxContextDepth),
      v.description("Only with `message_id`: neighbours on each side; default 2."),
    ),
  ),
  after_id: v.optional(
    id("Last id of the previous page: of a message or, with `message_id`, of a part."),
  ),
  from_end: v.optional(
    v.pipe(
      v.boolean(),
      v.description("Not with `message_id`: the end of the session instead of its beginning."),
    ),
  ),
  before_id: v.optional(
    id("Not with `message_id`: first id of a page, for the page that comes before it."),
  ),
  limit_bytes: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.description("About how many bytes a page may hold; what cannot be cut may exceed it."),
    ),
  ),
});

const shownMessageSchema = v.object({
  id: v.string(),
  role: v.picklist(["system", "user", "assistant", "tool"]),
  timestamp: v.string(),
  revised: v.exactOptional(v.literal(true)),
  removed: v.exactOptional(v.literal(true)),
  damaged: v.exactOptional(v.literal(true)),
  text: v.exactOptional(v.string()),
  parts_summary: v.exactOptional(v.array(partSummarySchema)),
  content: v.exactOptional(v.union([v.string(), v.array(wirePartSchema)])),
  options: v.exactOptional(jsonObjectSchema),
});

export const getResponseSchema: v.GenericSchema<unknown, GetResponse> = v.pipe(
  v.union([
    v.object({
      session: wireSessionSchema,
      response_mode: v.picklist(["conversational", "complete", "verbatim"]),
      messages: v.array(shownMessageSchema),
      messages_remaining: v.number(),
      messages_before: v.exactOptional(v.number()),
      last_id: v.exactOptional(v.string()),
    }),
    v.object({
      session: wireSessionSchema,
      before: v.array(shownMessageSchema),
      target: shownMessageSchema,
      after: v.array(shownMessageSchema),
      context_cut: v.exactOptional(v.literal(true)),
      target_parts_remaining: v.number(),
    }),
  ]),
  v.metadata({ type: "object" }),
);
