import { windowText } from "@pond/sessions/search";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery } from "./query.ts";
import { prefixOf, toHighlighter, toSnippet } from "./snippet.ts";

/** A snippet with its highlights in brackets. */
function marked(text: string, query: string): string {
  const snippet = toSnippet(text, toHighlighter(parseQuery(query)));
  let at = 0;
  let out = "";
  for (const [start, end] of snippet.highlights) {
    out += `${snippet.text.slice(at, start)}[${snippet.text.slice(start, end)}]`;
    at = end;
  }
  return out + snippet.text.slice(at);
}

describe("toSnippet", () => {
  it.each([
    ["words in any case", "Retry the RETRY", "retry", "[Retry] the [RETRY]"],
    ["whole words only", "retrying a retry, preretry", "retry", "retrying a [retry], preretry"],
    ["words beside underscores", "max_retry_count", "retry", "max_[retry]_count"],
    ["no function words", "why the index is empty", "why is the index", "why the [index] is empty"],
    ["function words when the query has no others", "to be or not", "to be", "[to] [be] or not"],
    [
      "a phrase as one piece",
      "an exact match, exact",
      '"exact match"',
      "an [exact match], [exact]",
    ],
    ["Chinese within a sentence", "全文索引很快", "索引", "全文[索引]很快"],
    ["text after emoji", "👩‍👩‍👧 deploy 🚀 failed", "deploy failed", "👩‍👩‍👧 [deploy] 🚀 [failed]"],
    [
      "a word before a Korean particle",
      "Docker에서 API를 v2로",
      "api docker",
      "[Docker]에서 [API]를 v2로",
    ],
    [
      "other forms of a Korean word",
      "새데이터베이스 데이터베이스를",
      "데이터베이스는",
      "새데이터베이스 [데이터베이스를]",
    ],
    ["a word within Chinese", "用Docker运行API", "api docker", "用[Docker]运行[API]"],
    ["a word within Japanese", "サーバーAPIを叩く", "api", "サーバー[API]を叩く"],
    ["a word within Thai", "ไฟล์configอยู่", "config", "ไฟล์[config]อยู่"],
    ["no part of a word within Chinese", "用category运行", "cat", "用category运行"],
    [
      "another form of a word within Chinese",
      "用refactored代码",
      "refactoring",
      "用[refactored]代码",
    ],
    ["a name within Chinese", "调用getUserName方法", "getUserName", "调用[getUserName]方法"],
    ["a number within Chinese", "第12章", "12", "第[12]章"],
    ["a word right after an emoji with a variation selector", "⚠️Warning", "warning", "⚠️[Warning]"],
    ["another form of a word right after an emoji", "⚠️Refactored", "refactoring", "⚠️[Refactored]"],
    ["a word right after a keycap digit", "1️⃣Install", "install", "1️⃣[Install]"],
    ["no emoji's variation selector", "❤️ the ⚠️ lock", "❤️lock", "❤️ the ⚠️ [lock]"],
    ["a keycap digit as a whole", "step 1️⃣", "1️⃣", "step [1️⃣]"],
    ["no part of a word with a combining mark", "cafe\u0301 cafe", "cafe", "cafe\u0301 [cafe]"],
    [
      "a word after letters that lower case lengthens",
      "İstanbul İ index",
      "index",
      "İstanbul İ [index]",
    ],
    [
      "a word beside control characters",
      "\u001b[31mred\u0000error",
      "error",
      "\u001b[31mred\u0000[error]",
    ],
    ["Ukrainian words", "Пошук у Тексті", "пошук тексті", "[Пошук] у [Тексті]"],
    ["letters outside the basic plane", "𝐟𝐚𝐬𝐭 x 𝐟𝐚𝐬𝐭er", "𝐟𝐚𝐬𝐭", "[𝐟𝐚𝐬𝐭] x 𝐟𝐚𝐬𝐭er"],
    ["symbols as they are", "a -> b", '"->"', "a [->] b"],
    ["a phrase that looks like a pattern", "f(a|b)* c", '"f(a|b)*"', "[f(a|b)*] c"],
    [
      "a part of a name",
      "the adapter_bounded_values",
      "bounded_val",
      "the adapter_[bounded_val]ues",
    ],
    [
      "a whole name rather than a part of a longer one",
      "bounded_values, bounded_val",
      "bounded_val",
      "bounded_values, [bounded_val]",
    ],
    ["kana, but not with a combining mark", "さ\u3099 さ", "さ", "さ\u3099 [さ]"],
    ["no part of a letter with a combining mark", "x_caq\u0301", "x_caq", "x_caq\u0301"],
    ["other forms of a long word", "they refactored it", "refactoring", "they [refactored] it"],
    ["no other form beside the word itself", "tests, tested", "tested", "tests, [tested]"],
    ["other forms of a word with ß", "die Straßenbahn", "strasse", "die [Straßenbahn]"],
    ["other forms of a word in capitals", "DIE STRASSENBAHN", "Straße", "DIE [STRASSENBAHN]"],
    ["other forms of a word with a dotless i", "kapıların önü", "kapılar", "[kapıların] önü"],
    [
      "other forms of a word with a dotless i, in capitals",
      "KAPILARIN ÖNÜ",
      "kapılar",
      "[KAPILARIN] ÖNÜ",
    ],
    ["other forms of a word with a dotted capital i", "İstanbul'a", "istanbullu", "[İstanbul]'a"],
    [
      "a word with a zero-width non-joiner",
      "من می\u200cخواهم بروم",
      "بروم می\u200cخواهم",
      "من [می\u200cخواهم] [بروم]",
    ],
    ["letters joined by a zero-width joiner", "ශ්\u200dරී ලංකා", "ලංකා ශ්\u200dරී", "[ශ්\u200dරී] [ලංකා]"],
    [
      "other forms of a word with a zero-width non-joiner",
      "کتابهای\u200cشان",
      "کتابها",
      "[کتابهای\u200cشان]",
    ],
    [
      "other forms of a word with combining marks",
      "die Ma\u0308nnern",
      "Männer",
      "die [Ma\u0308nnern]",
    ],
  ])("highlights %s", (_, text, query, expected) => {
    expect(marked(text, query)).toBe(expected);
  });

  it("shows the densest cluster of matches in a long text, cut between words", () => {
    const filler = "nothing of interest is said in this part of the message at all. ";
    const text = `timeout ${filler.repeat(20)}The retry hit a timeout in backoff. ${filler.repeat(20)}`;

    const snippet = marked(text, "retry timeout backoff");

    expect(snippet).toContain("The [retry] hit a [timeout] in [backoff].");
    expect(snippet).toMatch(/^…\w+ .* \w+…$/);
  });

  it("does not let one frequent word hide the place where all words are", () => {
    const text = `${"error ".repeat(40)}${"x ".repeat(200)}error in the parser${" y".repeat(200)}`;

    expect(marked(text, "error parser")).toContain("[error] in the [parser]");
  });

  it("shows the beginning of a phrase that is longer than a snippet", () => {
    const phrase = "lorem 👩‍👩‍👧 ".repeat(1_000).trim();

    const { text, highlights } = toSnippet(phrase, toHighlighter(parseQuery(`"${phrase}"`)));

    expect(text.length).toBeLessThan(300);
    expect(text.isWellFormed()).toBe(true);
    expect(highlights).toEqual([[0, text.length - 1]]);
  });

  it("shows the place of another form of a word, not the beginning", () => {
    const filler = "nothing of interest is said in this part of the message at all. ";
    const text = `${filler.repeat(20)}The walrus was refactored. ${filler.repeat(20)}`;

    const { text: shown } = toSnippet(text, toHighlighter(parseQuery("refactoring")));

    expect(shown).toContain("The walrus was refactored.");
  });

  it("searches only the beginning of a huge text", () => {
    const text = `${"word ".repeat(400_000)}needle`;

    expect(toSnippet(text, toHighlighter(parseQuery("needle"))).highlights).toEqual([]);
  });

  it("keeps offsets exact and splits no grapheme at the edges, whatever the text", () => {
    const unit = fc.oneof(
      fc.string({ unit: "grapheme-composite", maxLength: 12 }),
      fc.constantFrom(
        "needle",
        "Needle ",
        " ",
        "索引",
        "👩‍👩‍👧",
        "e\u0301",
        "\u0000",
        "İ",
        "haystack ",
      ),
    );
    const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 200 }), (units) => {
        const text = units.join("");
        const snippet = toSnippet(text, toHighlighter(parseQuery("needle 索引")));
        const body = snippet.text.replace(/^…/, "").replace(/…$/, "");
        const found = snippet.highlights.map(([start, end]) => snippet.text.slice(start, end));

        expect(text.includes(body) || text.includes(snippet.text)).toBe(true);
        expect(found.every((each) => /^(needl[\p{L}\p{M}]*|索引)$/iu.test(each))).toBe(true);
        expect(snippet.text.isWellFormed()).toBe(true);
        const starts = new Set([...segmenter.segment(snippet.text)].map(({ index }) => index));
        const cut = snippet.text.startsWith("…") && !text.startsWith("…") ? 1 : 0;
        expect(text === "" || starts.has(cut)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

/** Words of several scripts, and what surrounds words in real texts. */
const words = [
  "needle",
  "STRASSE",
  "пошук",
  "λόγος",
  "索引",
  "メモリ",
  "ดัชนี",
  "𝐟𝐚𝐬𝐭",
  "café",
  "x1",
];
const word = fc.constantFrom(...words);
const piece = fc.oneof(
  { weight: 3, arbitrary: word },
  word.map((each) => each.toUpperCase()),
  fc.constantFrom(
    " ",
    "  ",
    "\n",
    "-",
    "_",
    "'",
    "👩‍👩‍👧",
    "🇺🇦",
    "e\u0301",
    "\u0301",
    "\u0000",
    "İ",
    "ß",
  ),
  fc.string({ unit: "grapheme", maxLength: 30 }),
);

describe("highlights", () => {
  it("are ordered, separate words of the query or other forms of them, and split no character", () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 120 }),
        fc.uniqueArray(word, { minLength: 1, maxLength: 4 }),
        (pieces, asked) => {
          const text = pieces.join("").toWellFormed();
          const snippet = toSnippet(text, toHighlighter(parseQuery(asked.join(" "))));
          const folded = asked.map((each) => each.toUpperCase());
          const stems = folded.map(windowText).filter((stem) => windowText(`${stem}A`) === stem);
          let last = 0;
          for (const [start, end] of snippet.highlights) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            expect(end).toBeLessThanOrEqual(snippet.text.length);
            const marked = snippet.text.slice(start, end);
            expect(marked.isWellFormed()).toBe(true);
            const written = marked.toUpperCase();
            const isForm = stems.some((stem) => written.startsWith(stem));
            expect(isForm || folded.includes(written)).toBe(true);
            last = end;
          }
          expect(snippet.text.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("mark every whole word of the query in a short text", () => {
    const gap = fc.constantFrom(" ", "\n", " 🚀 ", " - ", "。");
    fc.assert(
      fc.property(fc.array(fc.tuple(gap, word), { minLength: 1, maxLength: 15 }), (pairs) => {
        const text = pairs.flat().join("");
        const asked = pairs[0]?.[1] ?? "";
        const { highlights } = toSnippet(text, toHighlighter(parseQuery(asked)));

        expect(highlights.map(([start]) => start)).toEqual(
          [...text.matchAll(new RegExp(asked, "gu"))].map(({ index }) => index),
        );
      }),
    );
  });
});

describe("prefixOf", () => {
  it("cuts between words, or between graphemes if there is no space", () => {
    expect(prefixOf("short", 300)).toBe("short");
    expect(prefixOf("one two three", 9)).toBe("one two");
    expect(prefixOf("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 12)).toBe("👩‍👩‍👧");
  });
});
