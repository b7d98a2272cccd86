import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import type { Row } from "../declaration.ts";
import { loadLance } from "../engine/lance.ts";
import { openStore, type Store } from "../store.ts";
import type { Table } from "../table.ts";
import { batchOf, numbered, parts } from "../testing/catalogue.ts";
import { newLocation, openCatalogue, openLanceTable, storageOptions } from "../testing/store.ts";
import { and, eq, gte, not } from "./filter.ts";
import type { FullTextQuery } from "./full-text.ts";

describe("a limit", () => {
  const query = { terms: "bolt" };
  const vector = Float32Array.of(1, 0, 0, 0);
  const columns = ["number"];
  const orderBy = [{ column: "number" }];
  const reads: [string, (table: Table, limit: number) => Promise<Row[]>][] = [
    ["a scan", (table, limit) => table.rows({ columns, limit })],
    ["an ordered scan", (table, limit) => table.rows({ columns, orderBy, limit })],
    ["words", (table, limit) => table.fullText({ column: "description", query, columns, limit })],
    ["vectors", (table, limit) => table.nearest({ column: "shape", vector, columns, limit })],
  ];
  let table: Table;
  beforeAll(async () => {
    const { location, remove } = newLocation();
    const store = await openStore(location, { tables: [parts], mode: "write", storageOptions });
    table = store.table("parts");
    await table.insert({ ...numbered(3), shape: [vector, vector, vector] });
    return () => {
      store.close();
      remove();
    };
  });

  it.each(reads)("of %s may be any whole number of rows, or infinite", async (_, read) => {
    const limits = [0, 2, 3, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, Number.MAX_VALUE, Infinity];

    const counts = await Promise.all(
      limits.map(async (limit) => (await read(table, limit)).length),
    );

    expect(counts).toEqual([0, 2, 3, 3, 3, 3, 3, 3]);
  });

  it.each(reads)("of %s is refused when it is no number of rows", async (_, read) => {
    for (const limit of [-1, 1.5, Number.NaN, -Infinity]) {
      await expect(read(table, limit)).rejects.toThrow(TypeError);
    }
  });
});

