import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseQuery } from "./query.ts";
import { search } from "./search.ts";
import { storeOf, type TestStore } from "./testing.ts";

const filler =
  "the worker of a queue, the cursor and its buffer, a merge that is not a mutex. ".repeat(40);
const line = 'error[E5882]: merge of "queue" failed: cursor is not a buffer';
const plain = "Error: mutex merge failed: queue is not a worker";

const holders: Readonly<Record<string, string>> = {
  quotes: `${filler}${line}\n${filler}`,
  plain: `${filler}${plain}\n${filler}`,
  kebab: `${filler}by lint-staged ${filler}`,
  setting: `${filler}with NODE_ENV=staged ${filler}`,
  address: `${filler}at https://lace.example/queue/merge?worker=58#mutex ${filler}`,
  ratio: `${filler}as 45:62 ${filler}`,
  decorator: `${filler}see @MergeQueue ${filler}`,
};

let store: TestStore;
beforeAll(async () => {
  const words = ["merge failed", "queue worker", "a mutex error", "lint it, staged", "node env"];
  const others = Array.from({ length: 80 }, (_, at) => {
    const said = [...words, "see cursor and buffer", "45 of 62", "lace example"];
    return { id: `other${at}`, texts: [`${said[at % 8]} ${said[(at + 1 + (at >> 3)) % 8]} ${at}`] };
  });
  const alike = [
    { id: "alike0", texts: ["merge queue, merge queue, merge queue"] },
    { id: "alike1", texts: ["lint staged, lint staged, lint staged"] },
    { id: "alike2", texts: ["Error: queue merge failed: mutex is not a worker"] },
    { id: "alike3", texts: ["https lace example queue merge worker 58 mutex"] },
    { id: "alike4", texts: ["node env staged, node env staged"] },
  ];
  const chats = Object.entries(holders).map(([id, text]) => ({
    ...{ id, day: "2025-01-01", texts: ["hello", text] },
  }));
  store = await storeOf([...chats, ...others, ...alike]);
});
afterAll(() => store.remove());

describe("a long message that holds the text ranks above short ones that hold its words", () => {
  it.each([
    ["an error line with quotes in it", line, "quotes"],
    ["an error line in capitals", line.toUpperCase(), "quotes"],
    ["a line of plain words", plain, "plain"],
    ["a hyphenated name alone", "lint-staged", "kebab"],
    [
      "a hyphenated name in backticks in a sentence",
      "where did we see `lint-staged` fail",
      "kebab",
    ],
    ["a setting", "where is NODE_ENV=staged set", "setting"],
    ["a URL", "see https://lace.example/queue/merge?worker=58#mutex.", "address"],
    ["numbers joined by a colon", "45:62", "ratio"],
    ["a decorator", "@MergeQueue", "decorator"],
  ])("%s", async (_, query, id) => {
    const { sessions } = await search(store.sessions, { query });

    expect(sessions[0]?.session_id).toBe(id);
    const [match] = sessions[0]?.matches ?? [];
    const marked = match?.snippet.highlights.map(([start, end]) =>
      match.snippet.text.slice(start, end),
    );
    expect(marked?.some((each) => holders[id]?.includes(each) && each.length > 4)).toBe(true);
  });

  it("highlights the whole line, although its words stand elsewhere too", async () => {
    const { sessions } = await search(store.sessions, { query: line });

    const { text = "", highlights = [] } = sessions[0]?.matches[0]?.snippet ?? {};
    expect(highlights.map(([start, end]) => text.slice(start, end))).toContain(line);
  });

  it("ranks sessions by a line's words the same with and without a colon", async () => {
    const common = ["pipeline", "login", "index", "latch", "crash"];
    const chats = Array.from({ length: 400 }, (_, at) => ({
      ...{ id: `short${at}`, texts: [`${common[at % 5]} ${at}`] },
    }));
    const spread = { id: "spread", texts: common.map((word) => `here ${word}`) };
    const asked = { id: "asked", texts: ["pipeline login: index latch crash"] };
    const other = await storeOf([...chats, asked, spread]);
    const sessionsOf = async (query: string): Promise<string[]> => {
      const { sessions } = await search(other.sessions, { query });
      return sessions.slice(0, 2).map(({ session_id: id }) => id);
    };

    const found = await Promise.all([
      sessionsOf("pipeline login: index latch crash"),
      sessionsOf("pipeline login, index latch crash"),
    ]);
    other.remove();

    expect(found).toEqual([
      ["asked", "spread"],
      ["asked", "spread"],
    ]);
  });

  it("finds a name in a line that no message holds", async () => {
    const query = "error: NODE_ENV=staged (in mutex)";
    const { sessions } = await search(store.sessions, { query });

    expect(sessions[0]?.session_id).toBe("setting");
  });
});

describe("parseQuery", () => {
  it.each([
    ["a printed line", plain, plain],
    ["a question", "why does the merge of a queue fail?", undefined],
    ["words with apostrophes", "why doesn't it merge the queue's files, again", undefined],
    ["two words", "error: merge", undefined],
    ["a line with an excluded word", `${plain} -cursor`, undefined],
    ["several lines", `${plain}\nat line`, undefined],
    ["a phrase with punctuation", '"error: merge failed again"', undefined],
    ["phrases in a sentence", 'the “error: merge failed” and "queue: is full"', undefined],
    ["a line with a phrase in it", 'error: no "merge of queue"', 'error: no "merge of queue"'],
    ["a script without spaces", "错误: 队列 合并 失败", undefined],
  ])("tells a printed line from other text: %s", (_, query, expected) => {
    expect(parseQuery(query).line).toBe(expected);
  });

  it("looks for a printed line and for every name in it", () => {
    const line = "error: a_b c_d e_f g_h";

    expect(parseQuery(line).literals).toEqual([line, "a_b", "c_d", "e_f", "g_h"]);
  });

  it("looks only for the first words of a long line", () => {
    const { line: start = "" } = parseQuery(`panic: ${"cursor of a buffer ".repeat(200)}`);

    expect(start.length).toBeLessThan(250);
    expect(start).toMatch(/^panic: cursor .* (?:cursor|of|a|buffer)$/);
  });
});
