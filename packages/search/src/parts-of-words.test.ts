import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parseQuery } from "./query.ts";
import { search } from "./search.ts";
import { substringArm } from "./substrings.ts";
import { type Chat, storeOf, type TestStore } from "./testing.ts";
import { innerWords } from "./words.ts";

const texts: Readonly<Record<string, string>> = {
  particles: "서버에서 오류가 발생했습니다. 로그를 확인해 주세요",
  server: "서버 이름을 바꾸자",
  error: "오류 없음",
  commit: "the fix is 9f8e7d6c5b4a39281706, in its own commit",
  others: "another commit, and then a revert of that commit",
};

let store: TestStore;
beforeAll(async () => {
  store = await storeOf(Object.entries(texts).map(([id, text]) => ({ id, texts: [text] })));
});
afterAll(() => store.remove());

it("does not find the name a_b in a word that merely contains both letters", async () => {
  const { sessions, remove } = await storeOf([
    { id: "grab", day: "2025-01-02", texts: ["grab it"] },
    { id: "near", day: "2025-01-01", texts: ["test a and b"] },
  ]);

  const answer = await search(sessions, { query: "a_b test" });

  expect(answer.sessions[0]?.session_id).toBe("near");
  remove();
});

it.each(["a_b test", "A_B test"])("does not match a longer name for %s", async (query) => {
  const { sessions, remove } = await storeOf([
    { id: "part", day: "2025-01-03", texts: ["the data_buffer is full"] },
    { id: "near", day: "2025-01-02", texts: ["test it again"] },
  ]);

  const answer = await search(sessions, { query });

  expect(answer.sessions.map(({ session_id: id }) => id)).toEqual(["near"]);
  remove();
});

it.each(["foo #58", "foo !58"])("finds %s inside longer words and numbers", async (query) => {
  const { sessions, remove } = await storeOf([
    { id: "held", texts: [`it is x${query}0`] },
    { id: "other", texts: ["noise"] },
  ]);

  const answer = await search(sessions, { query });

  expect(answer.sessions.map(({ session_id: id }) => id)).toEqual(["held"]);
  remove();
});

it.each([255, 256, 257])("finds text around a word of %i letters", async (length) => {
  const word = "n".repeat(length);
  const { sessions, remove } = await storeOf([
    { id: "held", texts: [`reeds.${word}.heron`] },
    { id: "other", texts: ["noise"] },
  ]);
  const text = `eeds.${word}.her`;

  const [arm] = await substringArm(sessions, parseQuery(`"${text}"`), [text], undefined);

  expect(arm?.hits.map(({ sessionId }) => sessionId)).toEqual(["held"]);
  remove();
});

it.each(["POND-5", "UTF-8"])(
  "does not scan all texts for %s, which no text holds",
  async (name) => {
    const { sessions, remove } = await storeOf([
      { id: "longer", day: "2025-01-03", texts: [`see ${name}9, and xUTF-80`] },
      { id: "near", day: "2025-01-02", texts: ["test it again"] },
    ]);
    const scan = vi.spyOn(sessions.store.table("messages"), "scan");

    const answer = await search(sessions, { query: `${name} test`, explain: true });

    expect(answer.explanation?.literals).toEqual([name]);
    expect(answer.sessions[0]?.session_id).toBe("near");
    const ofTexts = scan.mock.calls.filter(([asked]) => asked?.columns?.includes("search_text"));
    expect(ofTexts).toEqual([]);
    remove();
  },
);

it.each(["config_xqzj", "lookupXqzj", "zzqxv", '"quite unheard"', "?!"])(
  "scans all texts just once for %s, which no text holds",
  async (query) => {
    const { sessions, remove } = await storeOf([{ id: "other", texts: ["noise"] }]);
    const scan = vi.spyOn(sessions.store.table("messages"), "scan");

    const answer = await search(sessions, { query });

    expect(answer.sessions).toEqual([]);
    const ofTexts = scan.mock.calls.filter(([asked]) => asked?.columns?.includes("search_text"));
    expect(ofTexts).toHaveLength(1);
    remove();
  },
);

it.each(["src/heron/xqzj.ts", "reeds.heron_nests", '"quite unheard of"', '"who saw: the heron?"'])(
  "does not scan all texts for %s, whose inner words few texts hold",
  async (query) => {
    const { sessions, remove } = await storeOf([
      { id: "other", texts: ["src/reed/nests.ts, reeds_heron"] },
      { id: "apart", texts: ["they saw. And then the heron: gone"] },
    ]);
    const scan = vi.spyOn(sessions.store.table("messages"), "scan");

    await search(sessions, { query });

    const ofTexts = scan.mock.calls.filter(([asked]) => asked?.columns?.includes("search_text"));
    expect(ofTexts).toEqual([]);
    remove();
  },
);

