import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toBoundsCheck } from "./bounds.ts";
import type { SearchRequest } from "./request.ts";
import { search } from "./search.ts";
import { storeOf, type TestStore } from "./testing.ts";

// The index does not know it.
const veryLong = "x".repeat(300);
const texts: Readonly<Record<string, string>> = {
  plural: "please update the migrations of the database",
  capital: "Authentication fails on login",
  camel: "the maxRetryCount option is ignored by HttpServer",
  russian: "Ошибка сервера при запуске",
  german: "öffnen Sie bitte alle Überprüfungen",
  korean: "데이터베이스를 다시 만들었다",
  turkish: "İzmir ili ve İşlem iptal edildi",
  zmir: "i see zmir",
  greek: "Ο ΔΡΟΜΟΣ ΕΙΝΑΙ ΚΛΕΙΣΤΟΣ",
  c: "a pointer in plain C",
  cpp: "a pointer in C++ is no reference",
  cs: "a pointer in C# is unsafe",
  apostrophe: "don't follow a pointer of l'index",
  curly: "don\u2019t trust a pointer",
  dotted: "run foo.bar first",
  spaced: "run foo bar first",
  arrow: "then a -> b",
  noArrow: "then a b",
  exact: "搜索结果不准确，需要优化",
  other: "搜索结果准确，很好",
  none: "搜索很慢",
  beta: "alpha beta",
  gamma: "alpha gamma",
  long: `flint ${veryLong} end`,
  short: "flint end",
  underscore: "set the value of x_1 to that of some other one before it is read again",
  noUnderscore: "x 1, x 1",
  letter: "मुझे एक पत्र मिला",
  leaf: "मेरे मित्र ने मुझे पत्ता दिया",
  magazine: "मुझे पत्रिका दो",
  water: "मुझे पानी दो",
  yoruba: "titun ẹ̀kọ́",
  apart: "titun kọ ẹ",
  squared: "measure x² here",
  metres: "measure the x axis and 5 m² here",
  place: "भारत में स्थान",
  cloth: "भारत में थान",
  india: "भारत में लाल",
  tai: "measure ᦎᦱᧃ here",
  taiApart: "measure ᧃᦎ ᦱ here",
  small: "κωδικος και ο δρομος της πολης",
  capitals: "ΚΩΔΙΚΟΣ ΚΑΙ Ο ΔΡΟΜΟΣ ΤΗΣ ΠΟΛΗΣ",
  mixed: "κωδικος και Ο ΔΡΟΜΟΣ της πολης",
  codes: "κωδικος και λος",
  apartByAComma: "κωδικος δρομος, της",
  mu: "cache took 5 μs",
  micro: "cache took 5 \u00b5s",
  millis: "cache took 5 ms",
  persian: "بروم می‌خواهم",
  persianOther: "بروم خانه",
  sinhala: "ශ්\u200dරී ලංකා දිවයින",
  sinhalaOther: "ලංකා දිවයින",
  sinhalaInside: "රී ලංකා දිවයින",
  kannada: "ರಾಜ್\u200cಕುಮಾರ ನಗರ",
  kannadaOther: "ಕುಮಾರ ನಗರ",
  javanese: "ꦲꦏ꧀ꦱꦫ ꦗꦮ",
  javaneseOther: "ꦲꦏ ꦗꦮ",
  catalan: "la col·lecció nova",
  catalanOther: "la nova idea",
  hebrew: "צה״ל הודיע היום",
  hebrewAscii: 'צה"ל הודיע אתמול',
  hebrewOther: "הודיע היום",
  hebrewLater: "הודיע אתמול",
  school: "בית־ספר חדש",
  schoolOther: "מורה חדש",
  greekDot: "μια λέξη τέλος",
  greekOther: "μια τέλος",
  kana: "本 レオナルド・ダ 絵",
  kanaOther: "本 絵",
  hyphen: "gizmo e\u2011mail",
  hyphenOther: "gizmo mail",
  emoji: "beacon ❤️kappa.iota",
  noEmoji: "beacon kappa iota",
};

let store: TestStore;
beforeAll(async () => {
  const others = Array.from({ length: 20 }, (_, at) => ({ id: `o${at}`, texts: [`noise ${at}`] }));
  const chats = Object.entries(texts).map(([id, text]) => ({ id, texts: [text] }));
  store = await storeOf([...chats, ...others]);
});
afterAll(() => store.remove());

const found = async (query: string, more: Partial<SearchRequest> = {}): Promise<string[]> => {
  const { sessions } = await search(store.sessions, { query, limit: 100, ...more });
  return sessions.map(({ session_id }) => session_id);
};

