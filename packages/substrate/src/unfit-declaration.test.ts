import { expect, it } from "vitest";
import type { Column, ColumnType, TableDeclaration } from "./declaration.ts";
import { StoreNotFoundError, StoreSchemaError } from "./errors.ts";
import { parts, prices } from "./testing/catalogue.ts";
import { openCatalogue, temporaryLocation } from "./testing/store.ts";

const [nullable, text] = [{ type: "float64", isNullable: true } as const, "text" as const];
const withColumn = (name: string, column: unknown): Partial<TableDeclaration> => ({
  columns: { ...parts.columns, [name]: column as Column },
});
const withIndex = (index: unknown): Partial<TableDeclaration> => ({
  indexes: [index as TableDeclaration["indexes"][number]],
});
const vectorIndex = { kind: "vector", distance: "cosine", minRows: 1 };
const wrong = (value: unknown): never => value as never;

it.each<[string, Partial<TableDeclaration>, string]>([
  ["a key of one column twice", { primaryKey: ["maker", "maker"] }, "maker is in its key twice"],
  ["a key of what objects have", { primaryKey: ["toString"] }, "there is no column toString"],
  ["a key that can be emptied", withColumn("number", { type: text, isDerived: true }), "derived"],
  ["a version that is no number", { schemaVersion: Number.NaN }, "NaN is not a schema version"],
  ["half a version", { schemaVersion: 1.5 }, "1.5 is not a schema version"],
  ["a version that is text", { schemaVersion: wrong("1") }, "1 is not a schema version"],
  ["a table since NaN", { since: Number.NaN }, "since NaN, which is not a schema version"],
  ["a column since NaN", withColumn("x", { ...nullable, since: Number.NaN }), "x is since NaN"],
  [
    "a later column that every row has",
    withColumn("x", { type: text, since: 2 }),
    "column x came later, with version 2, so it is nullable",
  ],
  ["no name", { name: "" }, "its name can be of"],
  ["a path as its name", { name: "a/b" }, "its name can be of"],
  ["the folder above as its name", { name: ".." }, "its name can be of"],
  ["a column without a name", withColumn("", nullable), "a name is of letters, digits and _"],
  ["a column with a dot", withColumn("a.b", nullable), "column a.b: a name is of letters"],
  ["a column with a blank", withColumn("a b", nullable), "column a b: a name is of letters"],
  ...["_rowid", "_rowaddr", "_rowoffset", "_score", "_distance"].map(
    (name): [string, Partial<TableDeclaration>, string] => [
      `the column ${name} of the engine`,
      withColumn(name, nullable),
      `no column can be called ${name}`,
    ],
  ),
  ["what a column is renewed in", withColumn("shape_next", nullable), "shape_next is to renew"],
  ["a prototype", { columns: JSON.parse('{"__proto__":{"type":"text"}}') }, "called __proto__"],
  ["a type there is none of", withColumn("x", { type: "varchar" }), "x is of no type there is"],
  ["vectors of nothing", withColumn("x", { type: { vector: 0 } }), "x is of no type there is"],
  [
    "few numbers",
    withColumn("x", { ...nullable, isSparse: true }),
    "column x is sparse, so it is of bytes or text",
  ],
  [
    "an index of few bytes",
    {
      ...withColumn("x", { type: "bytes", isNullable: true, isSparse: true }),
      ...withIndex({ column: "x", kind: "bitmap" }),
    },
    "column x is sparse, so it has no bitmap index",
  ],
  ["an index there is none of", withIndex({ column: "maker", kind: "hash" }), "of the kind hash"],
  ["an index of what is not there", withIndex({ column: "x", kind: "btree" }), "no column x for"],
  [
    "words of what is not there",
    withIndex({ column: "x", kind: "full-text", hasPositions: true }),
    "there is no column x for its full-text index",
  ],
  [
    "words of numbers",
    withIndex({ column: "order", kind: "full-text", hasPositions: true }),
    "column order is not text, so it has no full-text index",
  ],
  ["a tree of bytes", withIndex({ column: "drawing", kind: "btree" }), "it has no btree index"],
  ["a bitmap of times", withIndex({ column: "listed", kind: "bitmap" }), "it has no bitmap index"],
  ["vectors of text", withIndex({ column: "maker", ...vectorIndex }), "it has no vector index"],
  ["another distance", withIndex({ column: "shape", ...vectorIndex, distance: "l2" }), "a cosine"],
  [
    "vectors without a least number",
    withIndex({ column: "shape", ...vectorIndex, minRows: wrong(undefined) }),
    "a number of rows",
  ],
])("refuses a declaration with %s before anything is made", async (_, slip, reason) => {
  const location = temporaryLocation();
  const tables = [prices, { ...parts, indexes: [], ...slip }];

  for (const mode of ["read", "write"] as const) {
    const outcome = openCatalogue(location, { mode, tables });
    await expect(outcome).rejects.toThrow(StoreSchemaError);
    await expect(outcome).rejects.toThrow(reason);
  }
  await expect(openCatalogue(location, { mode: "read" })).rejects.toThrow(StoreNotFoundError);
});

it("refuses a table that is declared twice", async () => {
  const outcome = openCatalogue(undefined, { tables: [parts, prices, parts] });

  await expect(outcome).rejects.toThrow(StoreSchemaError);
  await expect(outcome).rejects.toThrow("table parts: it is declared twice");
});

it("makes b-tree and bitmap indexes on every column type that may have them", async () => {
  const column = (type: ColumnType): Column => ({ type, isNullable: true });
  const columns = {
    maker: { type: text },
    ...{ count: column("int64"), at: column("timestamp"), weight: column("float64") },
    ...{ drawing: column("bytes"), about: column("text") },
  };
  const [first, second] = [
    ["maker", "count", "at", "weight"],
    ["about", "count", "drawing"],
  ];
  const cells = { maker: ["a"], count: [1n], at: [1n], weight: [1], drawing: [Buffer.from("a")] };
  const store = await openCatalogue(undefined, {
    tables: [
      { ...prices, columns, indexes: first.map((name) => ({ column: name, kind: "btree" })) },
      {
        ...prices,
        name: "b",
        columns,
        indexes: second.map((name) => ({ column: name, kind: "bitmap" })),
      },
    ],
  });

  const created = ["prices", "b"].map(async (name) => {
    await store.table(name).insert({ ...cells, about: ["b"] });
    return (await store.table(name).fold({ isForced: true })).created;
  });

  expect(await Promise.all(created)).toEqual([first, second]);
});
