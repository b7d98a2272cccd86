import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FilterError } from "./errors.ts";
import { maxSessions, nextToken, rootDigest, toPage } from "./page.ts";
import type { SearchRequest } from "./request.ts";

const query = "x";
const bounds: Partial<SearchRequest> = { project: "/a", role: "user", min_score: 2 };

describe("toPage", () => {
  it("is ten sessions by default, with none shown before", () => {
    expect(toPage({ query })).toEqual({ limit: 10, minScore: 0, shown: new Set() });
  });

  it("reads from a token which sessions were shown", () => {
    const digests = new Set(["a", "b", "c/subagents/d"].map(rootDigest));
    const after = nextToken({ query, ...bounds }, digests);

    expect(toPage({ query, ...bounds, after, limit: 3 })).toEqual({
      ...{ limit: 3, minScore: 2 },
      shown: digests,
    });
  });

  it("reads the longest possible token", () => {
    const digests = new Set(Array.from({ length: maxSessions }, (_, at) => rootDigest(`s${at}`)));

    expect(toPage({ query, after: nextToken({ query }, digests) }).shown).toEqual(digests);
  });

  it("accepts a token after `since` has moved on", () => {
    const after = nextToken({ query, since: "2026-11-20" }, [1]);

    expect(toPage({ query, since: "2026-11-21", after }).shown).toEqual(new Set([1]));
  });

  it.each<[string, Partial<SearchRequest>]>([
    ["query", { query: "y" }],
    ["project", { project: "/b" }],
    ["session", { session: "s" }],
    ["agent", { agent: "codex" }],
    ["role", { role: "assistant" }],
    ["since", { since: "2026-11-20" }],
    ["until", { until: "2026-11-20" }],
    ["min_score", { min_score: 1 }],
  ])("refuses the token of a search with another %s", (_, other) => {
    const after = nextToken({ query, ...bounds }, [1]);

    expect(() => toPage({ query, ...bounds, ...other, after })).toThrow(
      "after: it is the `next` of another search",
    );
  });

  it("refuses a damaged or incomplete token, and text that is no token", () => {
    const token = nextToken({ query }, [1, 2, 3]);
    const damaged = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.nat(token.length - 1).map((length) => token.slice(0, length)),
      fc.nat(token.length - 1).map((at) => `${token.slice(0, at)}~${token.slice(at + 1)}`),
      fc.constantFrom("10", `${token} `, `${token}AAAA`, "A".repeat(1e6), "\0"),
    );
    fc.assert(
      fc.property(damaged, (after) => {
        expect(() => toPage({ query, after })).toThrow(FilterError);
      }),
    );
  });
});