describe("filters", () => {
  const filters: Partial<SearchRequest>[] = [
    {},
    { role: "user" },
    { since: "2000-01-01" },
    { until: "2100-01-01" },
    { role: "user", since: "2000-01-01", project: "/work/pond/" },
  ];

  it.each([
    ["another form of a word", "migration", "plural"],
    ["two words, one in another form", "migration database", "plural"],
    ["the beginning of a Korean word", "데이터베이스", "korean"],
    ["the beginning of a word in another case", "auth", "capital"],
    ["a piece of a camelCase name", "retry", "camel"],
    ["a name inside a longer name", "retryCount", "camel"],
    ["the first piece of a type's name", "http", "camel"],
    ["the beginning of a Russian word", "оши", "russian"],
    ["the beginning of a German word", "über", "german"],
    ["a capital whose lower case is two characters", "İzmir", "turkish"],
    ["a Turkish word in capitals", "İŞLEM", "turkish"],
    ["Greek words in capitals", "ΔΡΟΜΟΣ ΚΛΕΙΣΤΟΣ", "greek"],
    ["Greek words in lower case", "δρομος κλειστος", "greek"],
  ])("leave the best match first if they exclude nothing: %s", async (_, query, expected) => {
    for (const filter of filters) {
      expect([filter, (await found(query, filter))[0]]).toEqual([filter, expected]);
    }
  });

  it("show no out-of-scope message of a matching window", async () => {
    expect(await found("migration", { role: "assistant" })).toEqual([]);
    expect(await found("migration", { until: "2000-01-01" })).toEqual([]);
    expect(await found("migration -please", { role: "user" })).toEqual([]);
  });
});

describe("required and excluded words", () => {
  it.each([
    ['pointer -"C#"', ["apostrophe", "c", "cpp", "curly"]],
    ['pointer +"C#"', ["cs"]],
    ["pointer +C++", ["cpp"]],
    ["pointer -don't", ["c", "cpp", "cs"]],
    ["pointer +don't", ["apostrophe", "curly"]],
    ["pointer -l'index", ["c", "cpp", "cs", "curly"]],
    ['run -"foo.bar"', ["spaced"]],
    ['run +"foo.bar"', ["dotted"]],
    ['run +"foo bar"', ["dotted", "spaced"]],
    ['then -"->"', ["noArrow"]],
    ['then +"->"', ["arrow"]],
    ["搜索 -准确", ["none"]],
    ["搜索 +准确", ["exact", "other"]],
    ["alpha, -beta, -delta", ["gamma"]],
    ["alpha -Gamma!", ["beta"]],
    [`end +"flint ${veryLong}"`, ["long"]],
    [`end +"${veryLong}"`, ["long"]],
    [`end -"${veryLong} end"`, ["short"]],
    ["मुझे +पत्र", ["letter"]],
    ["मुझे -पत्र", ["leaf", "magazine", "water"]],
    ['मुझे +"पत्र मिला"', ["letter"]],
    ["भारत +थान", ["cloth"]],
    ["भारत -थान", ["india", "place"]],
    ["titun +ẹ̀kọ́", ["yoruba"]],
    ["titun -ẹ̀kọ́", ["apart"]],
    ["measure +x²", ["squared"]],
    ["بروم -می‌خواهم", ["persianOther"]],
    ["بروم +می‌خواهم", ["persian"]],
    ["දිවයින +ශ්\u200dරී", ["sinhala"]],
    ["දිවයින -ශ්\u200dරී", ["sinhalaInside", "sinhalaOther"]],
    ["දිවයින +රී", ["sinhalaInside"]],
    ["ನಗರ +ಕುಮಾರ", ["kannadaOther"]],
    ["ನಗರ -ಕುಮಾರ", ["kannada"]],
    ["ꦗꦮ -ꦱꦫ", ["javanese", "javaneseOther"]],
    ["ꦗꦮ +ꦱꦫ", []],
    ["nova +col·lecció", ["catalan"]],
    ["היום -צה״ל", ["hebrewOther"]],
    ['אתמול -צה"ל', ["hebrewLater"]],
    ["חדש -בית־ספר", ["schoolOther"]],
    ["τέλος +λέξη·", ["greekDot"]],
    ["τέλος -λέξη·", ["greekOther"]],
    ["μια +λέξη\u0387 τέλος", ["greekDot"]],
    ["本 -レオナルド・ダ", ["kanaOther"]],
    ["gizmo -e\u2011mail", ["hyphenOther"]],
    ["measure +ᦎᦱᧃ", ["tai"]],
    ['measure -"x²"', ["metres", "tai", "taiApart"]],
    ["κωδικος +δρομος", ["apartByAComma", "capitals", "greek", "mixed", "small"]],
    ["κωδικος +ΔΡΟΜΟΣ", ["apartByAComma", "capitals", "greek", "mixed", "small"]],
    ["κωδικος -ΔΡΟΜΟΣ", ["codes"]],
    ["κωδικος -δρομος", ["codes"]],
    ['κωδικος +"δρομος της"', ["apartByAComma", "capitals", "mixed", "small"]],
    ['κωδικος -"δρομος της"', ["codes"]],
    ["ΛΟΣ", ["codes"]],
    ["cache +\u00b5s", ["micro", "mu"]],
    ["cache +\u039cS", ["micro", "mu"]],
    ['cache -"μs"', ["millis"]],
    ['beacon +"kappa.iota"', ["emoji"]],
  ])("are checked against the texts themselves: %s", async (query, expected) => {
    expect((await found(query)).sort()).toEqual(expected);
    expect((await found(query, { role: "user" })).sort()).toEqual(expected);
  });

  it("all count, even if there are more than forty", async () => {
    const others = Array.from({ length: 40 }, (_, at) => `-absent${at}`).join(" ");
    expect(await found(`alpha ${others} -beta`)).toEqual(["gamma"]);
    expect(await found(`alpha ${others} +beta -"C#"`)).toEqual(["beta"]);
  });

  it("puts texts that hold a name with punctuation first", async () => {
    expect((await found("C#"))[0]).toBe("cs");
    expect((await found("c++"))[0]).toBe("cpp");
    expect((await found("x_1"))[0]).toBe("underscore");
  });
});

