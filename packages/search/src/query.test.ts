import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QueryError } from "./errors.ts";
import {
  contentTerms,
  isOneLiteral,
  isScoredByLiteral,
  type ParsedQuery,
  parseQuery,
} from "./query.ts";

/** The parsed query in one line a field, to compare whole. */
function read(query: string): Record<string, string> {
  const { terms, literals, required, excluded } = parseQuery(query);
  return {
    terms: terms.map(({ word, weight }) => `${word}*${weight}`).join(" "),
    literals: literals.join(" | "),
    required: required.join(" | "),
    excluded: excluded.join(" | "),
  };
}

const nothing = { literals: "", required: "", excluded: "" };

describe("parseQuery", () => {
  it.each([
    ["plain words", "retry backoff", { ...nothing, terms: "retry*4 backoff*4" }],
    ["no words in emoji", "⚠️ retry 🔥 ✔️backoff", { ...nothing, terms: "retry*4 backoff*4" }],
    ["a short word after an emoji", "⚠️索引", { ...nothing, terms: "索引*4", literals: "索引" }],
    ["a name after an emoji", "x ⚠️get_it", { ...nothing, terms: "x*4 get*1 it*1 getit*2" }],
    [
      "a variation selector inside a word",
      "ᠮᠣᠩᠭᠣᠯ\u180bᠳ",
      { ...nothing, terms: "ᠮᠣᠩᠭᠣᠯ\u180bᠳ*4" },
    ],
    ["a repeated word as one", "retry Retry", { ...nothing, terms: "retry*4" }],
    [
      "function words",
      "what is the backoff?",
      { ...nothing, terms: "what*1 is*1 the*1 backoff*4" },
    ],
    [
      "a phrase",
      '"exact words" here',
      { ...nothing, terms: "exact*4 words*4 here*1", literals: "exact words" },
    ],
    [
      "curly and corner quotes",
      "“one two” 「三四」",
      { ...nothing, terms: "one*4 two*4 三*4 四*4", literals: "one two | 三四" },
    ],
    ["an unbalanced quote", 'say "hello', { ...nothing, terms: "say*4 hello*4" }],
    ["empty quotes", '"" word', { ...nothing, terms: "word*4" }],
    ["a required word", "+must may", { ...nothing, terms: "must*1 may*1", required: "must" }],
    [
      "a required phrase",
      '+"both words" x',
      { ...nothing, terms: "both*1 words*4 x*4", literals: "both words", required: "both words" },
    ],
    ["an excluded word", "error -timeout", { ...nothing, terms: "error*4", excluded: "timeout" }],
    [
      "an excluded phrase",
      'error -"time out"',
      { ...nothing, terms: "error*4", excluded: "time out" },
    ],
    [
      "signed words in a list and with apostrophes",
      "alpha, -beta, -delta! +don't -l'index",
      {
        ...nothing,
        terms: "alpha*4 don*1 t*1",
        required: "don't",
        excluded: "beta | delta | l'index",
      },
    ],
    [
      "an excluded call, a required name and a flag",
      "x -foo() +C++ -D=1",
      { ...nothing, terms: "x*4 C*4 D*4 1*4", required: "C++", excluded: "foo" },
    ],
    ["excluded punctuation", 'then -"->"', { ...nothing, terms: "then*1", excluded: "->" }],
    ["a name that ends in a sign", "C#", { ...nothing, terms: "C*4", literals: "C#" }],
    [
      "a sentence with a name that ends in a sign",
      "sort in C#",
      { ...nothing, terms: "sort*4 in*1 C*4" },
    ],
    ["an issue number", "bug #58", { ...nothing, terms: "bug*4 58*4", literals: "#58" }],
    ["a merge request number", "!58", { ...nothing, terms: "58*4", literals: "!58" }],
    ["a letter whose lower case is two characters", "İzmir", { ...nothing, terms: "İzmir*4" }],
    ["short flags", "rm -rf", { ...nothing, terms: "rm*4 rf*4" }],
    ["long flags", "--force now", { ...nothing, terms: "force*4 now*4", literals: "--force" }],
    ["signs that stand alone", "a - b + c", { ...nothing, terms: "a*4 b*4 c*4" }],
    ["numbers with signs", "+1 -1", { ...nothing, terms: "1*4" }],
    [
      "snake_case",
      "get_style_by_name",
      {
        ...nothing,
        terms: "get*1 style*4 by*1 name*4 getstylebyname*2",
        literals: "get_style_by_name",
      },
    ],
    [
      "camelCase with its pieces",
      "parseHTTPBody",
      { ...nothing, terms: "parseHTTPBody*4 parse*2 http*2 body*2", literals: "parseHTTPBody" },
    ],
    [
      "the name of a type in a sentence",
      "why OrderSagaPolicy waits",
      {
        ...nothing,
        terms: "why*1 OrderSagaPolicy*4 waits*4 order*2 saga*2 policy*2",
        literals: "OrderSagaPolicy",
      },
    ],
    [
      "a brand in a sentence",
      "why GitHub waits",
      { ...nothing, terms: "why*1 GitHub*4 waits*4 git*2 hub*2" },
    ],
    [
      "the name of a type alone",
      "OrderSaga",
      { ...nothing, terms: "OrderSaga*4 order*2 saga*2", literals: "OrderSaga" },
    ],
    [
      "a path in brackets",
      "(src/full-text.ts)",
      { ...nothing, terms: "src*4 full*4 text*4 ts*4 fulltext*2", literals: "src/full-text.ts" },
    ],
    ["prose with a slash", "client/server code", { ...nothing, terms: "client*4 server*4 code*4" }],
    [
      "words with a slash alone, as a literal",
      "client/server",
      { ...nothing, terms: "client*4 server*4", literals: "client/server" },
    ],
    [
      "a hyphen in prose, and a hyphenated name in backticks",
      "a long-running `react-query` test",
      {
        ...nothing,
        terms: "a*4 long*4 running*4 react*4 query*4 test*4 longrunning*2 reactquery*2",
        literals: "react-query",
      },
    ],
    ["a word with an apostrophe", "don't", { ...nothing, terms: "don*1 t*1" }],
    [
      "a version at the end of a sentence",
      "upgrade to v1.2.3.",
      { ...nothing, terms: "upgrade*4 to*1 v1*4 2*4 3*4", literals: "v1.2.3" },
    ],
    [
      "a short word in a script without spaces",
      "索引",
      { ...nothing, terms: "索引*4", literals: "索引" },
    ],
    [
      "a name first, and short words as far as there is room",
      "이 문제가 왜 자꾸 package.json",
      {
        ...nothing,
        terms: "이*4 문제가*4 왜*4 자꾸*4 package*4 json*4",
        literals: "package.json | 이 | 문제가 | 왜",
      },
    ],
    ["Korean words", "로그 확인", { ...nothing, terms: "로그*4 확인*4", literals: "로그 | 확인" }],
    [
      "a commit hash",
      "revert 9f8e7d6",
      { ...nothing, terms: "revert*4 9f8e7d6*4", literals: "9f8e7d6" },
    ],
    [
      "digits or letters alone, which are no commit hash",
      "1234567 deadbeef",
      { ...nothing, terms: "1234567*4 deadbeef*4" },
    ],
    ["punctuation alone", "->", { ...nothing, terms: "" }],
    ["control characters between words", "a\u0000b\u001b[31m", { ...nothing, terms: "a*4 b*4" }],
    [
      "terminal colours and links",
      "\u001b[1;31mwalrus\u001b[0m \u001b]8;;file:///x\u0007seal\u001b]8;;\u001b\\",
      { ...nothing, terms: "walrus*4 seal*4" },
    ],
    [
      "the signs of a pasted diff as text",
      "-const alpha = 1;\n+const beta = 2;",
      { ...nothing, terms: "const*4 alpha*4 1*4 beta*4 2*4" },
    ],
    [
      "a trailing line break, which makes no second line",
      "error -timeout\n",
      { ...nothing, terms: "error*4", excluded: "timeout" },
    ],
    [
      "a word both excluded and required as a plain word",
      "-const alpha +Const beta -gamma",
      { ...nothing, terms: "const*4 alpha*4 beta*4", excluded: "gamma" },
    ],
  ])("reads %s", (_, query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  it("gives less weight to function words of the query's language only", () => {
    expect(read("der Fehler in die Konsole")["terms"]).toBe("der*1 Fehler*4 in*1 die*1 Konsole*4");
    expect(read("how did the war end and why")["terms"]).toBe(
      "how*1 did*1 the*1 war*4 end*4 and*1 why*1",
    );
    expect(read("как работает индекс и почему")["terms"]).toBe(
      "как*1 работает*4 индекс*4 и*1 почему*1",
    );
    expect(read("为什么 索引 是 空")["terms"]).toBe("为什么*1 索引*4 是*1 空*4");
  });

  it.each(["go", "ai", "ci", "os", "car", "war", "mit", "sin", "bin"])(
    "does not take %s in an English query for a function word of another language",
    (word) => {
      expect(read(`fix the ${word} test`)["terms"]).toBe(`fix*4 the*1 ${word}*4 test*4`);
      expect(read(`${word} build timeout`)["terms"]).toBe(`${word}*4 build*4 timeout*4`);
    },
  );

  it.each([
    ["setupListener()", "setupListener"],
    ["`init_ies(a,", "init_ies"],
    ["obj.method(x).", "obj.method"],
    ["memory_map.h:5", "memory_map.h:5"],
    ["(src/lib.rs:95:7)", "src/lib.rs:95:7"],
    ["D:\\a\\b\\c.cs:8", "D:\\a\\b\\c.cs:8"],
    ["10.0.0.1:8080,", "10.0.0.1:8080"],
    ["<ada.l@lace.example>", "ada.l@lace.example"],
    ["next@15.5.2", "next@15.5.2"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell has it
    ["${CODEX_HOME}", "CODEX_HOME"],
    ["a_b", "a_b"],
    ["`x_1`,", "x_1"],
    ["docker-compose.yml:3", "docker-compose.yml:3"],
    ["v8.5.6-rc.5", "v8.5.6-rc.5"],
    ["@scope/name@^1.2.3", "@scope/name@^1.2.3"],
    ["git@lace.example:a/b.git.", "git@lace.example:a/b.git"],
    ["lace.example/a/b:1.2-slim", "lace.example/a/b:1.2-slim"],
    ["(lace/pond#58)", "lace/pond#58"],
    ["https://lace.example/a?b=1#c,", "https://lace.example/a?b=1#c"],
    ["NODE_ENV=test", "NODE_ENV=test"],
    ["--max-size=40", "--max-size=40"],
    ["user?.name", "user?.name"],
    ["argv[2]", "argv[2"],
    ["Vec<Row>", "Vec<Row"],
    ["POND-58", "POND-58"],
    ["UTF-8,", "UTF-8"],
    ["error[TS2345]", "error[TS2345"],
    ["TS2345:", "TS2345"],
    ["0x7FFE01", "0x7FFE01"],
    ["#a1deb0;", "#a1deb0"],
    ["fe80::1ff:fe23:4567:890a", "fe80::1ff:fe23:4567:890a"],
    ["2026-11-20T08:00:00.123Z", "2026-11-20T08:00:00.123Z"],
    [".card-title__icon--big", ".card-title__icon--big"],
    ["bm90IGEgc2VjcmV0IDE3==", "bm90IGEgc2VjcmV0IDE3=="],
    ["'lint-staged',", "lint-staged"],
    ["localhost:5432?", "localhost:5432"],
    ["src/**/*.ts,", "src/**/*.ts"],
    ["#dialGauge,", "dialGauge"],
    [":high_tide?", "high_tide"],
    ["/tide_report", "tide_report"],
    ['@TideDial("north").', "TideDial"],
    ["TideDial(2)", "TideDial"],
    ["8,996,521?", "8,996,521"],
    [".prettierignore?", ".prettierignore"],
  ])("finds the name in %s pasted into a question", (pasted, name) => {
    expect(parseQuery(`where is ${pasted}`).literals).toEqual([name]);
  });

  it.each([
    ["empty", ""],
    ["white space", " \n\t\u3000 "],
    ["control characters", "\u0000\u0007\u001b"],
    ["a noncharacter", "\uffff"],
    ["exclusions alone", '-timeout -"time out"'],
  ])("refuses a query (%s) and says what to write instead", (_, query) => {
    expect(() => parseQuery(query)).toThrow(QueryError);
    expect(() => parseQuery(query)).toThrow(/such as/);
  });

  it("keeps the few most telling words of a query of a megabyte", () => {
    const filler = "so it is what it was and then some more of that ";
    const query = `${filler.repeat(21_000)} ECONNRESET_4711 ${filler}`;

    const { terms, text } = parseQuery(query);

    expect(query.length).toBeGreaterThan(1_000_000);
    expect(terms.length).toBeLessThanOrEqual(48);
    expect(text.length).toBeLessThanOrEqual(200);
    expect(terms.map(({ word }) => word)).toEqual(expect.arrayContaining(["ECONNRESET", "4711"]));
  });

  it("limits the words and literals of a megabyte of distinct words and signs", () => {
    const query = Array.from({ length: 100_000 }, (_, at) => `+w${at} "p${at} q" -x${at}y`).join(
      " ",
    );

    const { terms, literals, required, excluded } = parseQuery(query);

    expect([terms.length, literals.length, required.length, excluded.length]).toEqual([
      48, 4, 0, 0,
    ]);
  });

  it("reads up to 128 signs as operators, and more as a pasted command", () => {
    const flags = (count: number) => Array.from({ length: count }, (_, at) => `-flag${at}`);
    const readOf = (query: readonly string[]) => {
      const { excluded, required, terms } = parseQuery(query.join(" "));
      return [required.length, excluded.length, terms.length];
    };

    expect(readOf(["gcc", ...flags(128)])).toEqual([0, 128, 1]);
    expect(readOf(["gcc", "+main", ...flags(127)])).toEqual([1, 127, 2]);
    expect(readOf(["gcc", ...flags(129)])).toEqual([0, 0, 48]);
  });

  it("strips a very long run of brackets from a name quickly", () => {
    // To try each of its places would not end within the time of a test.
    const brackets = "(".repeat(1_000_000);

    expect(parseQuery(`where is get_name${brackets}`).literals).toEqual(["get_name"]);
    expect(parseQuery(`a${brackets}a`).literals).toEqual([]);
  });

  it("throws only QueryError, and gives the index no lone surrogate", () => {
    const pieces = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        '"',
        "+",
        "-",
        " ",
        "“",
        "」",
        "的",
        "a_b",
        "ÀÉ",
        "\ud800",
        "👩‍👩‍👧",
        "e\u0301",
      ),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const parsed = attempt(parts.join(""));
        const texts = parsed ? [...parsed.literals, parsed.text, ...parsed.required] : [];

        expect(texts.every((text) => text.isWellFormed() && text !== "")).toBe(true);
        expect((parsed?.terms ?? []).every(({ word }) => /^[\p{L}\p{M}\p{N}]/u.test(word))).toBe(
          true,
        );
      }),
    );
  });
});

