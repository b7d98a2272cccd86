import { describe, expect, it } from "vitest";
import type { Cell, ColumnBatch, Row } from "../declaration.ts";
import { InvalidBatchError } from "../errors.ts";
import { eq } from "../read/filter.ts";
import type { Table } from "../table.ts";
import { batchOf, numbered, parts, prices } from "../testing/catalogue.ts";
import { openCatalogue, openLanceTable, temporaryLocation } from "../testing/store.ts";

const columns = Object.keys(parts.columns);

async function versionOf(location: string): Promise<number> {
  return (await openLanceTable(location, "parts")).version();
}

function unindexed(health: Awaited<ReturnType<Table["health"]>>, column: string): number {
  return health.indexes.find((index) => index.column === column)?.unindexedRows ?? -1;
}

describe("insert", () => {
  it("lance-append-only: leaves a row that is already stored as it is", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(batchOf([{ maker: "acme", number: "1", description: "first" }]));

    const outcome = await table.insert(
      batchOf([
        { maker: "acme", number: "1", description: "second" },
        { maker: "globex", number: "1", description: "third" },
      ]),
    );

    expect(outcome).toEqual({ inserted: 1, present: 1 });
    expect(await table.rows({ columns: ["maker", "description"] })).toEqual([
      { maker: "acme", description: "first" },
      { maker: "globex", description: "third" },
    ]);
  });

  it("stores the first of the rows that share a key in one batch", async () => {
    const table = (await openCatalogue()).table("parts");

    const outcome = await table.insert({
      maker: ["a", "a", "ab", "a", "a"],
      number: ["bc", "bc", "c", "b", "bc"],
      description: ["1", "2", "3", "4", "5"],
    });

    expect(outcome).toEqual({ inserted: 3, present: 2 });
    const rows = await table.rows({
      columns: ["description"],
      orderBy: [{ column: "description" }],
    });
    expect(rows).toEqual([{ description: "1" }, { description: "3" }, { description: "4" }]);
  });

  it.each([
    ["no columns", {}],
    ["no rows", { maker: [], number: [] }],
  ])("writes no version for a batch of %s", async (_, batch: ColumnBatch) => {
    const location = temporaryLocation();
    const table = (await openCatalogue(location)).table("parts");
    const before = await versionOf(location);

    const outcome = await table.insert(batch);

    expect(outcome).toEqual({ inserted: 0, present: 0 });
    expect(await versionOf(location)).toBe(before);
  });

  it("returns every kind of cell as it was given", async () => {
    const table = (await openCatalogue()).table("parts");
    const long = "a\u{1f600}\0é".repeat(400_000);
    const row = (number: string, cells: Partial<Row>): Row => ({
      ...Object.fromEntries(columns.map((name) => [name, null])),
      maker: "acme",
      number,
      ...cells,
    });
    const rows = [
      row("00", { description: "", drawing: new Uint8Array(0) }),
      row("01", { order: 2n ** 63n - 1n, listed: 1_763_632_800_123_457n, weight: 0.1 }),
      row("02", { order: -(2n ** 63n), listed: -1n, weight: -0 }),
      row("03", { listed: 253_402_300_799_999_999n, weight: Number.POSITIVE_INFINITY }),
      row("04", { description: "\0 'quoted' \\ \u2028 索引 \u{1f600}\r\n" }),
      row("05", { description: long, drawing: new Uint8Array(2_000_000).fill(7) }),
      row("06", { shape: Float32Array.of(1, -0.5, 65504, 0.0999755859375), shaped_by: "m" }),
      row("07", {}),
      // Around the size of a compressed block.
      ...[4095, 4096, 32_766, 32_768, 32_769, 65_535, 65_536, 131_072].map((length, index) =>
        row(`1${index}`, { description: "x".repeat(length), drawing: Buffer.alloc(length, index) }),
      ),
    ];

    await table.insert(batchOf(rows));

    const stored = await table.rows({ columns, orderBy: [{ column: "number" }] });
    expect(stored.length).toBe(rows.length);
    for (const [index, expected] of rows.entries()) {
      for (const name of columns) {
        const cell = stored[index]?.[name];
        expect([index, name, comparable(cell)]).toEqual([index, name, comparable(expected[name])]);
      }
    }
  });

  it("divides a batch that is too large for one commit", async () => {
    const location = temporaryLocation();
    const table = (await openCatalogue(location)).table("parts");
    const before = await versionOf(location);
    const description = "0123456789abcdef".repeat(65_536);
    const batch = { ...numbered(70), description: new Array<Cell>(70).fill(description) };

    const outcome = await table.insert(batch);

    expect(outcome).toEqual({ inserted: 70, present: 0 });
    expect((await versionOf(location)) - before).toBe(2);
  });

  it("serialises parallel calls on one table", async () => {
    const table = (await openCatalogue()).table("parts");

    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, index) => table.insert(numbered(20, "acme", index * 10))),
    );

    const inserted = outcomes.reduce((sum, outcome) => sum + outcome.inserted, 0);
    expect([inserted, await table.count()]).toEqual([130, 130]);
  });

  it("writes through a handle whose version another writer has cleaned away", async () => {
    const location = temporaryLocation();
    const [one, other] = [await openCatalogue(location), await openCatalogue(location)];
    for (let round = 0; round < 5; round++) {
      await one.table("parts").insert(numbered(3, "one", round * 3));
      await one.table("parts").fold({ isForced: true, retentionMs: 0 });
      await other.table("parts").insert(numbered(3, "one", round * 3 + 1));
    }

    expect(await one.table("parts").count()).toBe(16);
    expect(await other.table("parts").count()).toBe(16);
  });
});

