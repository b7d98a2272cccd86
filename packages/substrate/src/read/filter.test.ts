import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cell, Row } from "../declaration.ts";
import type { Table } from "../table.ts";
import { batchOf } from "../testing/catalogue.ts";
import { openCatalogue } from "../testing/store.ts";
import {
  and,
  contains,
  eq,
  type Filter,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  not,
  oneOf,
  or,
  prefix,
  takesNothing,
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
  it("search-prefilter-pushdown: matches exactly itself, whatever is in it", async () => {
    const table = await tableOf(hostile.map((description) => ({ description })));

    for (const [index, text] of hostile.entries()) {
      expect([text, await found(table, eq("description", text))]).toEqual([text, [`${index}`]]);
      expect([text, await found(table, oneOf("description", [text]))]).toEqual([
        text,
        [`${index}`],
      ]);
    }
  });

  it("matches exactly itself, for any text", async () => {
    const texts = fc.sample(fc.string({ unit: "binary", maxLength: 12 }), 150);
    const distinct = [...new Set(texts)].filter((text) => text.isWellFormed());
    const table = await tableOf(distinct.map((description) => ({ description })));

    const outcomes = await Promise.all(
      distinct.map((text) => found(table, eq("description", text))),
    );

    expect(outcomes).toEqual(distinct.map((_, index) => [`${index}`]));
  });

  it("with a lone surrogate matches nothing, because nothing like it is stored", async () => {
    const table = await tableOf([{ description: "\ufffd" }]);

    expect(await found(table, eq("description", "\ud800"))).toEqual([]);
    expect(await found(table, contains("description", "\ud800"))).toEqual([]);
    expect(await found(table, oneOf("description", ["\ud800", "\ufffd"]))).toEqual(["0"]);
  });

  it("is found by what it contains, case and all", async () => {
    const table = await tableOf([
      { description: "50% off 'Hex_Bolt'" },
      { description: "hex_bolt" },
    ]);

    expect(await found(table, contains("description", "Hex_"))).toEqual(["0"]);
    expect(await found(table, contains("description", "%"))).toEqual(["0"]);
    expect(await found(table, contains("description", "'Hex"))).toEqual(["0"]);
  });

  it("is found by how it begins as JavaScript would, for any text", async () => {
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

  it("does not compare with what is not a number", () => {
    expect(() => toSql(eq("weight", Number.NaN))).toThrow(TypeError);
  });
});

describe("combinations", () => {
  it("mean what they say", async () => {
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
      expect([toSql(filter), await found(table, filter)]).toEqual([toSql(filter), expected]);
    }
  });

  it.each(["no such", "a`b", "a'b", "a;b", ""])("take no column called %j", (column) => {
    expect(() => toSql(eq(column, "x"))).toThrow(TypeError);
  });
});

it("search-prefilter-pushdown: a condition narrows a search before it is ranked, over the index", async () => {
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

describe("a filter that takes nothing", () => {
  const none = oneOf("description", []);
  const some = eq("description", "bolt");

  it.each([
    ["an empty list", none, true],
    ["one with another filter", and(some, none), true],
    ["one deeper down", and(some, or(and(none, some), none)), true],
    ["either of none", or(), true],
    ["one beside a filter that may take some", or(none, some), false],
    ["all of none", and(), false],
    ["all but an empty list", not(none), false],
    ["a list", oneOf("description", ["bolt"]), false],
  ])("is told from others without a look at a row: %s", async (_, filter, isNothing) => {
    const table = await tableOf([{ description: "bolt" }]);

    expect(takesNothing(filter)).toBe(isNothing);
    expect(await found(table, filter)).toEqual(isNothing ? [] : ["0"]);
  });
});