describe("when more texts match than an arm reads at once", () => {
  const many = (count: number, id: string, text: string) =>
    Array.from({ length: count }, (_, at) => ({ id: `${id}${at}`, texts: [`${text} ${at}`] }));
  const wanted = "the install of python did fail with a strange error never seen before";
  let large: TestStore;
  beforeAll(async () => {
    large = await storeOf([
      ...many(80, "module", "install error in node_modules"),
      ...many(30, "python", wanted),
      ...Array.from({ length: 60 }, (_, at) => ({
        id: `said${at}`,
        texts: ["hello", `the migration ran ${at}`],
      })),
      { id: "asked", texts: ["please undo what this migration of all the others did to us"] },
      { id: "later", texts: ["hello", "hi", "the handlers are in trouble"] },
    ]);
  });
  afterAll(() => large.remove());

  const count = async (query: string, more: Partial<SearchRequest> = {}): Promise<number> => {
    const { sessions } = await search(large.sessions, { query, limit: 100, ...more });
    return sessions.length;
  };

  it("finds every text that meets the required and excluded words", async () => {
    expect(await count("install error -node_modules")).toBe(30);
    expect(await count("install error -node_modules", { role: "user" })).toBe(30);
    expect(await count("install error +node_modules")).toBe(80);
  });

  it("finds the one window with a message in scope behind those with none", async () => {
    expect(await count("migrations", { role: "user" })).toBe(1);
    expect(await count("migrations", { role: "assistant" })).toBe(60);
  });

  it("finds a window that begins before the `since` time", async () => {
    expect(await count("handling", { since: "2026-01-01T00:01:30Z" })).toBe(1);
  });
});

describe("toBoundsCheck", () => {
  it.each(["⚠️Warning: full", "1️⃣Warning", "有Warning错误", "มีwarningอยู่"])(
    "finds the word warning within %s",
    (text) => {
      const required = toBoundsCheck({ required: ["warning"], excluded: [] })(text);
      const excluded = toBoundsCheck({ required: [], excluded: ["warning"] })(text);

      expect([required, excluded]).toEqual([true, false]);
    },
  );

  it("finds any run of a text's words in the text", () => {
    const word = fc.constantFrom("foo", "Bar", "C++", "don't", "über", "ΔΡΟΜΟΣ", "İzmir", "搜索");
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.nat(), fc.nat(), (words, from, length) => {
        const start = from % words.length;
        const wanted = words.slice(start, start + 1 + (length % words.length)).join(" ");

        const required = toBoundsCheck({ required: [wanted], excluded: [] })(words.join("  "));
        const excluded = toBoundsCheck({ required: [], excluded: [wanted] })(words.join("\n"));

        expect([required, excluded]).toEqual([true, false]);
      }),
    );
  });
});