it("stores null in a column that is left out, whatever its name is", async () => {
  const columns = { ...prices.columns, toString: { type: "text", isNullable: true } } as const;
  const store = await openCatalogue(undefined, { tables: [{ ...prices, columns }] });
  const table = store.table("prices");

  await table.insert({ maker: ["acme"] });

  expect(await table.rows({ columns: ["maker", "toString"] })).toEqual([
    { maker: "acme", toString: null },
  ]);
});

describe("a batch that cannot be stored as it is", () => {
  const key = { maker: ["acme"], number: ["1"] };

  it.each<[string, string, ColumnBatch]>([
    [
      "a lone surrogate, which storage would change",
      "description",
      { ...key, description: ["a\ud800"] },
    ],
    ["a lone surrogate in a key", "number", { maker: ["acme"], number: ["\udfff"] }],
    ["a null key", "number", { maker: ["acme"], number: [null] }],
    ["a missing key column", "number", { maker: ["acme"] }],
    ["an unknown column", "colour", { ...key, colour: ["red"] }],
    ["a column named toString", "toString", { ...key, toString: ["red"] }],
    ["columns of unequal length", "description", { ...key, description: ["a", "b"] }],
    ["a number in a text column", "description", { ...key, description: [1] }],
    ["text in an integer column", "order", { ...key, order: ["1"] }],
    ["a double in an integer column", "order", { ...key, order: [1] }],
    ["an integer beyond 64 bits", "order", { ...key, order: [2n ** 63n] }],
    ["an integer in a double column", "weight", { ...key, weight: [1n] }],
    ["text in a bytes column", "drawing", { ...key, drawing: ["abc"] }],
    ["a vector of another length", "shape", { ...key, shape: [new Float32Array(3)] }],
    ["a vector beyond float16", "shape", { ...key, shape: [Float32Array.of(1, -65520, 0, 0)] }],
    ["a vector with NaN", "shape", { ...key, shape: [Float32Array.of(1, Number.NaN, 0, 0)] }],
  ])("is refused: %s", async (_, column, batch) => {
    const table = (await openCatalogue()).table("parts");

    const outcome = table.insert(batch);

    await expect(outcome).rejects.toThrow(InvalidBatchError);
    await expect(outcome).rejects.toMatchObject({ details: { table: "parts", column } });
    expect(await table.count()).toBe(0);
  });

  it("is refused in an update too", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(key);

    const outcome = table.update({ ...key, shape: [new Float32Array(4).fill(Number.NaN)] });

    await expect(outcome).rejects.toThrow(InvalidBatchError);
    expect(await table.rows({ columns: ["shape"] })).toEqual([{ shape: null }]);
  });
});

describe("append", () => {
  it("adds rows in their order to a table without indexes", async () => {
    const store = await openCatalogue(temporaryLocation(), { tables: [{ ...parts, indexes: [] }] });
    const table = store.table("parts");

    await table.append(numbered(2));
    await table.append(numbered(1, "globex"));

    const rows = await table.rows({ columns: ["maker", "number"] });
    expect(rows.map((row) => Object.values(row).join(" "))).toEqual([
      "acme n0",
      "acme n1",
      "globex n0",
    ]);
  });

  it("lance-append-only: refuses a table with indexes, where a key could be stored twice", async () => {
    const table = (await openCatalogue()).table("parts");

    await expect(table.append(numbered(1))).rejects.toThrow(TypeError);
  });
});

