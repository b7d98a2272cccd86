import { afterEach, describe, expect, it } from "vitest";
import { search } from "./search.ts";
import { type Chat, embedAll, fakeEmbedder, storeOf, type TestStore } from "./testing.ts";

let store: TestStore | undefined;

afterEach(() => {
  store?.remove();
  store = undefined;
});

/** Sessions found, best first. */
async function idsOf(query: string, limit = 100): Promise<string[]> {
  if (store === undefined) throw new TypeError("no store");
  const { sessions } = await search(store.sessions, { query, limit });
  return sessions.map(({ session_id: id }) => id);
}

function many(count: number, toChat: (at: number) => Omit<Chat, "id">, name = "other"): Chat[] {
  return Array.from({ length: count }, (_, at) => ({ id: `${name}${at}`, ...toChat(at) }));
}

const longer = "which is why I think that it was renamed in the last release of the tool, as said";

describe("a literal in more messages than a search reads", () => {
  const flood = many(60, (at) => ({ texts: [`look at package.json number${at}`, "done"] }));
  const holds = (name: string, texts: string[]): Chat => ({ id: name, day: "2025-01-01", texts });

  it.each([
    ["zorblax package.json", "a rare word beside it"],
    ["why does the zorblax plugin crash on package.json?", "a question"],
    ['zorblax "package.json"', "a phrase"],
    ["package.json src/zorblax/main.ts", "another literal"],
  ])("leaves the ranking of %s to its other words: %s", async (query) => {
    store = await storeOf([
      ...flood,
      holds("one", [`The plugin in src/zorblax/main.ts crashes on our package.json, ${longer}`]),
    ]);

    expect((await idsOf(query))[0]).toBe("one");
  });

  it.each([
    ["쿼카 파일", "파일 목록 번호", "그 쿼카를 우리 파일에서 읽는다"],
    ["准确 缓存", "缓存", "我们的不准确缓存问题"],
    ["쿼카 package.json", "look at package.json", "쿼카를 package.json 에서 읽는다"],
    ["C# package.json", "vitamin C in package.json number", "The C# code reads our package.json"],
  ])(
    "leaves the ranking of %s to the rarer literal, which a search by words misses",
    async (query, common, both) => {
      const alike = many(60, (at) => ({ texts: [`${common} ${at}`, "done"] }));
      store = await storeOf([...alike, holds("both", [`${both}, ${longer}`])]);

      expect((await idsOf(query))[0]).toBe("both");
    },
  );

  it("leaves the ranking to the short words beside a name", async () => {
    const alike = many(60, (at) => ({ texts: [`用 Node.js 写 ${at}`, "好"] }));
    store = await storeOf([...alike, holds("topic", ["缓存 失效 的问题: 后端的缓存失效了"])]);

    expect((await idsOf("Node.js 缓存 失效"))[0]).toBe("topic");
  });

  it("counts even if it stands in another message than the other words", async () => {
    const texts = [`Our package.json, ${longer}`, `The zorblax plugin crashes, ${longer}`];
    const alike = many(60, (at) => ({ texts: [`look at package.json ${at}`, `done, ${longer}`] }));
    store = await storeOf([...alike, holds("apart", texts)]);

    expect((await idsOf("zorblax package.json"))[0]).toBe("apart");
  });

  it("counts fully for a session that holds it exactly, less for one that holds only its words", async () => {
    const words = "zorblax and the package json here, package json and json package";
    const texts = [words, `zorblax, ${longer} ${longer}`];
    const exact = `Our package.json, ${longer} ${longer} ${longer}`;
    store = await storeOf([
      ...flood,
      holds("apart", [...texts, exact]),
      holds("inexact", [...texts, longer]),
    ]);
    const query = "zorblax package.json";
    const asked = { query, limit: 100, explain: true };
    const { sessions, explanation } = await search(store.sessions, asked);
    const votes = explanation?.arms.find(({ name }) => name === "literal")?.sessions;

    expect(sessions[0]?.session_id).toBe("apart");
    expect(votes).toMatchObject({ apart: 1, inexact: 0.3 });
  });

  it("does not count where only its words stand", async () => {
    const texts = [`Of the zorblax plugin, json is no package, ${longer}`];
    store = await storeOf([...flood, holds("inexact", texts)]);

    expect((await idsOf("zorblax package.json"))[0]).not.toBe("inexact");
  });
});