function attempt(query: string): ParsedQuery | undefined {
  try {
    return parseQuery(query);
  } catch (error) {
    expect(error).toBeInstanceOf(QueryError);
    return undefined;
  }
}

describe("isOneLiteral", () => {
  it.each([
    // query, one literal and nothing else, its BM25 is that of the query
    ["adapter_bounded_values", true, true],
    ["adapter-bounded-values", true, true],
    ["getSessionById", true, false],
    ['"exact words"', true, true],
    ['"the words"', true, false],
    ['"words and words"', true, false],
    ["索引", true, true],
    ["src/search/query.ts", true, true],
    ["retry", false, false],
    ["why adapter_bounded_values", false, false],
    ["a_b_c d_e_f", false, false],
    ["adapter_bounded_values -test", false, false],
    ['"error: merge failed"', true, true],
    ["error: merge failed", false, false],
    ['"->"', false, false],
  ])("for %s is %s, scored by the literal: %s", (query, isOne, isScored) => {
    const parsed = parseQuery(query);

    expect(isOneLiteral(parsed)).toBe(isOne);
    expect(isOne && isScoredByLiteral(parsed)).toBe(isScored);
  });
});

describe("contentTerms", () => {
  it.each([
    ["leaves function words out beside others", "why is the upload slow", "upload slow"],
    ["keeps the pieces of a name", "where is getUser", "getUser get user"],
    ["keeps function words beside a single other word", "why is the upload", "why is the upload"],
    ["keeps function words when there is nothing else", "to be or not to be", "to be or not"],
  ])("%s", (_, query, words) => {
    const terms = contentTerms(parseQuery(query).terms);

    expect(terms.map(({ word }) => word).join(" ")).toBe(words);
  });
});