describe("scan", () => {
  it("yields every row in batches, and can be left early", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(5_000));

    let rows = 0;
    let batches = 0;
    for await (const batch of table.scan({ columns: ["number"] })) {
      rows += batch.length;
      batches += 1;
    }
    for await (const batch of table.scan({ columns: ["number"] })) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }

    expect(rows).toBe(5_000);
    expect(batches).toBeGreaterThan(1);
  });

  it("yields long rows a few at a time, each with its own values", async () => {
    const table = (await openCatalogue()).table("parts");
    const descriptions = Array.from({ length: 40 }, (_, at) =>
      at % 5 === 0 ? null : String(at).repeat(1_000_000),
    );
    await table.insert({ ...numbered(40), description: descriptions });

    const batches = await Array.fromAsync(table.scan({ columns: ["number", "description"] }));

    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThan(20);
    const found = new Map(batches.flat().map((row) => [row["number"], row["description"]]));
    expect(found).toEqual(new Map(descriptions.map((each, at) => [`n${at}`, each])));
  });

  it("orders by columns that were not asked for, nulls last, and limits the rows", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(
      batchOf([
        { maker: "a", number: "1", order: 2n, weight: 1 },
        { maker: "a", number: "2", order: 1n, weight: 1 },
        { maker: "a", number: "3", order: null, weight: 1 },
        { maker: "a", number: "4", order: 1n, weight: 2 },
      ]),
    );

    const rows = await table.rows({
      columns: ["number"],
      orderBy: [{ column: "order" }, { column: "weight", direction: "desc" }],
    });
    const top = await table.rows({
      columns: ["number"],
      orderBy: [{ column: "order", direction: "desc" }],
      limit: 1,
      where: eq("weight", 1),
    });

    expect(rows.map(({ number }) => number)).toEqual(["4", "2", "1", "3"]);
    expect(top).toEqual([{ number: "1", order: 2n }]);
  });

  it("goes on reading the version it began with while the table is written and folded", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(3_000));

    const scan = table.scan({ columns: ["number"] });
    let rows = (await scan.next()).value?.length ?? 0;
    await table.insert(numbered(100, "globex"));
    await table.fold({ isForced: true });
    for await (const batch of scan) rows += batch.length;

    expect(rows).toBe(3_000);
  });

  it("reads at most rowsAtOnce rows at once, and refuses an invalid number", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(100));
    await table.insert(numbered(30, "globex"));
    const columns = ["number"];
    const where = eq("maker", "acme");

    const batches = await Array.fromAsync(table.scan({ columns, where, rowsAtOnce: 16 }));

    expect(Math.max(...batches.map(({ length }) => length))).toBe(16);
    expect(batches.flat()).toHaveLength(100);
    for (const rowsAtOnce of [0, -1, 1.5, Number.NaN, 2 ** 32]) {
      await expect(table.rows({ columns, rowsAtOnce })).rejects.toThrow(
        new TypeError(`${rowsAtOnce} is not a number of rows to read at once`),
      );
    }
  });

  it("returns text exactly as it was written", async () => {
    const table = (await openCatalogue()).table("parts");
    const texts = ["\ufefffrom a file", "\ufeff", "", "naïve 索引 🔩", "\u0000"];
    const numbers = texts.map((text, at) => `${text}${at}`);
    await table.insert({ maker: texts.map(() => "\ufeffa"), number: numbers, description: texts });

    const columns = ["maker", "description"];
    const rows = await table.rows({ columns, orderBy: [{ column: "number" }] });

    expect(rows.map(({ description }) => description)).toEqual(
      numbers.toSorted().map((number) => number.slice(0, -1)),
    );
    expect(new Set(rows.map(({ maker }) => maker))).toEqual(new Set(["\ufeffa"]));
  });

  it("counts all rows, or those that match a condition", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(10));

    expect([await table.count(), await table.count(gte("number", "n5"))]).toEqual([10, 5]);
  });

  it("refuses an empty list of columns, and an unknown direction of order", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(2));
    const orderBy = [{ column: "number", direction: "down" as "desc" }];

    await expect(table.rows({ columns: [] })).rejects.toThrow(TypeError);
    await expect(table.scan({ columns: [] }).next()).rejects.toThrow("no columns are asked for");
    await expect(table.rows({ columns: ["number"], orderBy })).rejects.toThrow(
      new TypeError("no order is called down"),
    );
    const sorted = [{ column: "number" }];
    expect(await table.rows({ columns: [], orderBy: sorted })).toHaveLength(2);
  });

  it("refuses an unknown column, wherever it is named", async () => {
    const table = (await openCatalogue()).table("parts");
    const [columns, where, limit] = [["number"], not(and(eq("maker", "a"), eq("nowhere", 1))), 1];
    const [terms, vector] = [{ terms: "bolt" }, Float32Array.of(1, 0, 0, 0)];

    const reads = [
      () => table.rows({ columns: ["nowhere"] }),
      () => table.rows({ columns, where }),
      () => table.rows({ columns, orderBy: [{ column: "nowhere" }] }),
      () => table.count(where),
      () => table.fullText({ column: "nowhere", query: terms, columns, limit }),
      () => table.nearest({ column: "shape", vector, columns, where, limit }),
      () => table.explain({ column: "description", query: terms, columns: ["nowhere"], limit }),
    ];

    for (const read of reads) {
      await expect(read()).rejects.toThrow('parts: there is no column "nowhere", only maker,');
    }
  });
});

it.each<[string, unknown, string]>([
  ["is an empty object", {}, "the query asks for nothing"],
  ["has only a mustNot", { mustNot: [{ terms: "a" }] }, "asks for nothing"],
  ["contains an empty query", { must: [{ terms: "a" }], should: [{}] }, "asks for nothing"],
  ["is a plain string", "bolt", "a query has terms, a phrase or other queries"],
  ["has terms that are not a string", { terms: 5 }, "terms must be one string"],
  ["has an unknown operator", { terms: "a", operator: "xor" }, "no operator is called xor"],
  ["has a fuzziness of 3", { terms: "a", fuzziness: 3 }, "a fuzziness of 3"],
  [
    "has a fuzzy term of 33 characters",
    { terms: `a ${"b".repeat(33)}`, fuzziness: 1 },
    "a fuzzy term is too long",
  ],
  ["has NaN as a boost", { terms: "a", boost: Number.NaN }, "a boost of NaN"],
  ["has a negative boost", { must: [{ terms: "a", boost: -1 }] }, "a boost of -1"],
])("throws a TypeError for a full-text query that %s", async (_, query, reason) => {
  const table = (await openCatalogue()).table("parts");
  const search = { column: "description", query: query as FullTextQuery, columns: [], limit: 1 };

  for (const read of [() => table.fullText(search), () => table.explain(search)]) {
    await expect(read()).rejects.toThrow(TypeError);
    await expect(read()).rejects.toThrow(reason);
  }
});

