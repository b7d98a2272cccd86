import type { Embedder } from "@pond/embed";
import { openSessions } from "@pond/sessions";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { SearchOptions, SearchRequest, SearchResponse } from "./request.ts";
import { search } from "./search.ts";
import { addChats, type Chat, embedAll, fakeEmbedder, storeOf, type TestStore } from "./testing.ts";

const meanings = { lorry: "vehicle", truck: "vehicle", car: "vehicle", broke: "fail" };
const chats: readonly Chat[] = [
  { id: "lorry", project: "/a", texts: ["my lorry would not start", "try the battery"] },
  { id: "car", project: "/b", day: "2026-02-01", texts: ["the car is red", "a fine colour"] },
  { id: "words", project: "/b", texts: ["truck_loader.ts was renamed", "truck truck truck"] },
  { id: "words/sub", parent: "words", project: "/b", texts: ["look for the vehicle"] },
  { id: "other", project: "/a", agent: "codex", texts: ["bread needs flour", "and water"] },
];

let store: TestStore;
const embedder = fakeEmbedder({ meanings });
const ask = (
  query: string,
  more: Partial<SearchRequest> = {},
  options: SearchOptions = { embedder },
): Promise<SearchResponse> => search(store.sessions, { query, ...more }, options);
const roots = ({ sessions }: SearchResponse): string[] =>
  sessions.map(({ root_session_id }) => root_session_id);

beforeAll(async () => {
  store = await storeOf(chats);
  await embedAll(store.sessions, embedder);
});
afterAll(() => store.remove());
afterEach(() => {
  embedder.asked.length = 0;
});

describe("hybrid search", () => {
  it("finds messages with the meaning but none of the words", async () => {
    const hybrid = await ask("vehicle broke");
    const byWords = await ask("vehicle broke", {}, {});

    expect(roots(byWords)).toEqual(["words"]);
    expect(hybrid.mode).toBe("hybrid");
    expect(roots(hybrid).slice(0, 3).sort()).toEqual(["car", "lorry", "words"]);
    const lorry = hybrid.sessions.find(({ session_id }) => session_id === "lorry");
    expect(lorry?.matches[0]).toMatchObject({
      message_id: "lorry-0",
      score: 0,
      similarity: expect.closeTo(0.32, 1),
      snippet: { text: "my lorry would not start", highlights: [] },
    });
  });

  it("reports the similarity of a match that was found by its words", async () => {
    const { sessions } = await ask("truck truck truck");

    expect(sessions[0]?.matches[0]).toMatchObject({ message_id: "words-1", similarity: 1 });
    expect(sessions[0]?.matches[0]?.score).toBeGreaterThan(0);
  });

  it.each([
    ["an identifier", "truck_loader.ts"],
    ["a phrase", '"was renamed" lorry car vehicle'],
    ["one of many literals", '"was renamed" "no such" "nor this" "or that" lorry car vehicle'],
  ])("ranks the message that holds %s above those near in meaning", async (_, query) => {
    expect((await ask(query)).sessions[0]?.matches[0]?.message_id).toBe("words-0");
  });

  it.each<[string, Partial<SearchRequest>, string[]]>([
    ["a project", { project: "/a" }, ["lorry", "other"]],
    ["a session", { session: "car" }, ["car"]],
    ["a session below its root", { session: "words/sub" }, ["words"]],
    ["an agent", { agent: "codex" }, ["other"]],
    ["a time range", { since: "2026-02-01" }, ["car"]],
    ["a role", { role: "assistant", project: "/b" }, ["car", "words"]],
  ])(
    "limits matches by meaning to %s (`search-prefilter-pushdown`)",
    async (_, filters, expected) => {
      const answer = await ask("vehicle", filters);

      expect(answer.mode).toBe("hybrid");
      expect(roots(answer).sort()).toEqual(expected);
    },
  );

  it("uses the scalar indexes before it compares vectors (`search-prefilter-pushdown`)", async () => {
    const { explanation } = await ask("vehicle", { project: "/a", role: "user", explain: true });

    expect(explanation?.plans["vector"]).toMatch(/KNN/);
    for (const index of ["project_idx", "role_idx", "embedding_model_idx"]) {
      expect(explanation?.plans["vector"]).toMatch(new RegExp(`ScalarIndexQuery.*${index}`));
    }
  });

  it("obeys required and excluded words", async () => {
    expect(roots(await ask("vehicle +lorry"))).toEqual(["lorry"]);
    expect(roots(await ask("vehicle +battery -lorry"))).toEqual(["lorry"]);
    const without = await ask('vehicle -lorry -"the car"');
    const found = without.sessions.flatMap(({ matches }) => matches.map((each) => each.message_id));
    expect(found).toContain("words/sub-0");
    expect(found).not.toContain("lorry-0");
    expect(found).not.toContain("car-0");
    expect(embedder.asked.at(-1)).toBe("vehicle");
  });

  it("shows no match by meaning alone if a minimum score is asked for", async () => {
    const answer = await ask("vehicle", { min_score: 0.001 });

    expect(answer.mode).toBe("hybrid");
    expect(roots(answer)).toEqual(["words"]);
    expect(answer.sessions[0]?.matches.every(({ score }) => score > 0)).toBe(true);
  });

  it("explains what each arm contributed", async () => {
    const { explanation, sessions } = await ask("vehicle lorry", { explain: true });

    expect(explanation?.arms.map(({ name }) => name)).toEqual([
      ...["message", "window", "literal", "vector"],
    ]);
    expect(explanation?.nearest?.[0]).toMatchObject({ similarity: expect.any(Number) });
    for (const { root_session_id, score } of sessions) {
      const parts = explanation?.arms.map((arm) => arm.contributions[root_session_id] ?? 0) ?? [];
      expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 3);
    }
  });

  it("reports the sub-agents of a root, and the parent of a match in one", async () => {
    const { sessions } = await ask('"look for the vehicle"');

    expect(sessions[0]).toMatchObject({
      root_session_id: "words",
      sub_agents: { sessions: 1, found_in: 1 },
      matches: [{ session_id: "words/sub", parent_session_id: "words" }],
    });
    expect(sessions.filter(({ sub_agents }) => sub_agents)).toHaveLength(1);
  });
});

