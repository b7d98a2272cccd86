import { hash } from "node:crypto";
import { FilterError, shown } from "./errors.ts";
import type { SearchRequest } from "./request.ts";

const defaultLimit = 10;
const maxLimit = 100;

/** How many sessions can be paged through. */
export const sessionsAtMost = 1_000;

/** What an answer holds: the best sessions that earlier pages have not shown. */
export type Page = {
  readonly limit: number;
  readonly minScore: number;
  /** Marks of the sessions shown before. */
  readonly shown: ReadonlySet<number>;
};

const version = 1;
const searchBytes = 6;
// Two of a thousand sessions share a mark once in half a billion searches.
const markBytes = 6;
const sumBytes = 4;
const headBytes = 1 + searchBytes;
const longestToken = Math.ceil(((headBytes + sessionsAtMost * markBytes + sumBytes) * 4) / 3);

/** @throws {FilterError} for an invalid limit, page or score. */
export function toPage(request: SearchRequest): Page {
  const { limit = defaultLimit, min_score: minScore = 0, after } = request;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new FilterError("limit", `${shown(limit)} is not a number from 1 to ${maxLimit}`);
  }
  if (!Number.isFinite(minScore) || minScore < 0) {
    throw new FilterError("min_score", `${shown(minScore)} is not a score; use a number from 0`);
  }
  return { limit, minScore, shown: after === undefined ? new Set() : readToken(after, request) };
}

/** A short number that stands for a session in a token. */
export function markOf(rootId: string): number {
  return hash("sha256", rootId, "buffer").readUIntBE(0, markBytes);
}

/**
 * Makes the token for the next page. It lists the sessions that were shown instead of their number,
 * so sessions that are stored in between can neither repeat a session nor push one out.
 */
export function nextToken(request: SearchRequest, shownMarks: Iterable<number>): string {
  const marks = [...shownMarks];
  const bytes = Buffer.alloc(headBytes + marks.length * markBytes);
  bytes.writeUInt8(version, 0);
  searchOf(request).copy(bytes, 1);
  for (const [at, mark] of marks.entries()) {
    bytes.writeUIntBE(mark, headBytes + at * markBytes, markBytes);
  }
  return Buffer.concat([bytes, sumOf(bytes)]).toString("base64url");
}

function readToken(token: unknown, request: SearchRequest): Set<number> {
  const bytes = bytesOf(token);
  if (bytes === undefined) {
    throw new FilterError("after", "it is not the `next` of an answer, or not the whole of it");
  }
  if (!bytes.subarray(1, headBytes).equals(searchOf(request))) {
    const reason = "it is the `next` of another search; ask with the same query and filters";
    throw new FilterError("after", reason);
  }
  const marks = new Set<number>();
  for (let at = headBytes; at < bytes.length; at += markBytes) {
    marks.add(bytes.readUIntBE(at, markBytes));
  }
  return marks;
}

/** The content of a token without its checksum; undefined if it is not a token. */
function bytesOf(token: unknown): Buffer | undefined {
  if (typeof token !== "string" || token.length > longestToken) return undefined;
  const all = Buffer.from(token, "base64url");
  const bytes = all.subarray(0, -sumBytes);
  const isWhole =
    bytes.length >= headBytes &&
    (bytes.length - headBytes) % markBytes === 0 &&
    all.subarray(-sumBytes).equals(sumOf(bytes));
  // Decoding skips characters that are not base64.
  return isWhole && bytes[0] === version && all.toString("base64url") === token ? bytes : undefined;
}

function sumOf(bytes: Buffer): Buffer {
  return hash("sha256", bytes, "buffer").subarray(0, sumBytes);
}

/**
 * What makes two requests the same search. For times it only counts whether they are given: "the
 * last seven days" is another moment on the next page.
 */
function searchOf(request: SearchRequest): Buffer {
  const { query, project, session, agent, role, since, until, min_score } = request;
  const times = [since !== undefined, until !== undefined];
  const facts = [query, project, session, agent, role, ...times, min_score ?? 0];
  return hash("sha256", JSON.stringify(facts), "buffer").subarray(0, searchBytes);
}
