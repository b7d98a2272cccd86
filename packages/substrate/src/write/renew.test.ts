import { describe, expect, it } from "vitest";
import { copyStore } from "../copy.ts";
import type { Cell } from "../declaration.ts";
import { arrow } from "../engine/arrow.ts";
import { toType } from "../engine/schema.ts";
import { StorageUnavailableError } from "../errors.ts";
import { numbered, parts } from "../testing/catalogue.ts";
import { openCatalogue, openLanceTable, temporaryLocation } from "../testing/store.ts";
import { renew } from "./renew.ts";

const shapes = (count: number, dimension: number): Cell[] =>
  Array.from({ length: count }, (_, index) => new Float32Array(dimension).fill(index + 1));

const shaped = (count: number, dimension: number, by: string) => {
  const { maker = [], number = [] } = numbered(count);
  return { maker, number, shape: shapes(count, dimension), shaped_by: number.map(() => by) };
};

/** Steps of a renewal, as a process that is killed leaves them behind. */
async function breakOff(location: string, steps: number): Promise<void> {
  const handle = await openLanceTable(location, "parts");
  const columns = ["shape", "shaped_by"];
  const run = [
    () =>
      handle.addColumns([
        new arrow.Field("shape_next", toType({ vector: 8 }), true),
        new arrow.Field("shaped_by_next", toType("text"), true),
      ]),
    () =>
      handle.alterColumns(
        columns.flatMap((name) => [
          { path: name, rename: `${name}_previous` },
          { path: `${name}_next`, rename: name },
        ]),
      ),
    () => handle.dropColumns(columns.map((name) => `${name}_previous`)),
  ];
  for (const step of run.slice(0, steps)) await step();
}

describe("renew", () => {
  it.each([1.5, 0, -1, Number.NaN])("refuses vectors of %s numbers", async (dimension) => {
    const table = (await openCatalogue()).table("parts");

    await expect(table.renew({ shape: { vector: dimension } })).rejects.toThrow(RangeError);
    expect(await table.vectorDimension("shape")).toBe(4);
  });

  it("empties derived columns, and keeps the others with their indexes", async () => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(300));
    await table.update(shaped(300, 4, "m1"));
    await table.fold({ isForced: true });

    await table.renew({ shape: { vector: 8 }, shaped_by: "text" });

    const columns = ["number", "description", "shape", "shaped_by"];
    const rows = await table.rows({ columns, orderBy: [{ column: "number" }], limit: 1 });
    expect(rows).toEqual([
      { number: "n0", description: "hex bolt number 0", shape: null, shaped_by: null },
    ]);
    expect(await table.vectorDimension("shape")).toBe(8);
    const { indexes } = await table.health();
    const covered = indexes.map(({ column, unindexedRows }) => [column, unindexedRows]);
    expect(covered.sort()).toEqual([
      ["description", 0],
      ["listed", 0],
      ["maker", 0],
      ["number", 0],
    ]);
    expect(await table.update(shaped(300, 8, "m2"))).toBe(300);
    expect((await table.fold()).created).toContain("shaped_by");
  });

  it("is seen by other stores that have the table open, to read and to write", async () => {
    const location = temporaryLocation();
    const [one, other] = [await openCatalogue(location), await openCatalogue(location)];
    await one.table("parts").insert(numbered(10));

    await one.table("parts").renew({ shape: { vector: 8 } });
    const { inserted } = await other.table("parts").insert(numbered(5, "globex"));
    await other.table("parts").update(shaped(10, 8, "m2"));

    expect(inserted).toBe(5);
    const nearest = { column: "shape", vector: new Float32Array(8).fill(1), limit: 20 };
    expect((await one.table("parts").nearest({ ...nearest, columns: ["number"] })).length).toBe(10);
  });

  it("lance-append-only: refuses a column that is not derived", async () => {
    const table = (await openCatalogue()).table("parts");

    await expect(table.renew({ description: "text" })).rejects.toThrow(TypeError);
  });

  it.each([1, 2, 3])(
    "broken off after step %d is completed by the next opening to write",
    async (steps) => {
      const location = temporaryLocation();
      const first = await openCatalogue(location);
      await first.table("parts").insert(numbered(10));
      await first.table("parts").update(shaped(10, 4, "m1"));
      await breakOff(location, steps);

      // Who only reads finds either the old columns or the empty ones.
      const reader = (await openCatalogue(location, { mode: "read" })).table("parts");
      const columns = ["shape", "shaped_by"];
      const [seen] = await reader.rows({ columns, limit: 1 });
      const table = (await openCatalogue(location)).table("parts");
      const [left] = await table.rows({ columns, limit: 1 });

      const old = { shape: new Float32Array(4).fill(1), shaped_by: "m1" };
      const empty = { shape: null, shaped_by: null };
      expect([seen, left]).toEqual([steps === 1 ? old : empty, empty]);
      expect(await table.vectorDimension("shape")).toBe(8);
      expect(await table.update(shaped(10, 8, "m2"))).toBe(10);
    },
  );

  it("lance-retry-jitter: fails after one try on a full disk", async () => {
    const location = temporaryLocation();
    await openCatalogue(location);
    const handle = await openLanceTable(location, "parts");
    let tries = 0;
    handle.addColumns = () => {
      tries += 1;
      return Promise.reject(
        new Error("lance error: IO error: No space left on device (os error 28)"),
      );
    };

    const renewed = renew(parts, handle, location, { shape: { vector: 8 } });

    await expect(renewed).rejects.toThrow(StorageUnavailableError);
    expect(tries).toBe(1);
  });

  it("loses no rows when several run at once beside a writer", async () => {
    const location = temporaryLocation();
    const stores = await Promise.all([1, 2, 3].map(() => openCatalogue(location)));
    const [one, two, three] = stores.map((store) => store.table("parts"));
    if (!one || !two || !three) throw new TypeError("no table");
    await one.insert(numbered(100));

    await Promise.all([
      one.renew({ shape: { vector: 8 }, shaped_by: "text" }),
      two.renew({ shape: { vector: 8 }, shaped_by: "text" }),
      insertAll(three),
    ]);

    expect(await one.count()).toBe(300);
    expect(await one.vectorDimension("shape")).toBe(8);
    expect(await one.update(shaped(100, 8, "m2"))).toBe(100);
  });
});

async function insertAll(table: {
  insert: (batch: ReturnType<typeof numbered>) => Promise<unknown>;
}) {
  for (let from = 0; from < 200; from += 10) await table.insert(numbered(10, "globex", from));
}

describe("copyStore", () => {
  it.each([
    ["an empty store, with their vectors", 0, 8, 10],
    ["a store with vectors of another length, leaving out their own", 3, 4, 3],
  ])("copies rows into %s", async (_, already, dimension, vectors) => {
    const [from, to] = [await openCatalogue(), await openCatalogue()];
    await from.table("parts").insert(numbered(10));
    await from.table("parts").renew({ shape: { vector: 8 }, shaped_by: "text" });
    await from.table("parts").update(shaped(10, 8, "m2"));
    const { maker = [], ...others } = shaped(already, 4, "m1");
    if (already > 0)
      await to.table("parts").insert({ ...others, maker: maker.map(() => "globex") });

    await copyStore(from, to, ["parts"]);

    const table = to.table("parts");
    expect(await table.count()).toBe(10 + already);
    expect(await table.vectorDimension("shape")).toBe(dimension);
    expect(await table.count({ op: "not-null", column: "shaped_by" })).toBe(vectors);
  });
});
