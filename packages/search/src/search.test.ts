import { getSession } from "@pond/sessions";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FilterError, QueryError } from "./errors.ts";
import type { SearchRequest, SearchResponse } from "./request.ts";
import { search } from "./search.ts";
import { addChats, type Chat, embedAll, fakeEmbedder, storeOf, type TestStore } from "./testing.ts";

const chats: readonly Chat[] = [
  {
    id: "retry",
    project: "/work/pond/cli",
    texts: [
      "Why does the upload fail after a timeout?",
      "The client gives up; retry with backoff and jitter, see adapter_bounded_values.",
      "And the weather?",
      "Sunny.",
    ],
  },
  {
    id: "index",
    project: "/work/pond",
    agent: "codex",
    day: "2026-02-01",
    texts: ["全文索引为什么是空的", "The index of getSessionById was never folded.", "Thanks!"],
  },
  {
    id: "values",
    project: "/work/ponder",
    day: "2026-03-01",
    texts: ["adapter and bounded and values are three words, adapter bounded values", "values"],
  },
  {
    id: "values/subagents/a",
    parent: "values",
    project: "/work/ponder",
    day: "2026-03-02",
    texts: [
      "Look for the zebra in src/search/zebra-crossing.ts",
      'error: "ENOENT" in C++ -> zebra, fixed by #58',
    ],
  },
  {
    id: "huge",
    day: "2026-04-01",
    texts: Array.from({ length: 400 }, (_, at) => `deploy the mango ${at}`),
  },
  { id: "small", day: "2026-04-02", texts: ["deploy once the mango and papaya are ripe"] },
  {
    id: "noise",
    day: "2026-04-03",
    texts: ["nothing here to see, closing #5800", "o'hare; DROP TABLE messages"],
  },
];

let store: TestStore;
const ask = (query: string, more: Partial<SearchRequest> = {}): Promise<SearchResponse> =>
  search(store.sessions, { query, ...more });
/** The ids of what was found: sessions, and the messages of each. */
const idsOf = ({ sessions }: SearchResponse): string[] =>
  sessions.map(
    ({ root_session_id, matches }) =>
      `${root_session_id}: ${matches.map(({ message_id }) => message_id).join(" ")}`,
  );

beforeAll(async () => {
  store = await storeOf(chats);
});
afterAll(() => store.remove());

