import { expect, it } from "vitest";
import { copyStore } from "../copy.ts";
import type { Row, TableDeclaration } from "../declaration.ts";
import { verifyStore } from "../integrity/verify.ts";
import { eq, isNotNull, oneOf } from "../read/filter.ts";
import { rowId } from "../read/system-columns.ts";
import type { Store } from "../store.ts";
import { openCatalogue, storageOptions, temporaryLocation } from "../testing/store.ts";

/** Notes with every kind of index, and a column that is sparse since version 2. */
const notes: TableDeclaration = {
  ...{ name: "notes", schemaVersion: 2, primaryKey: ["book", "id"] },
  columns: {
    book: { type: "text" },
    id: { type: "text" },
    kind: { type: "text" },
    said: { type: "text", isNullable: true, isSparse: true },
    vector: { type: { vector: 8 }, isNullable: true, isDerived: true },
  },
  indexes: [
    { column: "book", kind: "btree" },
    { column: "id", kind: "btree" },
    { column: "kind", kind: "bitmap" },
    { column: "said", kind: "full-text", hasPositions: true },
    { column: "vector", kind: "vector", distance: "cosine", minRows: 1_000 },
  ],
};

const earlier: TableDeclaration = {
  ...notes,
  schemaVersion: 1,
  columns: { ...notes.columns, said: { type: "text", isNullable: true } },
};

const count = 6_000;
const columns = ["book", "id", "kind", "said"];

/** Of each book there are rows in every fragment. */
const bookOf = (at: number): string => `b${at % 60}`;

async function storeEarlier(location: string): Promise<void> {
  const store = await openCatalogue(location, { tables: [earlier] });
  const table = store.table("notes");
  for (let from = 0; from < count; from += 2_000) {
    const rows = Array.from({ length: 2_000 }, (_row, at) => from + at);
    await table.insert({
      book: rows.map(bookOf),
      id: rows.map((at) => `n${at}`),
      kind: rows.map((at) => (at % 2 ? "odd" : "even")),
      said: rows.map((at) => (at % 10 === 0 ? `heron ${at} reeds` : null)),
      vector: rows.map((at) => Float32Array.from({ length: 8 }, (_, n) => Math.sin(at * 8 + n))),
    });
  }
  await table.fold({ isForced: true });
}

/** What is found by each kind of index, and without one; scores aside, and in no order. */
async function answersOf(store: Store): Promise<Readonly<Record<string, readonly string[]>>> {
  const table = store.table("notes");
  const inBook = eq("book", "b30");
  const search = { column: "said", columns, limit: count };
  const near = { column: "vector", vector: new Float32Array(8).fill(1), columns, limit: 20 };
  const byId = { columns, orderBy: [{ column: "id" }], where: inBook };
  const found: Readonly<Record<string, Row[]>> = {
    all: await table.rows({ columns }),
    "all row ids": await table.rows({ columns: ["id", rowId] }),
    "by a book, in order": await table.rows(byId),
    "by ids": await table.rows({ columns, where: oneOf("id", ["n1", "n10", "n5990", "n4000"]) }),
    "by a kind": await table.rows({ columns, where: eq("kind", "odd") }),
    "by a value": await table.rows({ columns, where: isNotNull("said") }),
    "by a word": await table.fullText({ ...search, query: { terms: "heron" } }),
    "by a phrase": await table.fullText({ ...search, query: { phrase: "heron 3210 reeds" } }),
    "by a word in a book": await table.fullText({
      ...{ ...search, where: inBook, query: { terms: "heron" } },
    }),
    "by a vector": await table.nearest(near),
    "by a vector in a book": await table.nearest({ ...near, where: inBook }),
  };
  const texts = ([name, rows]: [string, Row[]]) => {
    const plain = rows.map(({ _score, _distance, ...row }) => Object.values(row).join("|"));
    return [name, plain.sort()] as const;
  };
  return Object.fromEntries(Object.entries(found).map(texts));
}

it("answers every read as before when a rewrite of the rows was stopped midway", async () => {
  const location = temporaryLocation();
  await storeEarlier(location);
  const writer = await openCatalogue(location, { tables: [notes] });
  const reader = await openCatalogue(location, { tables: [notes], mode: "read" });
  const before = await answersOf(reader);
  const table = writer.table("notes");
  const controller = new AbortController();
  const { signal } = controller;
  const told: number[] = [];

  const stopped = table.fold({
    signal,
    onRewrite: ({ rows }) => {
      told.push(rows);
      if (rows > 0) controller.abort();
    },
  });
  await expect(stopped).rejects.toThrow(/abort/);

  expect(told.at(-1)).toBeLessThan(count);
  expect(await answersOf(reader)).toEqual(before);
  const again = Array.from({ length: 200 }, (_row, at) => at * 29);
  const outcome = await table.insert({
    book: again.map(bookOf),
    id: again.map((at) => `n${at}`),
    kind: again.map(() => "none"),
  });
  expect(outcome).toEqual({ inserted: 0, present: 200 });
  const [verdict] = await verifyStore(location, { tables: [notes], storageOptions });
  expect(verdict).toMatchObject({ readableRows: count, damages: [] });
  const copy = await openCatalogue(temporaryLocation(), { tables: [notes] });
  await copyStore(reader, copy, ["notes"]);
  expect((await answersOf(copy))["all"]).toEqual(before["all"]);
  const set = { book: again.map(bookOf), id: again.map((at) => `n${at}`) };
  const vector = again.map(() => new Float32Array(8).fill(-1));
  expect(await table.update({ ...set, vector })).toBe(200);

  await table.fold();

  const { "by a vector": _near, "by a vector in a book": _inBook, ...others } = before;
  expect(await answersOf(writer)).toMatchObject(others);
  expect(await table.count(isNotNull("vector"))).toBe(count);
});
