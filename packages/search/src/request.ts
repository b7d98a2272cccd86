import type { Embedder } from "@pond/embed";
import type { PartSummary } from "@pond/sessions";

/** What a search borrows. Nothing of it is needed. */
export type SearchOptions = {
  /** Makes the search hybrid where messages are embedded under its model. Never closed here. */
  readonly embedder?: Embedder | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the vector of the query before going on without. Default 20,000. */
  readonly embedTimeoutMs?: number | undefined;
};

/** What to look for, and where. Times are RFC 3339 or a date (`2026-11-20`, midnight UTC). */
export type SearchRequest = {
  /** Words, "phrases in quotes", +required and -excluded ones. */
  readonly query: string;
  /** A project, and the folders below it. */
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
  /** Least BM25 of a match, as `matches[].score` shows it: 0, the default, bounds nothing. */
  readonly min_score?: number | undefined;
  /** Sessions in an answer: 1 to 100, default 10. */
  readonly limit?: number | undefined;
  /** The `next` of the answer before, to the same query and filters. */
  readonly after?: string | undefined;
  /** Say how the query was read and what each arm did. */
  readonly explain?: boolean | undefined;
};

/** Text around the matches; each highlight is `[start, end)` in UTF-16 code units of it. */
export type Snippet = {
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
};

/** A message that was found. */
export type SearchMatch = {
  readonly message_id: string;
  /** The session it is in: the root, or one below it. */
  readonly session_id: string;
  readonly role: string;
  readonly timestamp: string;
  /** The session above that one, where it is not the root and that is stored. */
  readonly parent_session_id?: string;
  /** The message of the parent at which it was forked or spawned, where that is known. */
  readonly parent_message_id?: string;
  /** BM25 of the message; 0 where it holds none of the words, and was found by meaning or signs. */
  readonly score: number;
  /** Cosine of message and query, -1 to 1; in a hybrid search, where the vector arm found it. */
  readonly similarity?: number;
  /** The whole text, where it is short. */
  readonly text?: string;
  /** Its beginning, where it is long. */
  readonly prefix?: string;
  readonly snippet: Snippet;
  /** What a user's message holds. */
  readonly parts_summary?: readonly PartSummary[];
  /** The value shown is not the one first stored. */
  readonly revised?: true;
  /** It is no longer in its source. */
  readonly removed?: true;
};

/**
 * What was found in one session and those below it, the best first; or in those below one that is not
 * stored.
 */
export type SessionMatches = {
  /** The session of the best match. */
  readonly session_id: string;
  /** The topmost stored session above that. */
  readonly root_session_id: string;
  /** Of `session_id`, as `project`. */
  readonly source_agent: string;
  readonly project: string;
  /** When the root began. */
  readonly created_at: string;
  /** The arms fused, 0 to 1. Comparable within one search only. */
  readonly score: number;
  /** The sessions below the root, or beside it below one that is not stored, where there are any. */
  readonly sub_agents?: {
    readonly sessions: number;
    /** How many of them something was found in, of what was looked at: of hundreds not all are. */
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
     * As the arm counts: BM25 with coverage and words side by side, BM25 with these, the share of the
     * literals held, cosine.
     */
    readonly best: number;
    readonly weight: number;
    /** Votes by root session shown, each 0 to 1. */
    readonly sessions: Readonly<Record<string, number>>;
    /** What the votes add to each session's score: over all arms they sum to it. */
    readonly contributions: Readonly<Record<string, number>>;
  }[];
  /** What is nearest to the query by meaning; only of a hybrid search. */
  readonly nearest?: readonly {
    readonly session_id: string;
    readonly message_id: string;
    readonly similarity: number;
  }[];
  /** Lance's own account of each arm's query. */
  readonly plans: Readonly<Record<string, string>>;
};

/** Something that kept an answer from being as good as it could be. */
export type SearchWarning = {
  readonly code: "embedding_failed" | "dimension_mismatch";
  readonly message: string;
};

/** Ranked sessions, and how they came about where that was asked. */
export type SearchResponse = {
  /** `hybrid` where meaning was searched beside words. */
  readonly mode: "full_text" | "hybrid";
  /** How many searchable messages the filters left, so that nothing found can be believed. */
  readonly total_in_scope: number;
  readonly sessions: readonly SessionMatches[];
  /** Ask again with this as `after` for more. */
  readonly next?: string;
  readonly took_ms: number;
  readonly warnings?: readonly SearchWarning[];
  readonly explanation?: Explanation;
};