describe("search", () => {
  it("answers in wire form, with the text, snippet and parts of a user message", async () => {
    const { took_ms, ...answer } = await ask("why does an upload timeout", { limit: 1 });

    expect(took_ms).toBeGreaterThan(0);
    expect(answer).toEqual({
      mode: "full_text",
      total_in_scope: 414,
      sessions: [
        {
          session_id: "retry",
          root_session_id: "retry",
          source_agent: "claude-code",
          project: "/work/pond/cli",
          created_at: "2026-01-01T00:00:00.000Z",
          score: 1,
          matches: [
            {
              message_id: "retry-0",
              session_id: "retry",
              role: "user",
              timestamp: "2026-01-01T00:00:00.000Z",
              score: expect.any(Number),
              text: "Why does the upload fail after a timeout?",
              snippet: {
                text: "Why does the upload fail after a timeout?",
                highlights: [
                  [13, 19],
                  [33, 40],
                ],
              },
              parts_summary: [
                { type: "text", provenance: "conversational", bytes: expect.any(Number) },
              ],
            },
          ],
        },
      ],
    });
  });

  it("finds a message that holds only some words of a question", async () => {
    const answer = await ask("which unheard-of gizmo makes the upload fail on Tuesdays?");

    expect(idsOf(answer)[0]).toBe("retry: retry-0");
  });

  it.each([
    ["an identifier", "adapter_bounded_values", "retry: retry-1"],
    ["part of an identifier", "bounded_val", "retry: retry-1"],
    ["a piece of a camelCase name", "SessionBy", "index: index-1"],
    ["a camelCase name", "getSessionById", "index: index-1"],
    ["a camelCase name asked for as snake_case", "get_session_by_id", "index: index-1"],
    ["a call", "where is getSessionById() called", "index: index-1"],
    ["an issue number", "#58", "values: values/subagents/a-1"],
    ["a camelCase name asked for as kebab-case", "get-session-by-id", "index: index-1"],
    ["a part of a camelCase name", "SessionBy", "index: index-1"],
    ["a two-letter Chinese word", "索引", "index: index-0"],
    ["Chinese characters that the dictionary splits", "文索", "index: index-0"],
    ["a path", "src/search/zebra-crossing.ts", "values: values/subagents/a-0"],
    ["punctuation alone", "->", "values: values/subagents/a-1"],
    ["a phrase with punctuation", '"C++ -> zebra"', "values: values/subagents/a-1"],
    ["a quoted phrase", '"adapter bounded values"', "values: values-0"],
    ["an error string with quotes inside", 'error: "ENOENT"', "values: values/subagents/a-1"],
    ["text that looks like SQL", "o'hare; DROP TABLE", "noise: noise-1"],
  ])("ranks the match for %s first", async (_, query, first) => {
    expect(
      idsOf(await ask(query))[0]
        ?.split(" ")
        .slice(0, 2)
        .join(" "),
    ).toBe(first);
  });

  it("shows only messages that hold every required and no excluded word", async () => {
    expect(idsOf(await ask("deploy +papaya"))).toEqual(["small: small-0"]);
    expect(idsOf(await ask("zebra -ENOENT"))).toEqual(["values: values/subagents/a-0"]);
    expect(idsOf(await ask('values -"three words" -jitter'))).toEqual(["values: values-1"]);
    expect(idsOf(await ask('+"three words" values'))).toEqual(["values: values-0"]);
    expect(idsOf(await ask("+papaya +zebra"))).toEqual([]);
  });

  it("finds punctuation in a message that meets the bounds behind hundreds that do not", async () => {
    const plain = Array.from({ length: 450 }, () => "a ->b plain");
    const own = await storeOf([
      { id: "plain", texts: plain },
      { id: "goal", texts: ["a ->b special"] },
    ]);
    const answer = await search(own.sessions, { query: '"->" -plain' });
    own.remove();

    expect(idsOf(answer)).toEqual(["goal: goal-0"]);
  });

  it("folds sub-agents into their root and says which session a match is in", async () => {
    const { sessions } = await ask("zebra crossing");

    expect(sessions).toMatchObject([
      {
        session_id: "values/subagents/a",
        root_session_id: "values",
        created_at: "2026-03-01T00:00:00.000Z",
        matches: [{ session_id: "values/subagents/a" }, { session_id: "values/subagents/a" }],
      },
    ]);
  });

  it("shows at most three matches of a huge session, and does not let it hide a small one", async () => {
    const { sessions } = await ask("deploy mango");

    expect(sessions.map(({ session_id, matches }) => [session_id, matches.length])).toEqual(
      expect.arrayContaining([
        ["huge", 3],
        ["small", 1],
      ]),
    );
  });

  it.each<[string, Partial<SearchRequest>, number, string[]]>([
    ["a project and the folders below it", { project: "/work/pond" }, 410, ["index", "retry"]],
    ["a session", { session: "index" }, 3, ["index"]],
    ["an agent", { agent: "codex" }, 3, ["index"]],
    ["a role", { role: "user" }, 208, ["index", "retry"]],
    ["a start time", { since: "2026-02-01" }, 410, ["index"]],
    ["an end time", { until: "2026-01-15T00:00:00Z" }, 4, ["retry"]],
    [
      "a time range",
      { since: "2026-01-01T00:01:00Z", until: "2026-01-01T00:02:00Z" },
      1,
      ["retry"],
    ],
  ])(
    "filters by %s and counts the messages in scope (`search-prefilter-pushdown`)",
    async (_, filters, total, found) => {
      const answer = await ask("upload timeout retry 索引", filters);

      expect(answer.total_in_scope).toBe(total);
      expect(answer.sessions.map(({ session_id }) => session_id).sort()).toEqual(found);
    },
  );

  it("uses the scalar indexes before it ranks (`search-prefilter-pushdown`)", async () => {
    const filters = { project: "/work/pond", role: "user", since: "2026-01-01" };
    const { explanation } = await ask("upload", { ...filters, explain: true });

    for (const index of ["project_idx", "role_idx", "timestamp_idx"]) {
      expect(explanation?.plans["message"]).toMatch(new RegExp(`ScalarIndexQuery.*${index}`));
    }
  });

  it("accepts any text as a query, or refuses it with a QueryError", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom('"', "+", "-", "'", "%", "\\", "zebra", "索引", "a_b", " ", "-> ", "--x"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const answer = await ask(pieces.join("")).catch((error: unknown) => error);
        if (answer instanceof QueryError) return;

        expect(answer).toMatchObject({ mode: "full_text", total_in_scope: 414 });
      }),
      { numRuns: 60 },
    );
  });

  it("finds nothing if nothing matches, and says how many messages were in scope", async () => {
    expect(await ask("xylophone", { project: "/work/ponder" })).toMatchObject({
      total_in_scope: 4,
      sessions: [],
    });
    expect(await ask("upload", { project: "ponder" })).toMatchObject({
      total_in_scope: 0,
      sessions: [],
      similar_projects: ["/work/ponder"],
    });
  });

  it("measures the minimum score on the scale of the scores shown", async () => {
    const { sessions } = await ask("mango papaya", { limit: 1 });
    const score = sessions[0]?.matches[0]?.score ?? 0;

    expect(idsOf(await ask("mango papaya", { min_score: score - 0.001 }))).toEqual([
      "small: small-0",
    ]);
    expect(idsOf(await ask("mango papaya", { min_score: 1_000 }))).toEqual([]);
  });

  it("still finds a match if its shown score is the minimum score", async () => {
    for (const query of ["mango papaya", "upload retry zebra", "adapter values", "deploy"]) {
      for (const { root_session_id, matches } of (await ask(query)).sessions) {
        const answer = await ask(query, { min_score: matches[0]?.score });

        expect(answer.sessions.map((each) => each.root_session_id)).toContain(root_session_id);
      }
    }
  });

  it("goes on after a page without repeating it", async () => {
    const query = "upload mango zebra 索引 nothing";
    const whole = await ask(query);
    const first = await ask(query, { limit: 2 });
    const second = await ask(query, { limit: 10, after: first.next });

    expect([...idsOf(first), ...idsOf(second)]).toEqual(idsOf(whole));
    expect([first.next, second.next, whole.next]).toEqual([
      expect.any(String),
      undefined,
      undefined,
    ]);
  });

  it("explains how the query was read and what each arm did", async () => {
    const { explanation } = await ask("why the adapter_bounded_values", { explain: true });

    expect(explanation).toMatchObject({
      terms: ["why*1", "the*1", "adapter*4", "bounded*4", "values*4", "adapterboundedvalues*2"],
      literals: ["adapter_bounded_values"],
      arms: [{ name: "message" }, { name: "window" }, { name: "literal", hits: 2, best: 1 }],
      plans: { message: expect.stringContaining("MatchQuery") },
    });
  });

  it.each<[string, string, Partial<SearchRequest>, typeof FilterError | typeof QueryError]>([
    ["an empty query", " ", {}, QueryError],
    ["an unknown agent", "x", { agent: "clade-code" }, FilterError],
    ["an unknown session", "x", { session: "'; --" }, FilterError],
    ["an unknown role", "x", { role: "robot" }, FilterError],
  ])("refuses %s with a typed error", async (_, query, filters, type) => {
    await expect(ask(query, filters)).rejects.toThrow(type);
  });

  it("names the stored agents when it refuses an unknown one", async () => {
    await expect(ask("x", { agent: "clade-code" })).rejects.toThrow(
      'agent: no session of "clade-code" is stored; there are: claude-code, codex',
    );
  });

  it("answers a query of a megabyte", async () => {
    const { sessions } = await ask(`zebra ${"word ".repeat(200_000)}`);

    expect(sessions[0]?.root_session_id).toBe("values");
  });
});

