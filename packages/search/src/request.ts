import type { Embedder } from "@pond/embed";
import type { PartSummary } from "@pond/sessions";

/** Resources that a search borrows. It needs none of them. */
export type SearchOptions = {
  /**
   * Makes the search hybrid if messages are embedded under its model. The search never closes it.
   */
  readonly embedder?: Embedder | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the query's vector before going on without it. Default 20,000. */
  readonly embedTimeoutMs?: number | undefined;
  /**
   * Shows the title of each session. To read those of ten sessions costs about as much as a search
   * for a name; they are then kept until something is stored.
   */
  readonly withTitles?: boolean | undefined;
};

/** A query and its filters. Times are RFC 3339 or a date (`2026-11-20`, midnight UTC). */
export type SearchRequest = {
  /** Words, "phrases in quotes", +required and -excluded ones. */
  readonly query: string;
  /** A project and the folders below it. */
  readonly project?: string | undefined;
  /** One session. */
  readonly session?: string | undefined;
  /** A client brand, such as `claude-code`. */
  readonly agent?: string | undefined;
  readonly role?: string | undefined;
  /** From this time on. */
  readonly since?: string | undefined;
  /** Before this time. */
  readonly until?: string | undefined;
  /** The lowest BM25 of a match, as `matches[].score` shows it. 0, the default, sets no bound. */
  readonly min_score?: number | undefined;
  /** Most sessions in an answer: 1 to 100, default 10. */
  readonly limit?: number | undefined;
  /** The `next` of the previous answer to the same query and filters. */
  readonly after?: string | undefined;
  /** Reports how the query was read and what each arm did. */
  readonly explain?: boolean | undefined;
};

/** Text around the matches. Each highlight is `[start, end)` in UTF-16 code units of it. */
export type Snippet = {
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
};

/** A message that was found. */
export type SearchMatch = {
  readonly message_id: string;
  /** The session that holds it: the root, or a session below it. */
  readonly session_id: string;
  readonly role: string;
  readonly timestamp: string;
  /** The session above that one, if it is not the root and its parent is stored. */
  readonly parent_session_id?: string;
  /** The message of the parent at which it was forked or spawned, if that is known. */
  readonly parent_message_id?: string;
  /**
   * BM25 of the message; 0 if it holds none of the words and was found by meaning or punctuation.
   */
  readonly score: number;
  /**
   * Cosine of message and query, from -1 to 1. Present in a hybrid search if the vector arm found
   * the message.
   */
  readonly similarity?: number;
  /** The whole text, if it is short. */
  readonly text?: string;
  /** The beginning of the text, if it is long. */
  readonly prefix?: string;
  readonly snippet: Snippet;
  /** The parts of a user's message. */
  readonly parts_summary?: readonly PartSummary[];
  /** The value shown is not the one that was stored first. */
  readonly revised?: true;
  /** The message is no longer in its source. */
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
  /**
   * Of the root, if titles are asked for: its title in its client, or else the beginning of the
   * first thing said in it.
   */
  readonly title?: string;
  /** The fused score of the arms, 0 to 1. Comparable only within one search. */
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

/** How an answer came about, for people. */
export type Explanation = {
  readonly terms: readonly string[];
  readonly literals: readonly string[];
  readonly required: readonly string[];
  readonly excluded: readonly string[];
  readonly arms: readonly {
    readonly name: string;
    readonly hits: number;
    /**
     * The arm's own best score: BM25 raised by coverage and words side by side, BM25 raised by the
     * latter, the share of the literals held, cosine.
     */
    readonly best: number;
    readonly weight: number;
    /** Votes for each root session shown, each 0 to 1. */
    readonly sessions: Readonly<Record<string, number>>;
    /** What the votes add to each session's score: over all arms, these sum up to the score. */
    readonly contributions: Readonly<Record<string, number>>;
  }[];
  /** The messages nearest to the query by meaning; only for a hybrid search. */
  readonly nearest?: readonly {
    readonly session_id: string;
    readonly message_id: string;
    readonly similarity: number;
  }[];
  /** Lance's own account of each arm's query. */
  readonly plans: Readonly<Record<string, string>>;
};

/** A reason why an answer is not as good as it could be. */
export type SearchWarning = {
  readonly code: "embedding_failed" | "dimension_mismatch";
  readonly message: string;
};

/** Ranked sessions, and how they came about if that was asked. */
export type SearchResponse = {
  /** `hybrid` if meaning was searched besides words. */
  readonly mode: "full_text" | "hybrid";
  /** How many searchable messages pass the filters, so that an empty result can be believed. */
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
  readonly explanation?: Explanation;
};