describe("replace", () => {
  it("lance-append-only: refuses a table that is not derived", async () => {
    const table = (await openCatalogue()).table("parts");

    await expect(table.replace(numbered(1))).rejects.toThrow(TypeError);
  });

  it("overwrites derived rows and adds new ones", async () => {
    const table = (await openCatalogue()).table("prices");
    await table.replace({ maker: ["acme", "globex"], total: [1, 2] });

    await table.replace({ maker: ["globex", "initech", "initech"], total: [3, null, 5] });

    const rows = await table.rows({ columns: ["maker", "total"], orderBy: [{ column: "maker" }] });
    expect(rows).toEqual([
      { maker: "acme", total: 1 },
      { maker: "globex", total: 3 },
      { maker: "initech", total: null },
    ]);
  });

  it("refuses a batch that leaves a column out, which would keep its old cells", async () => {
    const table = (await openCatalogue()).table("prices");

    await expect(table.replace({ maker: ["acme"] })).rejects.toThrow(InvalidBatchError);
  });
});

describe("update", () => {
  const shapes = (from: number, to: number, by: string): ColumnBatch => {
    const numbers = Array.from({ length: to - from }, (_, index) => from + index);
    return {
      maker: numbers.map(() => "acme"),
      number: numbers.map((number) => `n${number}`),
      shape: numbers.map((number) => Float32Array.of(1, number, 0, 0)),
      shaped_by: numbers.map(() => by),
    };
  };

  it("sets derived columns, and leaves the text index on their rows", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(3_000));
    await table.fold({ isForced: true });
    await table.insert(numbered(200, "acme", 3_000));
    const before = await table.health();

    const updated = await table.update(shapes(0, 3_100, "m1"));

    const after = await table.health();
    expect(updated).toBe(3_100);
    expect(unindexed(before, "description")).toBe(200);
    expect(unindexed(after, "description")).toBe(200);
    expect(await table.count(eq("shaped_by", "m1"))).toBe(3_100);
    const [row] = await table.rows({ columns, where: eq("number", "n7") });
    expect(row).toMatchObject({
      description: "hex bolt number 7",
      shape: Float32Array.of(1, 7, 0, 0),
    });
    const hits = await table.nearest({
      column: "shape",
      vector: Float32Array.of(1, 7, 0, 0),
      columns: ["number"],
      limit: 1,
    });
    expect(hits.map(({ number }) => number)).toEqual(["n7"]);
    const found = await table.fullText({
      column: "description",
      query: { terms: "3050" },
      columns: ["number"],
      limit: 5,
    });
    expect(found.map(({ number }) => number)).toEqual(["n3050"]);
  });

  it("keeps the text index on all rows through several updates", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(300));
    await table.fold({ isForced: true });

    for (let from = 0; from < 300; from += 100) await table.update(shapes(from, from + 100, "m1"));

    expect(unindexed(await table.health(), "description")).toBe(0);
    expect(await table.count(eq("shaped_by", "m1"))).toBe(300);
  });

  it("lance-append-only: refuses columns that are not derived", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(1));

    await expect(table.update(numbered(1))).rejects.toThrow(TypeError);
  });

  it("ignores unknown keys, and overwrites the values of known ones", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(10));
    await table.fold({ isForced: true });

    const counts = [
      await table.update(shapes(5, 20, "m1")),
      await table.update(shapes(8, 30, "m2")),
    ];

    expect(counts).toEqual([5, 2]);
    expect(await table.count()).toBe(10);
    expect([
      await table.count(eq("shaped_by", "m1")),
      await table.count(eq("shaped_by", "m2")),
    ]).toEqual([3, 2]);
  });

  it("sets columns before there is any index", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(10));

    expect(await table.update(shapes(0, 4, "m1"))).toBe(4);
    expect(await table.count(eq("shaped_by", "m1"))).toBe(4);
    expect(await table.count()).toBe(10);
  });
});

/** Sign of zero and exact bytes, which loose comparison would not see. */
function comparable(cell: Cell | undefined): unknown {
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString("base64");
  return Object.is(cell, -0) ? "-0" : cell;
}