describe("a match", () => {
  it("is short, however long its message is", async () => {
    const filler = "索引 与 記憶體 🚀 de\u0301ja\u0300 vu ".repeat(40_000);
    const own = await storeOf([{ id: "long", texts: [`${filler} 查找 needle 👩‍👩‍👧 ${filler}`] }]);
    const { sessions } = await search(own.sessions, { query: "記憶體 vu needle" });
    own.remove();

    const [match] = sessions[0]?.matches ?? [];
    expect(match).not.toHaveProperty("text");
    expect(match?.prefix?.length).toBeLessThanOrEqual(300);
    expect(filler.startsWith(match?.prefix ?? "?")).toBe(true);
    expect(match?.snippet.text.length).toBeLessThan(300);
    const marked = match?.snippet.highlights.map(([from, to]) =>
      match.snippet.text.slice(from, to),
    );
    expect(new Set(marked)).toEqual(new Set(["記憶體", "vu"]));
    expect(JSON.stringify(sessions).length).toBeLessThan(3_000);
  });

  it.each([
    ["signs", "<-"],
    ["a part of a name", "bounded_val"],
    ["a part of a word", "ounde"],
  ])("has its snippet around %s, however far into the message", async (_, query) => {
    const filler = "nothing to see in here. ".repeat(100);
    const text = `${filler}a <-> adapter_bounded_values ${filler}`;
    const own = await storeOf([{ id: "long", texts: [text, `again ${text}`] }]);
    const { sessions } = await search(own.sessions, { query });
    own.remove();

    const marked = sessions.flatMap(({ matches }) =>
      matches.map(({ snippet }) =>
        snippet.highlights.map(([start, end]) => snippet.text.slice(start, end)),
      ),
    );
    expect(marked).toEqual([[query], [query]]);
  });

  it("names only the first of very many files, and only the beginning of a long name", async () => {
    const files = Array.from({ length: 40 }, (_, at) => `${at}-${"x".repeat(1_000)}.png`);
    const own = await storeOf([{ id: "files", texts: ["see the mango"], files }]);
    const { sessions } = await search(own.sessions, { query: "mango" });
    own.remove();

    const parts = sessions[0]?.matches[0]?.parts_summary ?? [];
    expect(parts).toHaveLength(32);
    expect(parts[1]).toEqual({
      ...{ type: "file", provenance: "conversational", bytes: 0 },
      name: files[0]?.slice(0, 200),
    });
  });

  it("names its own client if its root session is from another", async () => {
    const own = await storeOf([
      { id: "origin", agent: "codex", project: "/a", texts: ["begin"] },
      { id: "import", agent: "oh-my-pi", project: "/b", parent: "origin", texts: ["a mango"] },
    ]);
    const { sessions } = await search(own.sessions, { query: "mango", agent: "oh-my-pi" });
    own.remove();

    const found = { session_id: "import", source_agent: "oh-my-pi", project: "/b" };
    expect(sessions).toMatchObject([{ ...found, root_session_id: "origin" }]);
  });

  it("names its parent session and the message it was forked at", async () => {
    const own = await storeOf([
      { id: "root", texts: ["begin"] },
      { id: "fork", parent: "root", parentMessage: "root-0", texts: ["look for the quokka"] },
      { id: "deep", parent: "fork", texts: ["another quokka"] },
      { id: "lost", parent: "never-stored", texts: ["a lost quokka"] },
    ]);
    const { sessions } = await search(own.sessions, { query: "quokka" });
    own.remove();

    const root = sessions.find(({ root_session_id }) => root_session_id === "root");
    expect(root?.sub_agents).toEqual({ sessions: 2, found_in: 2 });
    expect(
      root?.matches.map(({ session_id, parent_session_id, parent_message_id }) => [
        ...[session_id, parent_session_id, parent_message_id],
      ]),
    ).toEqual(
      expect.arrayContaining([
        ["fork", "root", "root-0"],
        ["deep", "fork", undefined],
      ]),
    );
    const lost = sessions.find(({ root_session_id }) => root_session_id === "lost");
    expect(lost).not.toHaveProperty("sub_agents");
    expect(lost?.matches[0]).not.toHaveProperty("parent_session_id");
  });
});