it("refuses a search of a column of another type, or by a vector of another length", async () => {
  const table = (await openCatalogue()).table("parts");
  await table.insert({ ...numbered(1), shape: [Float32Array.of(1, 0, 0, 0)] });
  const [columns, limit, vector] = [["number"], 1, Float32Array.of(1, 0, 0, 0)];
  const phrase = { phrase: "a b" };
  const long = new Float32Array(5);

  const outcomes: [() => Promise<unknown>, string][] = [
    [
      () => table.fullText({ column: "order", query: { terms: "a" }, columns, limit }),
      "parts.order: only text is searched by words",
    ],
    [
      () => table.fullText({ column: "maker", query: phrase, columns, limit }),
      "parts.maker: none of its indexes knows the positions of words",
    ],
    [
      () => table.nearest({ column: "maker", vector, columns, limit }),
      "only a vector column can be searched",
    ],
    [
      () => table.nearest({ column: "shape", vector: long, columns, limit }),
      "parts.shape: its vectors have 4 numbers, not 5",
    ],
    [
      () => table.explain({ column: "shape", vector: long, columns, limit }),
      "parts.shape: its vectors have 4 numbers, not 5",
    ],
  ];
  for (const [read, reason] of outcomes) {
    await expect(read()).rejects.toThrow(TypeError);
    await expect(read()).rejects.toThrow(reason);
  }
});

const descriptions = {
  bolt: "Hex bolt, zinc plated, for the outer housing",
  bolts: "Hex bolts in a box",
  the: "the housing of the pump",
  snake: "see rotate_pump_housing() in src/pump/rotate.ts",
  camel: "call rotatePumpHousing twice",
  chinese: "索引损坏会导致内存泄漏",
  ukrainian: "Корпус насоса тріснув",
  accent: "café façade",
  hash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  long: `${"word ".repeat(300)}needle`,
};

describe.each([["before the first fold"], ["after it"]])("full-text search %s", (when) => {
  const { location, remove } = newLocation();
  let store: Store;
  let table: Table;

  beforeAll(async () => {
    store = await openStore(location, { tables: [parts], mode: "write", storageOptions });
    table = store.table("parts");
    await table.insert(
      batchOf(
        Object.entries(descriptions).map(([number, description]) => ({
          maker: "acme",
          number,
          description,
        })),
      ),
    );
    if (when === "after it") await table.fold({ isForced: true });
  });

  afterAll(() => {
    store.close();
    remove();
  });

  const find = async (query: FullTextQuery): Promise<string[]> => {
    const rows = await table.fullText({
      column: "description",
      query,
      columns: ["number"],
      limit: 20,
    });
    return rows.map(({ number }) => String(number)).sort();
  };

  it.each<[string, FullTextQuery, string[]]>([
    ["a word, whatever its case", { terms: "HEX" }, ["bolt", "bolts"]],
    ["a word as it is written, not its stem", { terms: "bolt" }, ["bolt"]],
    ["a word that English search would drop", { terms: "the" }, ["bolt", "the"]],
    ["any of several words", { terms: "bolt pump" }, ["bolt", "snake", "the"]],
    ["all of several words", { terms: "the pump", operator: "and" }, ["the"]],
    ["a part of an identifier", { terms: "rotate" }, ["snake"]],
    ["a whole identifier", { terms: "rotate_pump_housing", operator: "and" }, ["snake"]],
    ["a path", { phrase: "src/pump/rotate.ts" }, ["snake"]],
    ["camel case as one word", { terms: "rotatepumphousing" }, ["camel"]],
    ["a Chinese word of two characters", { terms: "索引" }, ["chinese"]],
    ["two Chinese words in one text", { terms: "内存泄漏", operator: "and" }, ["chinese"]],
    ["a Ukrainian word", { terms: "корпус" }, ["ukrainian"]],
    ["no word whose accents differ", { terms: "cafe" }, []],
    ["a token of 64 characters", { terms: descriptions.hash }, ["hash"]],
    ["the end of a long text", { terms: "needle" }, ["long"]],
    ["a phrase", { phrase: "hex bolt" }, ["bolt"]],
    ["no phrase in another order", { phrase: "bolt hex" }, []],
    ["nothing for white space", { terms: " " }, []],
    ["nothing for punctuation alone", { terms: '"*:()[]{}^~?\\+-&|!' }, []],
    ["query syntax as plain words", { terms: '"hex AND +bolt' }, ["bolt", "bolts"]],
  ])("finds %s", async (_, query, expected) => {
    expect(await find(query)).toEqual(expected);
  });

  it.each<[string, FullTextQuery, string[]]>([
    [
      "with a letter more or less",
      { terms: "housng zincc", fuzziness: 1 },
      ["bolt", "snake", "the"],
    ],
    ["with another letter", { terms: "ruts", fuzziness: 1 }, []],
    ["with two letters exchanged", { terms: "platde", fuzziness: 2 }, ["bolt"]],
    ["but not with another first letter", { terms: "xousing", fuzziness: 1 }, []],
    ["in Cyrillic", { terms: "корпсу", fuzziness: 2 }, ["ukrainian"]],
    ["of accents", { terms: "cafe facade", fuzziness: 1 }, ["accent"]],
    ["all of several", { terms: "hx bolt", fuzziness: 1, operator: "and" }, ["bolt", "bolts"]],
    ["of nothing", { terms: "", fuzziness: 2 }, []],
    ["of 32 letters", { terms: `${"y".repeat(31)}z зqu${"é".repeat(29)}`, fuzziness: 2 }, []],
  ])("finds similar words %s, if an index holds them", async (_, query, expected) => {
    expect(await find(query)).toEqual(when === "after it" ? expected : []);
  });

  it("combines must, should and mustNot", async () => {
    const query: FullTextQuery = {
      must: [{ terms: "housing" }],
      should: [{ terms: "zinc" }, { terms: "pump" }],
      mustNot: [{ phrase: "the pump" }],
    };

    expect(await find(query)).toEqual(["bolt", "snake"]);
  });

  it("ranks rows by how well they match, and returns their scores", async () => {
    const rows = await table.fullText({
      column: "description",
      query: { should: [{ terms: "hex" }, { terms: "box", boost: 3 }] },
      columns: ["number"],
      limit: 5,
    });

    expect(rows.map(({ number }) => number)).toEqual(["bolts", "bolt"]);
    expect(Number(rows[0]?.["_score"])).toBeGreaterThan(Number(rows[1]?.["_score"]));
  });

  it("tokenizes text as the index does", async () => {
    expect(await table.tokenize("rotate_pump 索引损坏 Don't v1.2")).toEqual([
      "rotate",
      "pump",
      "索引",
      "损坏",
      "don",
      "t",
      "v1",
      "2",
    ]);
  });
});

