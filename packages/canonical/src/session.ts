import * as v from "valibot";
import { type MessageId, messageIdSchema, type SessionId, sessionIdSchema } from "./ids.ts";
import { jsonObjectSchema } from "./json.ts";
import type { ProviderOptions } from "./part.ts";
import { type Micros, microsSchema } from "./timestamp.ts";

/** One session of one agent (spec 4.5). */
export type Session = {
  readonly id: SessionId;
  /**
   * The session that this one was spawned or forked from. A soft reference: it need not be stored.
   */
  readonly parent_session_id?: SessionId;
  /** The cut-point in the parent; only for a fork, and only together with the parent. */
  readonly parent_message_id?: MessageId;
  /** The client brand that wrote it, such as `claude-code`. */
  readonly source_agent: string;
  /** The time that the source recorded, not the time when pond stored it. */
  readonly created_at: Micros;
  /** The scope that it belongs to: the decoded working directory (`model-project-non-empty`). */
  readonly project: string;
  /** What the source records held besides the typed fields. */
  readonly options: ProviderOptions;
};

/** Checks one session. Strict: a field that the model does not name is an error. */
export const sessionSchema: v.GenericSchema<unknown, Session> = v.pipe(
  v.strictObject({
    id: sessionIdSchema,
    parent_session_id: v.exactOptional(sessionIdSchema),
    parent_message_id: v.exactOptional(messageIdSchema),
    source_agent: v.pipe(v.string(), v.nonEmpty("source_agent is not empty")),
    created_at: microsSchema,
    project: v.pipe(v.string(), v.nonEmpty("project is not empty (`model-project-non-empty`)")),
    options: jsonObjectSchema,
  }),
  v.check(
    (session) => session.parent_message_id === undefined || session.parent_session_id !== undefined,
    "parent_message_id needs parent_session_id (`model-parent-pointer-coherence`)",
  ),
);