describe("hybrid search without a usable model", () => {
  it.each<[string, string]>([
    ["an arrow alone", "->"],
    ["punctuation alone", "*** !!!"],
  ])("does not ask the model about %s", async (_, query) => {
    expect((await ask(query)).mode).toBe("full_text");
    expect(embedder.asked).toEqual([]);
  });

  it.each([
    ["the stored model's name", "test-words"],
    ["another name", "another"],
  ])("warns of a model of another dimension under %s and does not ask it", async (_, modelId) => {
    const misfit = fakeEmbedder({ modelId, dimension: 8 });
    const answer = await ask("vehicle", {}, { embedder: misfit });

    expect(answer).toMatchObject({
      mode: "full_text",
      sessions: [{ root_session_id: "words" }],
      warnings: [{ code: "dimension_mismatch", message: expect.stringContaining("8 numbers") }],
    });
    expect(misfit.asked).toEqual([]);
  });

  it("warns of a model that has made none of the stored vectors and does not ask it", async () => {
    const other = fakeEmbedder({ modelId: "another", dimension: embedder.dimension });
    const answer = await ask("vehicle", {}, { embedder: other });

    expect(answer).toMatchObject({
      ...{ mode: "full_text", sessions: [{}] },
      warnings: [
        {
          code: "embedding_failed",
          message: expect.stringMatching(
            /^no vector is of another, .* so only words were searched/,
          ),
        },
      ],
    });
    expect(other.asked).toEqual([]);
  });

  it("sees that another process embeds again, with vectors of another length under the same name", async () => {
    const own = await storeOf(chats);
    await embedAll(own.sessions, embedder);
    const before = await search(own.sessions, { query: "vehicle" }, { embedder });
    const longer = fakeEmbedder({ meanings, dimension: 512 });
    const other = await openSessions(own.sessions.store.location, { mode: "write" });
    const messages = other.store.table("messages");
    await messages.renew({ vector: { vector: 512 }, embedding_model: "text" });
    await embedAll(other, longer);
    other.close();
    const after = await search(own.sessions, { query: "vehicle" }, { embedder: longer });
    own.remove();

    expect([before.mode, after.mode, after.warnings]).toEqual(["hybrid", "hybrid", undefined]);
    expect(roots(after).sort()).toEqual(roots(before).sort());
    expect(roots(after)).toContain("lorry");
  });

  const one = new Float32Array(384).fill(0.05);
  it.each<[string, Embedder["embed"], RegExp]>([
    [
      "rejects with an error",
      () => Promise.reject(new Error("no such endpoint")),
      /no such endpoint/,
    ],
    [
      "throws instead of returning a promise",
      () => {
        throw new TypeError("x is no function");
      },
      /no function/,
    ],
    ["rejects with a string", () => Promise.reject("gone"), /gone/],
    ["returns no vector", async () => [], /0 vectors/],
    ["returns too many vectors", async () => [one, one], /2 vectors/],
    ["returns too few numbers", async () => [one.slice(1)], /383 numbers/],
    ["returns NaN", async () => [one.with(3, Number.NaN)], /without a direction/],
    ["returns infinity", async () => [one.with(3, Infinity)], /without a direction/],
    ["returns a zero vector", async () => [new Float32Array(384)], /without a direction/],
    ["never answers", () => new Promise(() => {}), /: test-words gave no vector in 0\.05 s$/],
  ])("answers by words and gives a warning when the model %s", async (_, embed, reason) => {
    const broken: Embedder = { ...fakeEmbedder(), embed };
    const answer = await ask("vehicle", {}, { embedder: broken, embedTimeoutMs: 50 });

    expect(answer).toMatchObject({
      mode: "full_text",
      sessions: [{ root_session_id: "words" }],
      warnings: [{ code: "embedding_failed", message: expect.stringMatching(reason) }],
    });
  });

  it("rejects with the signal's reason when aborted before or while the model is asked", async () => {
    const gone = new Error("gone");
    const controller = new AbortController();
    const hanging: Embedder = { ...fakeEmbedder(), embed: () => new Promise(() => {}) };
    const asked = ask("vehicle", {}, { embedder: hanging, signal: controller.signal });
    setTimeout(() => controller.abort(gone), 20);

    await expect(asked).rejects.toBe(gone);
    await expect(ask("vehicle", {}, { signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
  });

  it("passes the signal on to the embedder, and never closes the embedder", async () => {
    const close = vi.fn(async () => {});
    const gone = new Error("gone");
    const controller = new AbortController();
    let given: AbortSignal | undefined;
    const embed: Embedder["embed"] = async (texts, { signal }) => {
      given = signal;
      controller.abort(gone);
      return embedder.embed(texts, { kind: "query" });
    };
    const options = { embedder: { ...embedder, embed, close }, signal: controller.signal };

    await expect(ask("vehicle", {}, options)).rejects.toBe(gone);

    expect(given?.reason).toBe(gone);
    expect(close).not.toHaveBeenCalled();
  });
});

describe("hybrid search in a growing store", () => {
  it("finds embedded messages by meaning and new ones by their words", async () => {
    const own = await storeOf([{ id: "old", texts: ["a lorry"] }]);
    const options = { embedder };
    const before = await search(own.sessions, { query: "vehicle" }, options);
    await embedAll(own.sessions, embedder);
    await addChats(own.sessions, [{ id: "new", texts: ["a truck", "another vehicle"] }]);
    const after = await search(own.sessions, { query: "vehicle" }, options);
    own.remove();

    expect(before).toMatchObject({ mode: "full_text", sessions: [] });
    expect(after).toMatchObject({ mode: "hybrid" });
    expect(roots(after)).toEqual(["new", "old"]);
  });
});
