import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cell, Row } from "../declaration.ts";
import type { Table } from "../table.ts";
import { batchOf, parts } from "../testing/catalogue.ts";
import { openCatalogue } from "../testing/store.ts";
import {
  and,
  contains,
  containsInAnyCase,
  eq,
  type Filter,
  type FilterValue,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  matchesNothing,
  ne,
  not,
  oneOf,
  or,
  prefix,
} from "./filter.ts";
import { toSql } from "./sql.ts";

async function tableOf(rows: readonly Row[]): Promise<Table> {
  const table = (await openCatalogue()).table("parts");
  await table.insert(
    batchOf(rows.map((row, index) => ({ maker: "acme", number: `${index}`, ...row }))),
  );
  return table;
}

async function found(table: Table, where: Filter): Promise<string[]> {
  const rows = await table.rows({ columns: ["number"], where });
  return rows.map(({ number }) => String(number)).sort();
}

const some = containsInAnyCase("description", "'o'");

const hostile = [
  "",
  "'",
  "''",
  "' OR 1=1 --",
  "\\",
  "\\'",
  "%",
  "_",
  "a\0b",
  '"',
  "`",
  "/*",
  "; DROP TABLE parts",
  "\u2028",
  "\u{1f600}",
  "索引",
  "$1",
  "?",
  "{}",
  "NULL",
  "\u00e9",
  "e\u0301",
  " ",
  "\n",
  "\r\n",
];