it("searches folded rows and new ones together", async () => {
  const table = (await openCatalogue()).table("parts");
  await table.insert(numbered(100));
  await table.fold({ isForced: true });
  await table.insert(numbered(5, "globex", 50));
  const search = { column: "description", query: { terms: "52" }, columns: ["maker"], limit: 5 };

  const rows = await table.fullText(search);

  expect(rows.map(({ maker }) => maker).sort()).toEqual(["acme", "globex"]);
  expect(await table.explain(search)).toContain("FlatMatchQuery");
});

it("finds all rows within a condition by a vector index of many partitions", async () => {
  const { location, remove } = newLocation();
  onTestFinished(remove);
  const shaped = { ...parts.columns, shape: { type: { vector: 8 }, isNullable: true } } as const;
  const table = (await openCatalogue(location, { tables: [{ ...parts, columns: shaped }] })).table(
    "parts",
  );
  const shape = Array.from({ length: 2_000 }, (_, number) =>
    Float32Array.from({ length: 8 }, (_each, at) => Math.sin(number * (at + 1) + at)),
  );
  const rows = numbered(2_000);
  await table.insert({ ...rows, maker: shape.map((_, at) => `maker ${at % 100}`), shape });
  const handle = await openLanceTable(location, "parts");
  const options = { numPartitions: 200, distanceType: "cosine" } as const;
  await handle.createIndex("shape", { config: loadLance().Index.ivfRq(options) });
  handle.close();
  const [vector = new Float32Array()] = shape;
  const nearest = { column: "shape", vector, columns: ["number"], where: eq("maker", "maker 7") };

  const found = await table.nearest({ ...nearest, limit: 20 });

  expect(await table.explain({ ...nearest, limit: 20 })).toContain("ANN");
  expect(found.length).toBe(20);
});

it("finds the nearest rows that have a vector, also under a condition", async () => {
  const table = (await openCatalogue()).table("parts");
  await table.insert(
    batchOf([
      { maker: "a", number: "east", shape: Float32Array.of(1, 0, 0, 0) },
      { maker: "a", number: "north", shape: Float32Array.of(0, 2, 0, 0) },
      { maker: "b", number: "north-east", shape: Float32Array.of(3, 3, 0, 0) },
      { maker: "b", number: "nowhere", shape: null },
    ]),
  );
  const nearest = {
    column: "shape",
    vector: Float32Array.of(0, 9, 0, 0),
    columns: ["number"],
    limit: 9,
  };

  const rows = await table.nearest(nearest);
  const within = await table.nearest({ ...nearest, where: eq("maker", "b") });

  expect(rows.map(({ number }) => number)).toEqual(["north", "north-east", "east"]);
  // A distance of nothing may come out below zero.
  const thousandths = rows.map((row) => Math.abs(Math.round(Number(row["_distance"]) * 1000)));
  expect(thousandths).toEqual([0, 293, 1000]);
  expect(within.map(({ number }) => number)).toEqual(["north-east"]);
  expect(await table.explain(nearest)).toContain("KNN");
});

it("rejects an unknown column", async () => {
  const table = (await openCatalogue()).table("parts");

  await expect(table.rows({ columns: ["colour"] })).rejects.toThrow();
  await expect(table.rows({ columns: ["maker"], where: eq("colour", "red") })).rejects.toThrow();
});
