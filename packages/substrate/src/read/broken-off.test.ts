import { expect, it, onTestFinished, vi } from "vitest";
import type { Row } from "../declaration.ts";
import { loadLance } from "../engine/lance.ts";
import { StorageUnavailableError } from "../errors.ts";
import type { Table } from "../table.ts";
import { numbered } from "../testing/catalogue.ts";
import { openCatalogue } from "../testing/store.ts";

/** What the engine's own queries give their batches with. */
type Engines = { nativeExecute(options?: object): Promise<{ next(): Promise<unknown> }> };

function enginesOf(prototype: object): Engines {
  if (Object.hasOwn(prototype, "nativeExecute")) return prototype as Engines;
  return enginesOf(Object.getPrototypeOf(prototype));
}

/** Lets so many queries fail behind their first batch. */
function breakOff(times: number): { readonly left: () => number } {
  const engines = enginesOf(loadLance().Query.prototype);
  const { nativeExecute } = engines;
  let left = times;
  const spy = vi.spyOn(engines, "nativeExecute").mockImplementation(async function (
    this: Engines,
    options,
  ) {
    const batches = await nativeExecute.call(this, options);
    if (left === 0) return batches;
    left -= 1;
    let given = 0;
    return {
      next: async () => {
        given += 1;
        if (given > 1) throw new Error("Generic S3 error: HTTP error: error sending request");
        return batches.next();
      },
    };
  });
  onTestFinished(() => spy.mockRestore());
  return { left: () => left };
}

const columns = ["number"];
const query = { terms: "bolt" };
const vector = Float32Array.of(1, 0, 0, 0);
const count = 40;

async function filled(): Promise<Table> {
  const table = (await openCatalogue()).table("parts");
  await table.insert({ ...numbered(count), shape: Array.from({ length: count }, () => vector) });
  return table;
}

const reads: readonly (readonly [string, (table: Table) => Promise<Row[]>])[] = [
  ["a scan", (table) => table.rows({ columns, rowsAtOnce: 4 })],
  [
    "a full-text search",
    (table) => table.fullText({ column: "description", query, columns, limit: count }),
  ],
  ["a vector search", (table) => table.nearest({ column: "shape", vector, columns, limit: count })],
];

it.each(reads)("%s returns every row once though storage fails midway", async (_, read) => {
  const table = await filled();
  const broken = breakOff(2);

  const rows = await read(table);

  expect(broken.left()).toBe(0);
  const numbers = Array.from({ length: count }, (_, at) => `n${at}`);
  expect(rows.map(({ number }) => number).sort()).toEqual(numbers.sort());
});

it.each(reads)(
  "%s fails with a StorageUnavailableError when storage keeps failing",
  async (_, read) => {
    const table = await filled();
    breakOff(3);

    await expect(read(table)).rejects.toThrow(StorageUnavailableError);
  },
);

it("a scan does not begin again once it has given rows", async () => {
  const table = await filled();
  breakOff(1);
  const given: unknown[] = [];

  const scan = async (): Promise<void> => {
    for await (const rows of table.scan({ columns, rowsAtOnce: 4 })) given.push(...rows);
  };

  await expect(scan()).rejects.toThrow(StorageUnavailableError);
  expect(given).toHaveLength(4);
});
