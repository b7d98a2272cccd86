import * as v from "valibot";
import { type Envelope, envelope } from "./envelope.ts";

/**
 * Which sessions. Times are RFC 3339, a date (`2026-11-20`, midnight UTC) or an age (`30m`, `12h`,
 * `7d`, `2w`): only sessions in which something was written between the two are listed, whenever
 * they were last active.
 */
export type ListRequest = Envelope & {
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  readonly parent?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
};

/** A session and what it holds. */
export type ListedSession = {
  readonly session_id: string;
  /** The session that it is a sub-agent of, or continues as a fork. */
  readonly parent_session_id?: string;
  readonly source_agent: string;
  readonly project: string;
  readonly created_at: string;
  /** Time of the last message in it or in one of its sub-agents, or of its beginning, if later. */
  readonly last_activity: string;
  /** Its title in its client, or else the beginning of the first thing said in it. */
  readonly title?: string;
  readonly messages: number;
  /** Its sub-agents, at any depth. */
  readonly descendants: number;
};

/** Sessions, the last active first, and `next` if there are more. */
export type ListResponse = {
  readonly sessions: readonly ListedSession[];
  /** Ask again with this as `after` for more. */
  readonly next?: string;
  /**
   * Only if nothing of the `project` asked for is stored: the nearest folder above it of which
   * something is, and folders of the same name.
   */
  readonly similar_projects?: readonly string[];
};

// The longest folder; anything longer is a mistake.
const maxFilterChars = 32_768;

const filter = (description: string) =>
  v.optional(
    v.pipe(v.string(), v.minLength(1), v.maxLength(maxFilterChars), v.description(description)),
  );
const text = (description: string) => v.optional(v.pipe(v.string(), v.description(description)));

export const listRequestSchema: v.GenericSchema<unknown, ListRequest> = v.strictObject({
  ...envelope,
  project: filter("Only this project, as sessions name it, and the folders below it."),
  agent: filter("Only sessions of this client, such as `claude-code`."),
  parent: filter(
    "Only the sessions directly below this one, by its whole id: its sub-agents and forks.",
  ),
  since: text(
    "Only sessions with messages from this time on: RFC 3339, a date (its midnight UTC), or an age (`12h`, `7d`, `2w`).",
  ),
  until: text(
    "Only sessions with messages before this time (and from `since` on), written as in `since`.",
  ),
  limit: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(100),
      v.description("Most sessions in an answer; default 20."),
    ),
  ),
  after: text("`next` of the previous answer, for more; the filters stay the same."),
});

export const listResponseSchema: v.GenericSchema<unknown, ListResponse> = v.object({
  sessions: v.array(
    v.object({
      session_id: v.string(),
      parent_session_id: v.exactOptional(v.string()),
      source_agent: v.string(),
      project: v.string(),
      created_at: v.string(),
      last_activity: v.string(),
      title: v.exactOptional(v.string()),
      messages: v.number(),
      descendants: v.number(),
    }),
  ),
  next: v.exactOptional(v.string()),
  similar_projects: v.exactOptional(v.array(v.string())),
});
