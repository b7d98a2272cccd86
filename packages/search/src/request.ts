import type { PartSummary } from "@pond/sessions";

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
  /** Least BM25 score of a match, as `matches[].score` shows it. */
  readonly min_score?: number | undefined;
  /** Sessions in an answer: 1 to 100, default 10. */
  readonly limit?: number | undefined;
  /** The `next` of the answer before. */
  readonly after?: string | undefined;
  /** Say how the query was read and what each arm did. */
  readonly explain?: boolean | undefined;
};

/** Text around the matches; each highlight is `[start, end)` in UTF-16 code units of it. */
export type Snippet = {
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
};

export type SearchMatch = {
  readonly message_id: string;
  /** The session it is in: the root, or one below it. */
  readonly session_id: string;
  readonly role: string;
  readonly timestamp: string;
  /** BM25 of the message; of the window around it where only that was found. */
  readonly score: number;
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

export type SessionMatches = {
  /** The session of the best match. */
  readonly session_id: string;
  readonly root_session_id: string;
  readonly source_agent: string;
  readonly project: string;
  readonly created_at: string;
  /** The arms fused, 0 to 1. Comparable within one answer only. */
  readonly score: number;
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
    readonly best: number;
    readonly sessions: Readonly<Record<string, number>>;
  }[];
  /** Lance's own account of each arm's query. */
  readonly plans: Readonly<Record<string, string>>;
};

export type SearchResponse = {
  readonly mode: "full_text";
  /** How many searchable messages the filters left, so that nothing found can be believed. */
  readonly total_in_scope: number;
  readonly sessions: readonly SessionMatches[];
  /** Ask again with this as `after` for more. */
  readonly next?: string;
  readonly took_ms: number;
  readonly explanation?: Explanation;
};