const insideOfWords = [
  ["src/heron/nest.ts", "see MYSRC/Heron/nest.tsx, at last"],
  ["name_of_bird", "the rename_of_birds and others"],
  ["[[heron]]", "x[[heron]]y"],
  [":heron:", "::heron::"],
] as const;
describe.each(insideOfWords)("%s is found in %j", (query, text) => {
  const others = Array.from({ length: 120 }, (_, at) => ({
    id: `other ${at}`,
    texts: [`heron/nest, of, heron ${at}`],
  }));
  const found = async (
    chats: readonly Chat[],
    { isFolded = true, isMissing = false }: { isFolded?: boolean; isMissing?: boolean } = {},
  ): Promise<unknown> => {
    const all = [{ id: "wanted", texts: [text] }, ...chats];
    const { sessions, remove } = await storeOf(all, { isFolded });
    if (isMissing) {
      const messages = sessions.store.table("messages");
      vi.spyOn(messages, "knowsPhrases").mockResolvedValue(false);
      vi.spyOn(messages, "fullText").mockResolvedValue([]);
    }
    const [arm] = await substringArm(sessions, parseQuery(query), [query], undefined);
    remove();
    return arm?.hits.map(({ sessionId, score }) => ({ sessionId, score }));
  };

  it.each([
    ["when it is indexed", [], {}],
    ["when it is not indexed yet", [], { isFolded: false }],
    ["beside other texts that hold only its inner words", others.slice(0, 2), {}],
    ["among more texts with its inner words than are examined", others, {}],
    ["when the index is missing", [], { isMissing: true }],
  ])("%s", async (_, chats, how) => {
    expect(await found(chats, how)).toEqual([{ sessionId: "wanted", score: undefined }]);
  });
});

it.each(["config_xqzj lookupXqzj", "config_xqzj lookupXqzj, and parserZzqv"])(
  "scans all texts just once for the names of %j, which no text holds",
  async (query) => {
    const { sessions, remove } = await storeOf([{ id: "other", texts: ["noise"] }]);
    const scan = vi.spyOn(sessions.store.table("messages"), "scan");

    await search(sessions, { query });

    const ofTexts = scan.mock.calls.filter(([asked]) => asked?.columns?.includes("search_text"));
    expect(ofTexts).toHaveLength(1);
    remove();
  },
);

describe("several names inside words", () => {
  const unlike = ["ε_xqzj", "grüsse_xqzj"];
  const names = ["lookupXqzj", "parserZzqv", "config_xqzj", "a_b", "src/xqzj/b.ts", ...unlike];
  const chats = [
    { id: "one", texts: ["see mylookupxqzj", "a MYPARSERZZQV", "and my_config_xqzjs, a_b too"] },
    { id: "all", texts: ["lookupXqzjs, parserZzqvs, config_xqzjs", "mysrc/xqzj/b.tsx"] },
    { id: "none", texts: ["lookup, parser and config", "xqzj"] },
    { id: "letters", texts: ["my_ϵ_xqzjs and myGRÜẞE_xqzj", "the GRU\u0308SSE_XQZJs"] },
  ];
  // More than are read for one name.
  const many = { id: "many", texts: Array.from({ length: 401 }, (_, at) => `parserZzqvs ${at}`) };

  it.each([
    ["few", chats, "lookupXqzj"],
    ["many", [...chats, many], "lookupXqzj"],
    ["few and a word is required", chats, "lookupXqzj +config_xqzjs"],
  ])(
    "are found together just as each is alone, when their texts are %s",
    async (_, stored, query) => {
      const { sessions, remove } = await storeOf(stored);
      const parsed = parseQuery(query);

      const together = await substringArm(sessions, parsed, names, undefined);

      const each = await Promise.all(
        names.map((name) => substringArm(sessions, parsed, [name], undefined)),
      );
      expect(together).toEqual(each.flat());
      expect(together[2]?.hits.length).toBeGreaterThan(0);
      remove();
    },
  );
});

