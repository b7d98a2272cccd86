import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FilterError, QueryError } from "./errors.ts";
import type { SearchRequest } from "./request.ts";
import { search } from "./search.ts";
import { storeOf, type TestStore } from "./testing.ts";

let store: TestStore;
const ask = (request: object) => search(store.sessions, { query: "zebra", ...request });

beforeAll(async () => {
  store = await storeOf([
    { id: "a", texts: ['the zebra said "stop', "o'hare -- zebra; DROP TABLE messages"] },
    { id: "b", project: "/it's", texts: ["another zebra"] },
  ]);
});
afterAll(() => store.remove());

const hostile = ["' OR 1=1 --", '"', "%", "\\", "\u0000", "\ud800", "💥", "a\nb", "\u001b[31m"];

describe("search with bad input", () => {
  it.each<[string, unknown]>([
    ["no characters", ""],
    ["white space", " \t\n\u00a0\u3000"],
    ["control characters alone", "\u0000\u0007\u001b"],
    ["a zero-width space", "\u200b"],
    ["invisible characters", "\u2060\ufeff \u00ad\u200d \ufe0f \u3164 \u{e0067}"],
    ["excluded words alone", "-zebra -horse"],
    ["empty quotes", '"" ""'],
    ["undefined", undefined],
    ["null", null],
    ["a number", 7],
    ["a list", ["zebra"]],
  ])("refuses a query of %s", async (_, query) => {
    await expect(ask({ query })).rejects.toThrow(QueryError);
  });

  it("looks for an invisible character if it is in quotes", async () => {
    expect(await ask({ query: '"\u200b"' })).toMatchObject({ total_in_scope: 3, sessions: [] });
  });

  it.each<[string, string]>([
    ["an unbalanced quote", '"zebra said'],
    ["a quote inside the query", 'zebra "stop'],
    ["stray signs", "zebra + - ++ -- +- -> ::"],
    ["SQL", "zebra'; DROP TABLE messages; --"],
    ["control characters", "ze\u0000bra \u001b[31m zebra\u0007"],
    ["lone surrogates", "\ud800 zebra \udc00\ud800"],
    ["names of JavaScript object properties", "__proto__ constructor zebra hasOwnProperty"],
    ["regular expressions", "zebra (a+)+$ [z-a] \\p{L} .*"],
    ["another query language's syntax", "zebra AND NOT (title:x OR *) ~2 ^3"],
  ])("reads %s as text", async (_, query) => {
    const { sessions } = await ask({ query });

    expect(sessions.length).toBeGreaterThan(0);
  });

  it.each<[string, string]>([
    ["words", "zebra ".repeat(170_000)],
    ["distinct words", `zebra ${Array.from({ length: 150_000 }, (_, at) => `w${at}`).join(" ")}`],
    ["a single phrase", `"zebra ${"said ".repeat(200_000)}" zebra`],
    ["quotes", `zebra ${'"a "'.repeat(250_000)}`],
    ["required words", `zebra ${"+the ".repeat(200_000)}`],
    ["identifiers", `zebra ${"a_b ".repeat(250_000)}`],
    ["Chinese", `zebra ${"索引".repeat(170_000)}`],
    ["one word", `zebra ${"x".repeat(1_000_000)}`],
    ["combining marks", `zebra a${"\u0301".repeat(500_000)}`],
  ])("answers a query that is a megabyte of %s", async (_, query) => {
    const { total_in_scope } = await ask({ query });

    expect(total_in_scope).toBe(3);
  });

  it.each<[string, object]>([
    ["porject", { porject: "/a" }],
    ["__proto__", JSON.parse('{"__proto__": "x"}')],
    ["constructor", { constructor: "x" }],
    ["toString", { toString: "x" }],
    ["project", { project: "" }],
    ["project", { project: " \t" }],
    ["project", { project: 7 }],
    ["project", { project: null }],
    ["project", { project: ["/a"] }],
    ["project", { project: "/".repeat(1_000_000) }],
    ["session", { session: "" }],
    ["session", { session: {} }],
    ["session", { session: "nowhere" }],
    ["session", { session: "x".repeat(1_000_000) }],
    ["agent", { agent: "clade-code" }],
    ["agent", { agent: true }],
    ["role", { role: "robot" }],
    ["role", { role: "system" }],
    ["role", { role: "__proto__" }],
    ["role", { role: ["user"] }],
    ["role", { role: Object.create(null) }],
    ["role", { role: null }],
    ["since", { since: "yesterday" }],
    ["since", { since: "2026-13-40" }],
    ["since", { since: 1_767_225_600 }],
    ["since", { since: new Date(0) }],
    ["since", { since: "9".repeat(1_000_000) }],
    ["until", { until: null }],
    ["until", { until: "2026-11-20 08:00" }],
    ["until", { since: "2026-02-01", until: "2026-01-01" }],
    ["until", { since: "2026-01-01", until: "2026-01-01T00:00:00Z" }],
    ["limit", { limit: 0 }],
    ["limit", { limit: -1 }],
    ["limit", { limit: 101 }],
    ["limit", { limit: 1.5 }],
    ["limit", { limit: Number.NaN }],
    ["limit", { limit: Infinity }],
    ["limit", { limit: "10" }],
    ["limit", { limit: null }],
    ["min_score", { min_score: -1 }],
    ["min_score", { min_score: Number.NaN }],
    ["min_score", { min_score: Infinity }],
    ["min_score", { min_score: "1" }],
    ["after", { after: "" }],
    ["after", { after: "10" }],
    ["after", { after: 10 }],
    ["after", { after: null }],
    ["after", { after: "x".repeat(1_000_000) }],
    ["explain", { explain: "yes" }],
    ["explain", { explain: 1 }],
  ])("refuses a bad %s with a short error that names the field", async (field, filters) => {
    const error: unknown = await ask(filters).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(FilterError);
    expect(error).toMatchObject({ code: "validation_failed", details: { field } });
    expect(String(error).length).toBeLessThan(500);
  });

  it.each(hostile)("treats %j as plain text in every filter", async (text) => {
    expect(await ask({ project: text })).toMatchObject({ total_in_scope: 0, sessions: [] });
    await expect(ask({ session: text })).rejects.toThrow(FilterError);
    await expect(ask({ agent: text })).rejects.toThrow(FilterError);
    await expect(ask({ role: text })).rejects.toThrow(FilterError);
    await expect(ask({ since: text })).rejects.toThrow(FilterError);
  });

  it("finds the sessions of a project whose name holds a quote", async () => {
    expect(await ask({ project: "/it's" })).toMatchObject({ total_in_scope: 1, sessions: [{}] });
  });

  it("does not change the request object", async () => {
    const request: SearchRequest = Object.freeze({ query: "zebra", limit: 1 });

    expect((await search(store.sessions, request)).sessions).toHaveLength(1);
  });
});