describe("text", () => {
  it("search-prefilter-pushdown: matches exactly itself, whatever characters are in it", async () => {
    const table = await tableOf(hostile.map((description) => ({ description })));

    for (const [index, text] of hostile.entries()) {
      expect([text, await found(table, eq("description", text))]).toEqual([text, [`${index}`]]);
      expect([text, await found(table, oneOf("description", [text]))]).toEqual([
        text,
        [`${index}`],
      ]);
    }
  });

  it("matches exactly itself, for random texts", async () => {
    const texts = fc.sample(fc.string({ unit: "binary", maxLength: 12 }), 150);
    const distinct = [...new Set(texts)].filter((text) => text.isWellFormed());
    const table = await tableOf(distinct.map((description) => ({ description })));

    const outcomes = await Promise.all(
      distinct.map((text) => found(table, eq("description", text))),
    );

    expect(outcomes).toEqual(distinct.map((_, index) => [`${index}`]));
  });

  it("in any case is the same as to ILIKE, for letters whose other case is special", async () => {
    const unit = fc.constantFrom(..."aAsSſkKK\u212aiIİıßẞσΣς_%\\'1é\u0307");
    const texts = fc.sample(fc.string({ unit, minLength: 1, maxLength: 5 }), 400);
    const table = await tableOf(texts.map((description) => ({ description })));
    const cased = fc.sample(fc.constantFrom(...texts), 50).map((text) => text.toUpperCase());
    const sought = [...fc.sample(fc.string({ unit, maxLength: 2 }), 120), ...cased];

    for (const text of sought) {
      const filter = containsInAnyCase("description", text);
      // Two of them that are negated become one pattern, which the engine compares as ILIKE does.
      const others = new Set(await found(table, not(or(filter, filter))));
      const expected = texts.map((_, at) => `${at}`).filter((number) => !others.has(number));
      expect([text, await found(table, filter)]).toEqual([text, expected.sort()]);
    }
  });

  it("with a lone surrogate matches nothing, not even a replacement character", async () => {
    const table = await tableOf([{ description: "\ufffd" }]);

    expect(await found(table, eq("description", "\ud800"))).toEqual([]);
    expect(await found(table, contains("description", "\ud800"))).toEqual([]);
    expect(await found(table, oneOf("description", ["\ud800", "\ufffd"]))).toEqual(["0"]);
  });

  it("with a lone surrogate differs from every stored text, and a null matches neither way", async () => {
    const table = await tableOf(["\ud7ff", "\ue000", null].map((description) => ({ description })));
    const lone = "\ud800";

    const outcomes: [Filter, string[]][] = [
      [ne("description", lone), ["0", "1"]],
      [not(ne("description", lone)), []],
      [not(eq("description", lone)), ["0", "1"]],
      [not(oneOf("description", [lone])), ["0", "1"]],
      [not(oneOf("description", [lone, "\ue000"])), ["0"]],
      [not(contains("description", lone)), ["0", "1"]],
      [not(containsInAnyCase("description", lone)), ["0", "1"]],
      [lt("description", lone), ["0"]],
      [lte("description", `${lone}x`), ["0"]],
      [gt("description", lone), ["1"]],
      [gte("description", `\ud7ff${lone}`), ["1"]],
      [prefix("description", lone), []],
      [not(prefix("description", lone)), ["0", "1"]],
      [or(eq("description", lone), isNull("description")), ["2"]],
    ];
    for (const [filter, expected] of outcomes) {
      expect([toSql(filter, parts), await found(table, filter)]).toEqual([
        toSql(filter, parts),
        expected,
      ]);
    }
  });

  it("is found by a text it contains, in the same case", async () => {
    const table = await tableOf([
      { description: "50% off 'Hex_Bolt'" },
      { description: "hex_bolt" },
    ]);

    expect(await found(table, contains("description", "Hex_"))).toEqual(["0"]);
    expect(await found(table, contains("description", "%"))).toEqual(["0"]);
    expect(await found(table, contains("description", "'Hex"))).toEqual(["0"]);
  });

  it("is found by a text it contains in any case, with wildcards as ordinary characters", async () => {
    const descriptions = ["50% off 'Hex_Bolt'", "hexxbolt", "C:\\Dir\\x", "Überlänge\nΔΡΟΜΟΣ"];
    const table = await tableOf(descriptions.map((description) => ({ description })));

    expect(await found(table, containsInAnyCase("description", "'hex_bOLT"))).toEqual(["0"]);
    expect(await found(table, containsInAnyCase("description", "0%"))).toEqual(["0"]);
    expect(await found(table, containsInAnyCase("description", "\\dir\\"))).toEqual(["2"]);
    expect(await found(table, containsInAnyCase("description", "ÜBERLÄNGE\nδρομος"))).toEqual([
      "3",
    ]);
    expect(await found(table, containsInAnyCase("description", "\ud800"))).toEqual([]);
  });

  it("is found by any of several texts in any case as by each alone, whatever characters they hold", async () => {
    const signs = fc.string({ unit: fc.constantFrom(..."aB.*|\\^$(){}[]+?_%'é\n"), maxLength: 3 });
    const texts = fc.sample(signs, 40);
    const table = await tableOf(texts.map((description) => ({ description })));
    const alternatives = [...texts.filter((text) => text !== "").slice(0, 12), "\ud800"];

    for (let at = 0; at + 3 < alternatives.length; at += 1) {
      const some = alternatives.slice(at, at + 4);
      const filters = some.map((text) => containsInAnyCase("description", text));
      const ofEach = await Promise.all(filters.map((filter) => found(table, filter)));
      const expected = [...new Set(ofEach.flat())].sort();
      expect([some, await found(table, or(...filters, eq("number", "none")))]).toEqual([
        some,
        expected,
      ]);
      expect(await found(table, not(or(...filters)))).toHaveLength(texts.length - expected.length);
    }
  });

  it.each([
    ["a few long ones", 4, 30_000],
    ["many shorter ones", 400, 250],
  ])(
    "is found by any of several texts that do not fit one pattern of the engine: %s",
    async (_, count, length) => {
      const texts = Array.from({ length: count }, (_, at) => `${at}${"é".repeat(length)}`);
      const table = await tableOf([{ description: `${texts.at(-1)}É` }, { description: "é" }]);
      const filters = texts.map((text) => containsInAnyCase("description", text));

      expect(await found(table, or(...filters))).toEqual(["0"]);
      expect(await found(table, not(or(...filters)))).toEqual(["1"]);
    },
  );

  it("is found by its prefix as in JavaScript, for random texts", async () => {
    const samples = fc.sample(
      fc.string({
        unit: fc.constantFrom("a", "b", "\u{10ffff}", "\ud7ff", "é", "'"),
        maxLength: 4,
      }),
      60,
    );
    const texts = [...new Set([...samples, "\u{10ffff}", "a\u{10ffff}", "a\u{10ffff}b", "b"])];
    const table = await tableOf(texts.map((description) => ({ description })));

    for (const start of texts) {
      const expected = texts.flatMap((text, index) => (text.startsWith(start) ? [`${index}`] : []));
      expect([start, await found(table, prefix("description", start))]).toEqual([
        start,
        expected.sort(),
      ]);
    }
  });
});

