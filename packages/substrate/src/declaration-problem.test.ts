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
  ["the same key column twice", { primaryKey: ["maker", "maker"] }, "maker is in its key twice"],
  ["the key toString", { primaryKey: ["toString"] }, "there is no column toString"],
  ["a derived key column", withColumn("number", { type: text, isDerived: true }), "derived"],
  ["NaN as its schema version", { schemaVersion: Number.NaN }, "NaN is not a schema version"],
  ["a fractional schema version", { schemaVersion: 1.5 }, "1.5 is not a schema version"],
  ["a schema version that is text", { schemaVersion: wrong("1") }, "1 is not a schema version"],
  ["a table since version NaN", { since: Number.NaN }, "since NaN, which is not a schema version"],
  [
    "a column since version NaN",
    withColumn("x", { ...nullable, since: Number.NaN }),
    "x is since NaN",
  ],
  [
    "a later column that is not nullable",
    withColumn("x", { type: text, since: 2 }),
    "column x came later, with version 2, so it is nullable",
  ],
  ["an empty name", { name: "" }, "its name can be of"],
  ["a path as its name", { name: "a/b" }, "its name can be of"],
  ["the folder above as its name", { name: ".." }, "its name can be of"],
  ["a column without a name", withColumn("", nullable), "a name is of letters, digits and _"],
  ["a dot in a column's name", withColumn("a.b", nullable), "column a.b: a name is of letters"],
  ["a space in a column's name", withColumn("a b", nullable), "column a b: a name is of letters"],
  ...["_rowid", "_rowaddr", "_rowoffset", "_score", "_distance"].map(
    (name): [string, Partial<TableDeclaration>, string] => [
      `the column ${name} of the engine`,
      withColumn(name, nullable),
      `no column can be called ${name}`,
    ],
  ),
  [
    "a column named like one that a renewal uses",
    withColumn("shape_next", nullable),
    "shape_next is to renew",
  ],
  [
    "a column named __proto__",
    { columns: JSON.parse('{"__proto__":{"type":"text"}}') },
    "called __proto__",
  ],
  ["a column of an unknown type", withColumn("x", { type: "varchar" }), "x is of no type there is"],
  ["vectors of length zero", withColumn("x", { type: { vector: 0 } }), "x is of no type there is"],
  [
    "a sparse column of numbers",
    withColumn("x", { ...nullable, isSparse: true }),
    "column x is sparse, so it is of bytes or text",
  ],
  [
    "a bitmap index on a sparse column",
    {
      ...withColumn("x", { type: "bytes", isNullable: true, isSparse: true }),
      ...withIndex({ column: "x", kind: "bitmap" }),
    },
    "column x is sparse, so it has no bitmap index",
  ],
  ["an index of an unknown kind", withIndex({ column: "maker", kind: "hash" }), "of the kind hash"],
  ["an index on a missing column", withIndex({ column: "x", kind: "btree" }), "no column x for"],
  [
    "a full-text index on a missing column",
    withIndex({ column: "x", kind: "full-text", hasPositions: true }),
    "there is no column x for its full-text index",
  ],
  [
    "a full-text index on numbers",
    withIndex({ column: "order", kind: "full-text", hasPositions: true }),
    "column order is not text, so it has no full-text index",
  ],
  [
    "a btree index on bytes",
    withIndex({ column: "drawing", kind: "btree" }),
    "it has no btree index",
  ],
  [
    "a bitmap index on times",
    withIndex({ column: "listed", kind: "bitmap" }),
    "it has no bitmap index",
  ],
  [
    "a vector index on text",
    withIndex({ column: "maker", ...vectorIndex }),
    "it has no vector index",
  ],
  [
    "a vector index with another distance",
    withIndex({ column: "shape", ...vectorIndex, distance: "l2" }),
    "a cosine",
  ],
  [
    "a vector index without a minimum of rows",
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
