import { hash } from "node:crypto";
import { displayValue, FilterError } from "./errors.ts";
import type { SearchRequest } from "./request.ts";

const defaultLimit = 10;
const maxLimit = 100;

/** How many sessions can be paged through. */
export const maxSessions = 1_000;

/** What an answer holds: the best sessions that earlier pages have not shown. */
export type Page = {
  readonly limit: number;
  readonly minScore: number;
  /** Digests of the roots shown before. */
  readonly shown: ReadonlySet<number>;
};

const version = 1;
const searchDigestBytes = 6;
// Two of a thousand sessions share a digest once in half a billion searches.
const digestBytes = 6;
const checksumBytes = 4;
const headerBytes = 1 + searchDigestBytes;
const maxTokenChars = Math.ceil(
  ((headerBytes + maxSessions * digestBytes + checksumBytes) * 4) / 3,
);

/** @throws {FilterError} for an invalid limit, page or score. */
export function toPage(request: SearchRequest): Page {
  const { limit = defaultLimit, min_score: minScore = 0, after } = request;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new FilterError("limit", `${displayValue(limit)} is not a number from 1 to ${maxLimit}`);
  }
  if (!Number.isFinite(minScore) || minScore < 0) {
    throw new FilterError(
      "min_score",
      `${displayValue(minScore)} is not a score; use a number from 0`,
    );
  }
  return { limit, minScore, shown: after === undefined ? new Set() : readToken(after, request) };
}

/** A short number that stands for a session in a token. */
export function rootDigest(rootId: string): number {
  return hash("sha256", rootId, "buffer").readUIntBE(0, digestBytes);
}

/**
 * Makes the token for the next page. It lists the sessions that were shown instead of their number,
 * so sessions that are stored in between can neither repeat a session nor push one out.
 */
export function nextToken(request: SearchRequest, shownDigests: Iterable<number>): string {
  const digests = [...shownDigests];
  const bytes = Buffer.alloc(headerBytes + digests.length * digestBytes);
  bytes.writeUInt8(version, 0);
  searchDigest(request).copy(bytes, 1);
  for (const [at, digest] of digests.entries()) {
    bytes.writeUIntBE(digest, headerBytes + at * digestBytes, digestBytes);
  }
  return Buffer.concat([bytes, checksumOf(bytes)]).toString("base64url");
}

function readToken(token: unknown, request: SearchRequest): Set<number> {
  const bytes = decodeToken(token);
  if (bytes === undefined) {
    throw new FilterError("after", "it is not the `next` of an answer, or not the whole of it");
  }
  if (!bytes.subarray(1, headerBytes).equals(searchDigest(request))) {
    const reason = "it is the `next` of another search; ask with the same query and filters";
    throw new FilterError("after", reason);
  }
  const digests = new Set<number>();
  for (let at = headerBytes; at < bytes.length; at += digestBytes) {
    digests.add(bytes.readUIntBE(at, digestBytes));
  }
  return digests;
}

/** The content of a token without its checksum; undefined if it is not a token. */
function decodeToken(token: unknown): Buffer | undefined {
  if (typeof token !== "string" || token.length > maxTokenChars) return undefined;
  const all = Buffer.from(token, "base64url");
  const bytes = all.subarray(0, -checksumBytes);
  const isWhole =
    bytes.length >= headerBytes &&
    (bytes.length - headerBytes) % digestBytes === 0 &&
    all.subarray(-checksumBytes).equals(checksumOf(bytes));
  // Decoding skips characters that are not base64.
  return isWhole && bytes[0] === version && all.toString("base64url") === token ? bytes : undefined;
}

function checksumOf(bytes: Buffer): Buffer {
  return hash("sha256", bytes, "buffer").subarray(0, checksumBytes);
}

/**
 * What makes two requests the same search. For times it only counts whether they are given: "the
 * last seven days" is another moment on the next page.
 */
function searchDigest(request: SearchRequest): Buffer {
  const { query, project, session, agent, role, since, until, min_score } = request;
  const times = [since !== undefined, until !== undefined];
  const facts = [query, project, session, agent, role, ...times, min_score ?? 0];
  return hash("sha256", JSON.stringify(facts), "buffer").subarray(0, searchDigestBytes);
}