describe("numbers and times", () => {
  it.each([[0n], [-1n], [2n ** 53n + 1n], [2n ** 63n - 1n], [-(2n ** 63n)], [-(2n ** 63n) + 1n]])(
    "compares the integer %d exactly",
    async (order) => {
      const table = await tableOf([{ order }, { order: order === 0n ? 1n : order / 2n }]);

      expect(await found(table, eq("order", order))).toEqual(["0"]);
    },
  );

  it.each([[0.1], [-1e300], [5e-324], [1e21], [123456789.125]])(
    "compares the number %d exactly",
    async (weight) => {
      const table = await tableOf([{ weight }, { weight: weight / 3 + 1 }]);

      expect(await found(table, eq("weight", weight))).toEqual(["0"]);
    },
  );

  it("compares times to the microsecond", async () => {
    const listed = 1_763_632_800_123_456n;
    const table = await tableOf([{ listed: listed - 1n }, { listed }, { listed: listed + 1n }]);

    expect(await found(table, eq("listed", { micros: listed }))).toEqual(["1"]);
    expect(await found(table, gt("listed", { micros: listed }))).toEqual(["2"]);
    expect(await found(table, lte("listed", { micros: listed }))).toEqual(["0", "1"]);
    expect(await found(table, lt("listed", { micros: -1n }))).toEqual([]);
  });

  it("compares the earliest and the latest time there can be, over the index", async () => {
    const times = [-(2n ** 63n), -62_135_596_800_000_000n, 0n, 2n ** 63n - 1n];
    const table = await tableOf(times.map((listed) => ({ listed })));
    await table.fold({ isForced: true });

    for (const [index, micros] of times.entries()) {
      const before = times.slice(0, index).map((_, at) => `${at}`);
      expect(await found(table, eq("listed", { micros }))).toEqual([`${index}`]);
      expect(await found(table, lt("listed", { micros }))).toEqual(before);
      expect(await table.count(oneOf("listed", [{ micros }]))).toBe(1);
    }
  });

  it("compares integers with fractions and with large numbers", async () => {
    const table = await tableOf([{ order: 1n }, { order: 2n }, { order: -(2n ** 63n) }]);

    const outcomes: [Filter, string[]][] = [
      [eq("order", 1.5), []],
      [ne("order", 1.5), ["0", "1", "2"]],
      [lt("order", 1.5), ["0", "2"]],
      [gte("order", 1.5), ["1"]],
      [oneOf("order", [1.5, 1n, 2]), ["0", "1"]],
      [lt("order", 1e300), ["0", "1", "2"]],
      [eq("order", -(2 ** 63)), ["2"]],
    ];
    for (const [filter, expected] of outcomes) {
      expect([toSql(filter, parts), await found(table, filter)]).toEqual([
        toSql(filter, parts),
        expected,
      ]);
    }
  });

  it.each<FilterValue>([
    ...[Number.NaN, Infinity, 2n ** 63n, -(2n ** 63n) - 1n, { micros: 2n ** 63n }],
  ])("refuses to compare with a value that no column holds: %s", async (value) => {
    const table = (await openCatalogue()).table("parts");

    for (const column of ["order", "weight", "listed"]) {
      await expect(table.count(eq(column, value))).rejects.toThrow(TypeError);
      await expect(table.count(oneOf(column, [value]))).rejects.toThrow(TypeError);
    }
  });

  it("compares integers exactly with numbers at the integer bounds and beside them", async () => {
    const orders = [-(2n ** 63n), 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, null];
    const table = await tableOf(orders.map((order) => ({ order })));

    const outcomes: [Filter, string[]][] = [
      [oneOf("order", [2n ** 53n, 0.5]), ["1"]],
      [oneOf("order", [2n ** 53n + 1n, 2 ** 63, 1e300]), ["2"]],
      [oneOf("order", [0.5]), []],
      [not(oneOf("order", [0.5])), ["0", "1", "2", "3"]],
      [lt("order", 2 ** 63), ["0", "1", "2", "3"]],
      [lte("order", 2 ** 63), ["0", "1", "2", "3"]],
      [gte("order", 2 ** 63), []],
      [gt("order", 2 ** 63), []],
      [eq("order", 2 ** 63), []],
      [ne("order", 2 ** 63), ["0", "1", "2", "3"]],
      [not(gte("order", 2 ** 63)), ["0", "1", "2", "3"]],
      [gte("order", -(2 ** 63)), ["0", "1", "2", "3"]],
      [lt("order", -(2 ** 63)), []],
      [lt("order", -1e300), []],
      [gt("order", -1e300), ["0", "1", "2", "3"]],
      [gt("order", 2 ** 52 - 0.5), ["1", "2", "3"]],
      [lt("order", -0.5), ["0"]],
    ];
    for (const [filter, expected] of outcomes) {
      expect([toSql(filter, parts), await found(table, filter)]).toEqual([
        toSql(filter, parts),
        expected,
      ]);
    }
  });

  it("compares numbers exactly with integers that no double holds", async () => {
    const weights = [2 ** 53, 2 ** 53 + 2, Number.NaN, null, -(2 ** 63)];
    const table = await tableOf(weights.map((weight) => ({ weight })));
    const between = 2n ** 53n + 1n;

    const outcomes: [Filter, string[]][] = [
      [eq("weight", 2n ** 53n), ["0"]],
      [eq("weight", between), []],
      [not(eq("weight", between)), ["0", "1", "2", "4"]],
      [ne("weight", between), ["0", "1", "2", "4"]],
      [oneOf("weight", [between, 2n ** 53n, 0.5]), ["0"]],
      [lt("weight", between), ["0", "4"]],
      [lte("weight", between), ["0", "4"]],
      [gt("weight", between), ["1", "2"]],
      [gte("weight", 2n ** 53n + 3n), ["2"]],
      [lt("weight", 2n ** 53n + 3n), ["0", "1", "4"]],
      [lt("weight", 1n - 2n ** 63n), ["4"]],
    ];
    for (const [filter, expected] of outcomes) {
      expect([toSql(filter, parts), await found(table, filter)]).toEqual([
        toSql(filter, parts),
        expected,
      ]);
    }
  });
});