describe("inner words", () => {
  const around = fc.string({ unit: "grapheme", maxLength: 8 });
  const ascii = fc.string({ unit: fc.constantFrom(..."ab1Z_-./:'#@ \t\n"), maxLength: 30 });

  it("are consecutive words of the index, whatever surrounds the text", async () => {
    const messages = store.sessions.store.table("messages");
    await fc.assert(
      fc.asyncProperty(around, ascii, around, async (before, text, behind) => {
        const words = innerWords(text).map((word) => word.toLowerCase());
        const tokens = await messages.tokenize(`${before}${text}${behind}`);
        expect(` ${tokens.join(" ")} `).toContain(` ${words.join(" ")} `.trimEnd());
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["a_b", []],
    ["src/a/b.ts", ["a", "b"]],
    ["/src/", ["src"]],
    ["é_b_c", []],
    [`a_${"b".repeat(255)}_c`, ["b".repeat(255)]],
    [`a_${"b".repeat(256)}_c`, []],
  ])("of %j are %j", (text, words) => {
    expect(innerWords(text)).toEqual(words);
  });
});

it("picks the same messages by index as by scan if many are equally new", async () => {
  // What is shorter has more BM25.
  const chats = Array.from({ length: 60 }, (_, at) => ({
    id: `${at}`,
    texts: [`mysrc/heron/nest.tsx${" noise".repeat(60 - at)}`],
  }));
  const { sessions, remove } = await storeOf(chats);
  const messages = sessions.store.table("messages");
  const name = "src/heron/nest.ts";

  const byIndex = await substringArm(sessions, parseQuery(name), [name], undefined);
  vi.spyOn(messages, "knowsPhrases").mockResolvedValue(false);
  const byScan = await substringArm(sessions, parseQuery(name), [name], undefined);

  expect(byIndex).toEqual(byScan);
  remove();
});

it.each([
  ["中_文", "在中_文件夹里"],
  ["가_나", "이것은 가_나를 쓴다"],
])("finds a short name in a script without spaces inside longer text: %s", async (name, text) => {
  const { sessions, remove } = await storeOf([
    { id: "held", texts: [text] },
    { id: "other", texts: ["noise"] },
  ]);

  const found = [];
  for (const query of [name, `noise ${name}`]) {
    const answer = await search(sessions, { query });
    found.push(answer.sessions.map(({ session_id: id }) => id)[0]);
  }
  const bound = await search(sessions, { query: `+${name} noise` });

  expect(found).toEqual(["held", "held"]);
  expect(bound.sessions.map(({ session_id: id }) => id)).toEqual(["held"]);
  remove();
});

it.each([
  ['"서버 오류"', ["whole", "particle", "turned"]],
  ['+"서버 오류"', ["whole", "particle"]],
])("finds the Korean phrase %s even if its last word has a particle", async (query, ids) => {
  const { sessions, remove } = await storeOf([
    { id: "whole", texts: ["서버 오류 발생"] },
    { id: "particle", day: "2025-01-01", texts: ["어제 또 서버 오류가 났다 그리고 다시"] },
    { id: "turned", texts: ["오류 서버, 오류 서버"] },
  ]);

  const answer = await search(sessions, { query });

  expect(answer.sessions.map(({ session_id }) => session_id)).toEqual(ids);
  remove();
});

describe("a name beside short words in a script without spaces", () => {
  it.each([
    ["src/main.ts 로그인", ["src/main.ts", "로그인"]],
    [
      "로그인 페이지에서 세션이 자꾸 끊기는데 src/main.ts 때문인가",
      ["src/main.ts", "로그인", "페이지에서", "세션이"],
    ],
    ["登录 页面 会话 总是 src/main.ts", ["src/main.ts", "登录", "页面", "会话"]],
  ])("ranks the message that holds it first: %s", async (query, literals) => {
    const alike = Array.from({ length: 30 }, (_, at) => {
      return { id: `other${at}`, texts: [`${query.replaceAll(/[/.]/g, " ")} ${at}`] };
    });
    const named = "look at src/main.ts, which is why I think that it was renamed, as they said";
    const { sessions, remove } = await storeOf([
      ...alike,
      { id: "named", day: "2025-01-01", texts: [named] },
      { id: "run", day: "2025-01-01", texts: ["세션이만 登录了"] },
    ]);

    const answer = await search(sessions, { query, limit: 100, explain: true });
    const found = answer.sessions.map(({ session_id }) => session_id);

    expect(answer.explanation?.literals).toEqual(literals);
    expect(found[0]).toBe("named");
    remove();
  });

  it.each(["getFooBar 准确", "foo_bar 准确", '"foo then" 准确'])(
    "does not affect the first match if no message holds it: %s",
    async (query) => {
      const pieces = Array.from({ length: 30 }, (_, at) => {
        return { id: `other${at}`, texts: [`get the foo and then the bar ${at}`] };
      });
      const run = { id: "run", day: "2025-01-01", texts: ["这个函数给出的结果不准确，要改"] };
      const { sessions, remove } = await storeOf([...pieces, run]);

      const answer = await search(sessions, { query });

      expect(answer.sessions[0]?.session_id).toBe("run");
      remove();
    },
  );
});

it.each([
  ["Korean words with their particles", "로그 확인", ["particles"]],
  [
    "Korean words with particles before sessions with one bare word",
    "서버 오류",
    ["particles", "error", "server"],
  ],
  ["a Korean word with a particle after the bare word", "오류", ["error", "particles"]],
  ["the beginning of a commit hash", "9f8e7d6", ["commit"]],
  [
    "the beginning of a commit hash beside a word that others hold too",
    "commit 9f8e7d6",
    ["commit", "others"],
  ],
  [
    "the beginning of a commit hash before a message with only the other word",
    "9f8e7d6c revert",
    ["commit", "others"],
  ],
])("finds %s", async (_, query, ids) => {
  const { sessions } = await search(store.sessions, { query });

  expect(sessions.map(({ session_id }) => session_id)).toEqual(ids);
});
