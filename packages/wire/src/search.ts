import * as v from "valibot";
import { type Envelope, envelope } from "./envelope.ts";
import { type PartSummary, partSummarySchema } from "./part-summary.ts";

/**
 * A query and its filters. Times are RFC 3339, a date (`2026-11-20`, midnight UTC) or an age (`30m`,
 * `12h`, `7d`, `2w`).
 */
export type SearchRequest = Envelope & {
  readonly query: string;
  readonly project?: string | undefined;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly role?: "user" | "assistant" | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly min_score?: number | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
};

/** A message that was found. */
export type SearchMatch = {
  readonly message_id: string;
  /** The session that holds it: the root, or a session below it. */
  readonly session_id: string;
  readonly role: string;
  readonly timestamp: string;
  readonly parent_session_id?: string;
  readonly parent_message_id?: string;
  /** The BM25 score; 0 if only the meaning or punctuation matched. */
  readonly score: number;
  /** Cosine of message and query, from -1 to 1. */
  readonly similarity?: number;
  /** The whole text, if it is short. */
  readonly text?: string;
  /** The beginning of the text, if it is long. */
  readonly prefix?: string;
  /** Text around the matches. Each highlight is `[start, end)` in UTF-16 code units of it. */
  readonly snippet: {
    readonly text: string;
    readonly highlights: readonly (readonly [number, number])[];
  };
  readonly parts_summary?: readonly PartSummary[];
  readonly revised?: true;
  readonly removed?: true;
};

/**
 * The matches in one session and the sessions below it, the best first. If the parent of those is
 * not stored, the matches in the sessions below that parent.
 */
export type SessionMatches = {
  /** The session of the best match. */
  readonly session_id: string;
  /** The topmost stored session above that one. */
  readonly root_session_id: string;
  /** The client of `session_id`; `project` is that session's, too. */
  readonly source_agent: string;
  readonly project: string;
  /** When the root began. */
  readonly created_at: string;
  /** Of the root: its title in its client, or else the beginning of the first thing said in it. */
  readonly title?: string;
  /** From 0 to 1. Comparable only within one search. */
  readonly score: number;
  /**
   * The sessions below the root, or beside it if their parent is not stored. Absent if there are
   * none.
   */
  readonly sub_agents?: {
    readonly sessions: number;
    /** In how many of them something was found. Of hundreds, not all are looked at. */
    readonly found_in: number;
  };
  readonly matches: readonly SearchMatch[];
};

/** A reason why an answer is not as good as it could be. */
export type SearchWarning = {
  readonly code: "embedding_failed" | "dimension_mismatch";
  readonly message: string;
};

/** Ranked sessions, and `next` if there are more. */
export type SearchResponse = {
  readonly mode: "full_text" | "hybrid";
  /** How many searchable messages pass the filters. */
  readonly total_in_scope: number;
  readonly sessions: readonly SessionMatches[];
  /** Ask again with this as `after` for more. */
  readonly next?: string;
  /**
   * The query with similar words in place of those that no message holds. Absent if there are none.
   */
  readonly did_you_mean?: string;
  /**
   * Only if nothing of the `project` asked for is stored: the nearest folder above it of which
   * something is, and folders of the same name.
   */
  readonly similar_projects?: readonly string[];
  readonly took_ms: number;
  readonly warnings?: readonly SearchWarning[];
};

const text = (description: string) => v.optional(v.pipe(v.string(), v.description(description)));

export const searchRequestSchema: v.GenericSchema<unknown, SearchRequest> = v.strictObject({
  ...envelope,
  query: v.pipe(
    v.string(),
    v.description(
      'Words, none of them obligatory; "phrases in quotes", +required and -excluded words.',
    ),
  ),
  project: text("Only this project, as sessions name it, and the folders below it."),
  session: text("Only this session, by its whole id; sub-agents have ids of their own."),
  agent: text("Only sessions of this client, such as `claude-code`."),
  role: v.optional(
    v.pipe(v.picklist(["user", "assistant"]), v.description("Only messages of this role.")),
  ),
  since: text(
    "Only messages from this time on: RFC 3339, a date (its midnight UTC), or an age (`12h`, `7d`, `2w`).",
  ),
  until: text("Only messages before this time, written as in `since`."),
  min_score: v.optional(
    v.pipe(
      v.number(),
      v.minValue(0),
      v.description(
        "Least `score` (BM25) of a match; default 0. Matches by meaning alone score 0.",
      ),
    ),
  ),
  limit: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(100),
      v.description("Most sessions in an answer; default 10."),
    ),
  ),
  after: text("`next` of the previous answer, for more; query and filters stay the same."),
});

const matchSchema = v.object({
  message_id: v.string(),
  session_id: v.string(),
  role: v.string(),
  timestamp: v.string(),
  parent_session_id: v.exactOptional(v.string()),
  parent_message_id: v.exactOptional(v.string()),
  score: v.number(),
  similarity: v.exactOptional(v.number()),
  text: v.exactOptional(v.string()),
  prefix: v.exactOptional(v.string()),
  snippet: v.object({
    text: v.string(),
    highlights: v.array(v.strictTuple([v.number(), v.number()])),
  }),
  parts_summary: v.exactOptional(v.array(partSummarySchema)),
  revised: v.exactOptional(v.literal(true)),
  removed: v.exactOptional(v.literal(true)),
});

export const searchResponseSchema: v.GenericSchema<unknown, SearchResponse> = v.object({
  mode: v.picklist(["full_text", "hybrid"]),
  total_in_scope: v.number(),
  sessions: v.array(
    v.object({
      session_id: v.string(),
      root_session_id: v.string(),
      source_agent: v.string(),
      project: v.string(),
      created_at: v.string(),
      title: v.exactOptional(v.string()),
      score: v.number(),
      sub_agents: v.exactOptional(v.object({ sessions: v.number(), found_in: v.number() })),
      matches: v.array(matchSchema),
    }),
  ),
  next: v.exactOptional(v.string()),
  did_you_mean: v.exactOptional(v.string()),
  similar_projects: v.exactOptional(v.array(v.string())),
  took_ms: v.number(),
  warnings: v.exactOptional(
    v.array(
      v.object({
        code: v.picklist(["embedding_failed", "dimension_mismatch"]),
        message: v.string(),
      }),
    ),
  ),
});
