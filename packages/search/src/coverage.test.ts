import fc from "fast-check";
import { expect, it } from "vitest";
import { toCoverage } from "./coverage.ts";
import { parseQuery } from "./query.ts";

const cases: [string, string, number][] = [
  ["retry backoff", "the backoff of a retry", 1],
  ["retry backoff", "retry at once", 0.5],
  ["retry backoff", "nothing of it", 0],
  ["painting sunrises", "she painted a sunrise", 1],
  ["cat", "a category of its own", 0],
  ["cat", "a cat.", 1],
  ["the plan", "the other", 0.2],
  ["索引 内存", "重建索引时", 0.5],
  ["a.b* (c", "A.B* (C", 1],
  ["python3", "use python3 here", 1],
  ["python3", "use python37 here", 0],
  ["iphone15pro timeout", "an iPhone15Pro", 0.5],
  ["x86assembly", "x86assembler", 1],
  ["ΜΑΘΗΣΗ", "η μαθηση", 1],
  ["ΛΟΣ", "ο λος", 1],
  ["Straße", "in der STRAßENBAHN", 1],
  ["docker api", "Docker에서 API를 호출", 1],
  ["docker api", "用Docker运行API", 1],
  ["cat", "用category运行", 0],
  ["painting", "彼がpaintsする", 1],
  ["config", "ไฟล์configอยู่", 1],
  ["warning", "⚠️Warning: full", 1],
  ["install", "1️⃣Install it", 1],
  ["lock ⚠️", "a ❤️ locked", 0],
];

it.each(cases)("measures how much of the query %j the text %j holds", (query, text, share) => {
  expect(toCoverage(parseQuery(query))(text).share).toBeCloseTo(share);
});

it("counts the function words of the query that a text holds", () => {
  const coverage = toCoverage(parseQuery("why was the index of it empty"));

  expect(coverage("The index was rebuilt").functionWords).toBe(2);
  expect(coverage("index empty").functionWords).toBe(0);
});

const pairs: [string, string, number][] = [
  ["adopt a dog", "we adopted a dog", 1],
  ["write the bool value", "bool value or the value of a bool", 0.444],
  ["bool value", "value bool", 0],
  ["bool value", "bool_value", 1],
  ["bool value", "bool\n\n**values**", 1],
  ["bool value", "text, bool, value, list", 0],
  ["paint sunrise", "paints at sunrise", 0],
  ["cat food", "cat, a category, a cat food", 1],
  ["cat food", "cat foodstuff", 0],
  ["food", "food food", 0],
  ["crash package.json", "a package.json", 0],
  ["crash package.json", "the crash of a crash `package.json`", 1],
  ["索引重建", "先重建,索引重建", 1],
  ["索引重建", "重建索引", 0],
  ["disk full", "disk ⚠️ full", 1],
  ["disk 🔥 full", "disk full", 1],
  ["disk ❤️ full", "disk full", 1],
  ["docker 运行", "用Docker运行", 1],
  ["用 docker", "用Docker运行", 1],
  ["adopted 犬", "adopts犬", 1],
];

it.each(pairs)(
  "measures how much of the query %j stands side by side in the text %j",
  (query, text, share) => {
    expect(toCoverage(parseQuery(query))(text).sideBySide).toBeCloseTo(share);
  },
);

const odd = [
  ...["food", "Food", "cat", "the", "running", "it's", "x", "foo_bar", "HttpServer", "mp3", "C++"],
  ...["索引", "重建", "日本語", "を", "데이터", "서버", "ไทย", "שלום", "مرحبا", "می\u200cخواهم"],
  ...["e\u0301", "é", "İstanbul", "straße", "ΜΑΘΗΣΗ", "λόγος", "स्थान", "x²"],
];
const signs = [" ", "  ", "\n", ",", "。", "-", '"', "\u0301", "\ud800", "\0", "👩‍👩‍👧", "❤️"];
const texts = fc
  .array(fc.constantFrom(...odd, ...signs, " "), { maxLength: 30 })
  .map((pieces) => pieces.join(""));

it("gives shares from 0 to 1 for any query and any text", () => {
  fc.assert(
    fc.property(texts, texts, (asked, text) => {
      const query = parseQuery(`cat ${asked}`);
      const { share, sideBySide } = toCoverage(query)(text);
      for (const each of [share, sideBySide]) {
        expect(each).toBeGreaterThanOrEqual(0);
        expect(each).toBeLessThanOrEqual(1 + Number.EPSILON * 8);
      }
    }),
  );
});

it("finds all words of a query side by side in the query's own text", () => {
  const words = fc.array(fc.constantFrom(...odd), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(words, fc.constantFrom(" ", " ❤️ ", " 🔥 "), (words, between) => {
      const query = parseQuery(words.join(between));
      expect(toCoverage(query)(query.text).sideBySide).toBeCloseTo(1);
    }),
  );
});
