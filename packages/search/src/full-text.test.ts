import { describe, expect, it } from "vitest";
import { messageArm, messageQuery, phraseOrWords, windowArm } from "./full-text.ts";
import { parseQuery } from "./query.ts";
import { search } from "./search.ts";
import { storeOf } from "./testing.ts";

describe("messageArm", () => {
  it("ranks a message that holds all words above one that repeats the rarest", async () => {
    const others = ["fence", "spring", "rain"].flatMap((word) =>
      Array.from({ length: 6 }, (_, at) => ({ id: `${word}${at}`, texts: [`${word} and more`] })),
    );
    const { sessions, remove } = await storeOf([
      { id: "often", texts: ["quagga ".repeat(6)] },
      { id: "all", texts: ["the quagga fence was mended before any rain came again this spring"] },
      ...others,
    ]);
    const query = parseQuery("quagga fence spring rain");
    const { hits, isCut } = await messageArm(sessions, query, undefined);
    remove();

    const [often, all] = ["often", "all"].map((id) =>
      hits.find(({ sessionId }) => sessionId === id),
    );
    expect(often?.score).toBeGreaterThan(all?.score ?? 0);
    expect(all?.rank).toBeGreaterThan(often?.rank ?? 0);
    expect([hits.length, isCut]).toEqual([20, false]);
  });

  it("ranks a message that also holds the question's function words above its equal", async () => {
    const { sessions, remove } = await storeOf([
      { id: "bare", texts: ["upload slow today here"] },
      { id: "asked", texts: ["why upload is slow"] },
    ]);
    const { hits } = await messageArm(sessions, parseQuery("why is upload slow"), undefined);
    remove();

    const [bare, asked] = ["bare", "asked"].map((id) => hits.find((hit) => hit.sessionId === id));
    expect(asked?.score).toBeCloseTo(bare?.score ?? 0);
    expect(asked?.rank).toBeGreaterThan(bare?.rank ?? 0);
  });
});

describe("windowArm", () => {
  it("finds other forms of a word inside a script without spaces", async () => {
    const { sessions, remove } = await storeOf([
      { id: "zh", texts: ["我们在用refactored代码运行"] },
      { id: "ja", texts: ["サーバーをrefactoringする"] },
      { id: "th", texts: ["ไฟล์refactoredอยู่"] },
      { id: "none", texts: ["nothing of it"] },
    ]);
    const { hits } = await windowArm(sessions, parseQuery("refactoring"), undefined);
    remove();

    expect(hits.map(({ sessionId }) => sessionId).toSorted()).toEqual(["ja", "th", "zh"]);
  });
});

describe("search", () => {
  it("finds a word with a Korean particle attached", async () => {
    const { sessions, remove } = await storeOf([
      { id: "ko", texts: ["무엇을 할까요", "여기서 API를 호출하면 오류가 발생합니다"] },
      { id: "en", texts: ["ask the api"] },
      { id: "none", texts: ["apiary"] },
    ]);
    const found = await search(sessions, { query: "API" });
    remove();

    expect(found.sessions.map(({ session_id }) => session_id)).toEqual(["en", "ko"]);
    expect(found.sessions[1]?.matches.map(({ message_id }) => message_id)).toEqual(["ko-1"]);
  });
});

describe("messageQuery", () => {
  it.each([
    [
      "no function words beside other words",
      "why is the upload slow",
      { terms: "upload slow", boost: 4 },
    ],
    [
      "function words beside a single other word",
      "the upload",
      { terms: "the upload upload upload upload", boost: 1 },
    ],
    [
      "all excluded words at once",
      'upload -retry -"slow disk" -ΔΡΟΜΟΣ',
      {
        must: [],
        should: [{ terms: "upload", boost: 4 }],
        mustNot: [{ terms: "retry ΔΡΟΜΟΣ ΔΡΟΜΟς" }, { phrase: "slow disk" }],
      },
    ],
  ])("asks for %s", (_, query, expected) => {
    expect(messageQuery(parseQuery(query))).toEqual(expected);
  });
});

describe("phraseOrWords", () => {
  it.each([
    ["one word as a word", "retry", { terms: "retry", operator: "and" }],
    ["several words as a phrase", "retry -- backoff", { phrase: "retry -- backoff" }],
    ["the first 32 of many words", "the ".repeat(4_000), { phrase: "the ".repeat(32).trim() }],
    [
      "the first 32 words of a long text without spaces",
      "索引".repeat(4_000),
      { phrase: "索引 ".repeat(32).trim() },
    ],
  ])("looks for %s", (_, text, expected) => {
    expect(phraseOrWords(text)).toEqual(expected);
  });
});
