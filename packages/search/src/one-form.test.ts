import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { search } from "./search.ts";
import { toSearchForm } from "./search-form.ts";
import { storeOf, type TestStore } from "./testing.ts";

type Form = "NFC" | "NFD";

// What was said, and a word of it, both in one form.
const said: readonly (readonly [string, string, string])[] = [
  ["french", "La crème brûlée est prête à être servie", "brûlée"],
  ["vietnamese", "Đường phố Hà Nội rất đông vào buổi sáng", "đường"],
  ["korean", "색인을 다시 만들고 검색을 시험합니다", "검색을"],
  ["japanese", "バックアップのデータがこわれた", "データ"],
];

function inForm(form: Form, [id, text]: readonly [string, string, string]) {
  return { id: `${id}-${form}`, texts: [`${"x ".repeat(200)}${text.normalize(form)}. Ende`, "ok"] };
}

let store: TestStore;
beforeAll(async () => {
  const others = ["cafe creme me tie ng vie t", "データベース", "검", "brulee duong"];
  store = await storeOf([
    ...said.flatMap((each) => [inForm("NFC", each), inForm("NFD", each)]),
    ...others.map((text, at) => ({ id: `other-${at}`, texts: [text] })),
    { id: "wide", texts: ["ＡＰＩ の ﾃﾞｰﾀｾﾞﾛ"] },
    { id: "narrow", texts: ["the API and デ"] },
    { id: "signs", texts: ["قال الخادم شُكْرًا ثم توقّف"] },
    { id: "no-signs", texts: ["ثم شكرا مرة أخرى"] },
  ]);
});
afterAll(() => store.remove());

/** The first of what was found: sessions, and what is marked in their snippets. */
async function found(query: string, more: object = {}): Promise<Record<string, string[]>> {
  const { sessions } = await search(store.sessions, { query, ...more });
  return Object.fromEntries(
    sessions.slice(0, 2).map(({ session_id, matches: [match] }) => {
      const { text = "", highlights = [] } = match?.snippet ?? {};
      return [session_id, highlights.map(([start, end]) => text.slice(start, end))];
    }),
  );
}

describe.each(said)("text in NFC and NFD (search-language-neutral-index): %s", (id, text, word) => {
  const both = (what: string) => ({
    [`${id}-NFC`]: [what.normalize("NFC")],
    [`${id}-NFD`]: [what.normalize("NFD")],
  });
  const written = text.match(new RegExp(word, "iu"))?.[0] ?? "";

  it.each<Form>(["NFC", "NFD"])(
    "is found in both forms and highlighted by a word in %s",
    async (form) => {
      expect(await found(word.normalize(form))).toEqual(both(written));
    },
  );

  it.each<[string, string, object]>([
    ["a filtered query", word, { role: "user" }],
    ["a phrase", `"${word}"`, {}],
    ["a required word", `+${word}`, {}],
  ])("is found in both forms by %s in NFD", async (_, query, more) => {
    expect(Object.keys(await found(query.normalize("NFD"), more)).sort()).toEqual(
      Object.keys(both(word)),
    );
  });

  it("is excluded in both forms", async () => {
    const { sessions } = await search(store.sessions, { query: `Ende -${word}`.normalize("NFD") });

    expect(sessions.length).toBe(6);
    expect(sessions.filter(({ session_id }) => session_id.startsWith(id))).toEqual([]);
  });

  it("is shown as it was written", async () => {
    const { sessions } = await search(store.sessions, { query: word });

    const texts = sessions.flatMap(({ session_id, matches }) =>
      session_id.startsWith(id) ? matches.map((match) => [session_id, match.text]) : [],
    );
    expect(Object.fromEntries(texts)).toEqual({
      [`${id}-NFC`]: inForm("NFC", [id, text, word]).texts[0],
      [`${id}-NFD`]: inForm("NFD", [id, text, word]).texts[0],
    });
  });
});

it.each([
  ["API", { wide: ["ＡＰＩ"], narrow: ["API"] }],
  ["ＡＰＩ", { wide: ["ＡＰＩ"], narrow: ["API"] }],
  ["データゼロ", { wide: ["ﾃﾞｰﾀｾﾞﾛ"] }],
])("finds %s in every character width", async (query, expected) => {
  expect(await found(query)).toMatchObject(expected);
});

it.each([
  ["شكرا", {}],
  ["شُكرًا", {}],
  ['"شكرا"', {}],
  ["+شكرا", {}],
  ["شكرا", { role: "user" }],
])("finds %s %j with vowel signs and without, and marks all of it", async (query, more) => {
  expect(await found(query, more)).toEqual({ signs: ["شُكْرًا"], "no-signs": ["شكرا"] });
});

describe("text that an earlier version stored without normalizing it", () => {
  let old: TestStore;
  beforeAll(async () => {
    old = await storeOf([{ id: "old", texts: ["nothing"] }], { isFolded: false });
    const messages = old.sessions.store.table("messages");
    const columns = Object.keys(messages.declaration.columns);
    const [row = {}] = await messages.rows({ columns, limit: 1 });
    const texts = said.map(([, text]) => text.normalize("NFD"));
    await messages.insert({
      ...Object.fromEntries(columns.map((name) => [name, texts.map(() => row[name] ?? null)])),
      id: texts.map((_, at) => `typed-${at}`),
      search_text: texts,
    });
  });
  afterAll(() => old.remove());

  it.each(said)("is found by a phrase and highlighted: %s", async (_, text, word) => {
    // Within words it is looked for in three cases, and this is none of them: Đường.
    const written = text.match(new RegExp(word, "iu"))?.[0] ?? "";

    const { sessions } = await search(old.sessions, { query: `"${written}"` });

    const [{ matches = [] } = {}] = sessions;
    const [{ snippet } = {}] = matches;
    expect(snippet?.text).toBe(text.normalize("NFD"));
    const marked = snippet?.highlights.map(([start, end]) => snippet.text.slice(start, end));
    expect(marked).toEqual([written.normalize("NFD")]);
  });
});

describe("toSearchForm", () => {
  it("maps every place back to whole characters of the written text", () => {
    const units = fc.constantFrom("a", "e\u0301", "\u1112\u1161\u11ab", "Ａ", "ﾃﾞ", "é", "中");
    fc.assert(
      fc.property(fc.array(units), fc.nat(), fc.nat(), (written, one, other) => {
        const { text, startOf, endOf } = toSearchForm(written.join(""));
        const places = [one, other].map((at) => at % (written.length + 1));
        const [from, to] = [Math.min(...places), Math.max(...places)];

        // Each unit is one code unit as it is searched.
        expect(text.length).toBe(written.length);
        if (from === to) return;
        const expected = written.slice(from, to).join("");
        expect(written.join("").slice(startOf(from), endOf(to))).toBe(expected);
      }),
    );
  });

  it("maps the ends of any text to the ends of the written text", () => {
    const marks = fc.constantFrom(
      "a",
      "\u0301",
      "\u0323",
      "\u1100",
      "\u1161",
      "\u11a8",
      "가",
      "ｶ",
      "ﾞ",
      "\u064e",
    );
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: marks }));
    fc.assert(
      fc.property(texts, (written) => {
        const { text, startOf, endOf } = toSearchForm(written);

        expect([startOf(0), endOf(text.length)]).toEqual([0, written.length]);
      }),
      { numRuns: 1_000 },
    );
  });
});