describe("an invalid condition", () => {
  const date = new Date() as unknown as FilterValue;
  const nothing = null as unknown as FilterValue;

  it.each<[string, unknown, string]>([
    ["an unknown operator", { op: "like", column: "maker", value: "x" }, "the op like"],
    ["an unknown operator inside a not", { op: "not", filter: { op: "like" } }, "the op like"],
    ["an empty object", {}, "the op undefined"],
    ["an SQL string", "maker = 'a'", "the op undefined"],
    ["a string instead of a list", oneOf("maker", "acme" as unknown as []), "oneOf needs an array"],
    [
      "text for a number column",
      eq("order", "5"),
      "parts.order: numbers are compared with a number",
    ],
    ["a number for a text column", eq("maker", 5), "parts.maker: text is compared with text"],
    [
      "a list with a value of another type",
      oneOf("maker", ["a", 5n]),
      "text is compared with text",
    ],
    [
      "an integer for a time column",
      gt("listed", 5n),
      "parts.listed: times are compared with { micros }",
    ],
    ["a Date for a time column", gt("listed", date), "times are compared with { micros }"],
    ["a time for a number column", eq("weight", { micros: 1n }), "numbers are compared with"],
    ["a column of bytes", eq("drawing", "x"), "bytes and vectors cannot be compared"],
    ["a column of vectors", eq("shape", 1), "bytes and vectors cannot be compared"],
    [
      "null as the value",
      eq("description", nothing),
      "null is not a value to compare with: use isNull",
    ],
    ["undefined in a list", oneOf("maker", [undefined as unknown as string]), "undefined is no"],
    [
      "contains on a number column",
      contains("order", "1"),
      "parts.order: contains needs a text column and a string",
    ],
    [
      "containsInAnyCase on a time column",
      containsInAnyCase("listed", "1"),
      "contains needs a text column",
    ],
    [
      "contains with a number on a text column",
      contains("maker", 5 as unknown as string),
      "contains needs a text column",
    ],
    ["prefix on a number column", prefix("order", "1"), "numbers are compared with a number"],
  ])("is refused with a TypeError: %s", async (_, where, reason) => {
    const table = await tableOf([{ order: 1n }]);
    const asked = { columns: ["number"], where: where as Filter, limit: 1 };

    const reads = [
      () => table.count(asked.where),
      () => table.rows(asked),
      () => table.fullText({ ...asked, column: "description", query: { terms: "a" } }),
    ];
    for (const read of reads) {
      await expect(read()).rejects.toThrow(TypeError);
      await expect(read()).rejects.toThrow(reason);
    }
  });
});