describe("a session that repeats a literal in more messages than a search reads", () => {
  it.each([
    ["package.json", "json package", "the engines field of package.json is the same everywhere"],
    ['"package.json"', "json package", "the engines field of package.json is the same everywhere"],
    ["__add__", "add it", `what __add__ returns is another number, ${longer}`],
    ["缓存", "存缓", `这里缓存不对, ${longer}`],
  ])("hides no other session that holds %s", async (query, inexact, held) => {
    store = await storeOf([
      { id: "huge", texts: Array.from({ length: 60 }, (_, at) => `see ${query} ${at}`) },
      ...many(20, (at) => ({ texts: [`${inexact} ${at}, ${inexact}`, "fine"] }), "inexact"),
      ...many(5, (at) => ({ day: "2025-01-01", texts: [`${held} ${at}`] }), "holder"),
    ]);
    const first = (await idsOf(query)).slice(0, 6);

    expect(first.filter((id) => id.startsWith("inexact"))).toEqual([]);
    expect(first).toHaveLength(6);
  });
});

it("ranks a Korean sentence by its rare word, although each of its words is a literal", async () => {
  const texts = (at: number): string[] => [`이 문제가 왜 자꾸 생기는지 확인해 주세요 ${at}`];
  store = await storeOf([
    ...many(60, (at) => ({ texts: texts(at) })),
    { id: "rare", day: "2025-01-01", texts: ["쿼카 인증서가 만료되었다"] },
  ]);

  expect((await idsOf("이 문제가 왜 자꾸 생기는지 쿼카"))[0]).toBe("rare");
});

describe("when more matches are equal than a search reads", () => {
  const dayOf = (at: number): string =>
    new Date(Date.UTC(2025, 0, 1) + at * 86_400_000).toISOString().slice(0, 10);
  const equal = (count: number): Chat[] =>
    many(count, (at) => ({ day: dayOf(at), texts: ["run the linter please", "All clean now."] }));

  it.each([
    ["linter", 30],
    ["linter", 90],
    ["linter", 300],
    ["run the linter", 90],
    ['"run the linter"', 90],
    ["clean linter", 90],
    // Nothing but a scan finds it.
    ["linte", 90],
  ])("lists the newest matches for %s first, out of %i", async (query, count) => {
    store = await storeOf(equal(count));
    const newest = Array.from({ length: 10 }, (_, at) => `other${count - 1 - at}`);

    expect(await idsOf(query, 10)).toEqual(newest);
  });

  it.each([
    ["indexed", true],
    ["not indexed yet", false],
  ])("scores the newest as it was found and lists it first, %s", async (_, isFolded) => {
    store = await storeOf(equal(90), { isFolded });
    const { sessions } = await search(store.sessions, { query: "linter", min_score: 0.5 });

    expect(sessions[0]).toMatchObject({ session_id: "other89", matches: [{ score: 0.6549 }] });
  });

  it("lists the newest first in a search by meaning too", async () => {
    store = await storeOf(equal(90));
    const embedder = fakeEmbedder({ meanings: { lint: "linter" } });
    await embedAll(store.sessions, embedder);
    const { sessions } = await search(store.sessions, { query: "lint" }, { embedder });

    expect(sessions[0]?.session_id).toBe("other89");
  });

  it("shows a match that holds more of the query before the equal ones", async () => {
    const texts = ["run the linter please, and the zebra", "All clean now."];
    store = await storeOf([...equal(90), { id: "more", day: "2024-01-01", texts }]);

    expect((await idsOf("linter zebra", 3)).slice(0, 2)).toEqual(["more", "other89"]);
  });

  it("shows the first of the equal messages of each session", async () => {
    const texts = Array.from({ length: 9 }, () => "run the linter please");
    store = await storeOf(many(6, (at) => ({ day: dayOf(at), texts })));
    const { sessions } = await search(store.sessions, { query: "linter" });

    expect(sessions.map(({ matches }) => matches.map(({ message_id: id }) => id))).toEqual(
      Array.from({ length: 6 }, (_, at) => [`other${5 - at}-0`]),
    );
  });
});