describe("search in a changing store", () => {
  it("shows the right message even after its row has moved", async () => {
    const chats = ["walrus", "flamingo", "heron"].map((word): Chat => {
      return { id: word, texts: [`${word} and mango`, "so it is"] };
    });
    const own = await storeOf(chats, { isFolded: false });
    await embedAll(own.sessions, fakeEmbedder());
    await addChats(own.sessions, [{ id: "ibis", texts: ["ibis and mango"] }]);
    const answers = ["walrus", "heron", "ibis"].map((word) =>
      search(own.sessions, { query: `mango ${word}`, min_score: 0.001 }),
    );
    const first = (await Promise.all(answers)).map(({ sessions }) => sessions[0]?.matches[0]);
    own.remove();

    expect(first).toMatchObject([
      { message_id: "walrus-0", role: "user", text: "walrus and mango" },
      { message_id: "heron-0", role: "user", text: "heron and mango" },
      { message_id: "ibis-0", role: "user", text: "ibis and mango" },
    ]);
  });

  it("finds messages not indexed yet, with the newest text of revised ones", async () => {
    const own = await storeOf([{ id: "a", texts: ["first flamingo", "answer", "gone flamingo"] }], {
      isFolded: false,
    });
    const before = await search(own.sessions, { query: "flamingo" });
    await addChats(own.sessions, [{ id: "a", texts: ["second flamingo", "answer", null] }]);
    await addChats(own.sessions, [{ id: "b", texts: ["another flamingo"] }]);
    const { total_in_scope, sessions } = await search(own.sessions, { query: "flamingo" });
    own.remove();

    expect(before.total_in_scope).toBe(3);
    expect(total_in_scope).toBe(4);
    const matches = sessions.flatMap((session) => session.matches);
    expect(
      matches.map(({ message_id, text, revised, removed }) => ({
        ...{ message_id, text },
        ...(revised && { revised }),
        ...(removed && { removed }),
      })),
    ).toEqual(
      expect.arrayContaining([
        { message_id: "a-0", text: "second flamingo", revised: true },
        { message_id: "a-2", text: "gone flamingo", removed: true },
        { message_id: "b-0", text: "another flamingo" },
      ]),
    );
  });

  it("shows the message that holds the words now, even if it was empty when stored", async () => {
    const own = await storeOf([{ id: "a", texts: ["", "an answer", "more", "a violet"] }]);
    await addChats(own.sessions, [
      { id: "a", texts: ["please weigh the quokka", "an answer", "more quokkas", "a hexagon"] },
    ]);
    const shown = async (query: string): Promise<unknown[]> => {
      const { sessions } = await search(own.sessions, { query });
      return sessions.flatMap(({ matches }) =>
        matches.map(({ message_id, role, text, revised }) => [message_id, role, text, revised]),
      );
    };

    expect(await shown("weigh quokka")).toEqual([["a-0", "user", "please weigh the quokka", true]]);
    expect(await shown("hexagon")).toEqual([["a-3", "assistant", "a hexagon", true]]);

    await addChats(own.sessions, [{ id: "a", texts: ["", "an answer", "more", ""] }]);
    expect(await shown("violet")).toEqual([]);
    own.remove();
  });

  it("shows the time and the files that the source now gives for a revised message", async () => {
    const own = await storeOf([{ id: "a", day: "2026-01-01", texts: ["a walrus", "an answer"] }]);
    const newer = { day: "2026-01-03", files: ["tusks.png"] };
    await addChats(own.sessions, [{ id: "a", ...newer, texts: ["a walrus now", "an answer"] }]);
    const found = await search(own.sessions, { query: "walrus" });
    const read = await getSession(own.sessions, "a", {});
    own.remove();

    const { message_id: id, ...shown } = found.sessions[0]?.matches[0] ?? {};
    const { timestamp, parts_summary } = read.messages.find((each) => each.id === id) ?? {};
    expect(shown).toMatchObject({ timestamp, parts_summary, revised: true });
    expect([timestamp, parts_summary]).toMatchObject([
      "2026-01-03T00:00:00.000Z",
      [{ type: "text" }, { type: "file", name: "tusks.png" }],
    ]);
  });

  it("finds messages through their window if their neighbours hold the other words", async () => {
    const own = await storeOf([
      { id: "a", texts: ["the violet", "the hexagon", "the quill"] },
      { id: "b", texts: ["violet violet violet"] },
    ]);
    const { sessions } = await search(own.sessions, { query: "violet hexagon quill" });
    own.remove();

    expect(sessions[0]).toMatchObject({ session_id: "a", matches: [{}, {}, {}] });
  });

  it("finds nothing in an empty store", async () => {
    const own = await storeOf([]);
    const answer = await search(own.sessions, { query: "anything -> at all" });
    own.remove();

    expect(answer).toMatchObject({ total_in_scope: 0, sessions: [] });
  });
});