describe("combined conditions", () => {
  it("select the rows that their logic says", async () => {
    const table = await tableOf([
      { description: "a", order: 1n },
      { description: "b", order: 2n },
      { description: null, order: 3n },
    ]);
    const a = eq("description", "a");

    const outcomes: [Filter, string[]][] = [
      [and(), ["0", "1", "2"]],
      [or(), []],
      [oneOf("description", []), []],
      [not(a), ["1"]],
      [ne("description", "a"), ["1"]],
      [isNull("description"), ["2"]],
      [isNotNull("description"), ["0", "1"]],
      [or(a, isNull("description")), ["0", "2"]],
      [and(gte("order", 2n), or(a, isNotNull("description"))), ["1"]],
      [prefix("description", ""), ["0", "1"]],
    ];
    for (const [filter, expected] of outcomes) {
      expect([toSql(filter, parts), await found(table, filter)]).toEqual([
        toSql(filter, parts),
        expected,
      ]);
    }
  });

  it("may be nested 100 times where the nesting can be flattened", async () => {
    const table = await tableOf([{ order: 1n }, { order: 2n }]);
    const one = eq("order", 1n);

    let [both, either, negated]: [Filter, Filter, Filter] = [one, one, one];
    for (let depth = 0; depth < 101; depth++) {
      both = and(both, isNotNull("order"));
      either = or(either, isNull("order"));
      negated = not(negated);
    }

    expect(await found(table, both)).toEqual(["0"]);
    expect(await found(table, either)).toEqual(["0"]);
    expect(await found(table, negated)).toEqual(["1"]);
  });

  it.each<[string, (filter: Filter, depth: number) => Filter]>([
    ["and, or", (filter, depth) => (depth % 2 ? and(filter, some) : or(filter, some))],
    ["and, not", (filter, depth) => (depth % 2 ? not(filter) : and(filter, some))],
    [
      "and, or, not",
      (filter, depth) => [and(filter, some), or(filter, some), not(filter)][depth % 3] ?? some,
    ],
  ])("may be nested as deep as the engine takes, and no deeper: %s", async (_, nest) => {
    const table = await tableOf([{ description: "bolt" }]);
    let filter: Filter = prefix("description", "b");
    for (let depth = 2; depth < 24; depth++) filter = nest(filter, depth);

    expect((await found(table, filter)).length).toBeLessThan(2);
    const deeper = nest(nest(filter, 24), 25);
    await expect(found(table, deeper)).rejects.toThrow(TypeError);
  });

  it.each(["no such", "a`b", "a'b", "a;b", ""])("refuse a column called %j", (column) => {
    expect(() => toSql(eq(column, "x"), parts)).toThrow(TypeError);
  });
});

it("search-prefilter-pushdown: a condition narrows a search by the index before the ranking", async () => {
  const table = await tableOf(
    Array.from({ length: 40 }, (_, index) => ({
      description: "hex bolt",
      listed: BigInt(index),
      maker: index < 38 ? "acme" : "globex",
    })),
  );
  await table.fold({ isForced: true });
  const search = {
    column: "description",
    query: { terms: "bolt" },
    where: and(prefix("maker", "glo"), gte("listed", { micros: 39n })),
    columns: ["number"],
    limit: 1,
  };

  const rows = await table.fullText(search);
  const plan = await table.explain(search);

  expect(rows.map(({ number }): Cell | undefined => number)).toEqual(["39"]);
  expect(plan).toContain("ScalarIndexQuery");
});

describe("a filter that matches no row", () => {
  const none = oneOf("description", []);
  const some = eq("description", "bolt");

  it.each([
    ["an empty list", none, true],
    ["an empty list and another filter", and(some, none), true],
    ["nested empty lists", and(some, or(and(none, some), none)), true],
    ["an or of no filters", or(), true],
    ["an empty list or another filter", or(none, some), false],
    ["an and of no filters", and(), false],
    ["the negation of an empty list", not(none), false],
    ["a list with a value", oneOf("description", ["bolt"]), false],
  ])("is told from others without reading a row: %s", async (_, filter, isNothing) => {
    const table = await tableOf([{ description: "bolt" }]);

    expect(matchesNothing(filter)).toBe(isNothing);
    expect(await found(table, filter)).toEqual(isNothing ? [] : ["0"]);
  });
});
