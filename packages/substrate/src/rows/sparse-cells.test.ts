import { expect, it } from "vitest";
import type { Cell, TableDeclaration } from "../declaration.ts";
import { isNull } from "../read/filter.ts";
import type { Table } from "../table.ts";
import { openCatalogue, openLanceTable, temporaryLocation } from "../testing/store.ts";
import { fromSparse, toSparse } from "./sparse-cells.ts";

const files: TableDeclaration = {
  ...{ name: "files", schemaVersion: 2, primaryKey: ["id"], indexes: [] },
  columns: { id: { type: "text" }, data: { type: "bytes", isNullable: true, isSparse: true } },
};
const { isSparse: _, ...dense } = { type: "bytes", isNullable: true, isSparse: true } as const;
const earlier = { ...files, schemaVersion: 1, columns: { ...files.columns, data: dense } };
const mark = toSparse(null) as Uint8Array;
const values: readonly Cell[] = [
  null,
  new Uint8Array(0),
  Uint8Array.of(0),
  Uint8Array.of(112, 111, 110, 100),
  mark,
  Buffer.concat([mark, mark]),
  Buffer.concat([mark, Uint8Array.of(7)]),
  mark.subarray(0, 15),
];

async function openFiles(table: TableDeclaration, location: string): Promise<Table> {
  return (await openCatalogue(location, { tables: [table] })).table("files");
}

/** Bytes as numbers: a buffer and an array of the same are one. */
function plain(cell: Cell): number[] | null {
  return cell instanceof Uint8Array ? [...cell] : null;
}

async function stored(table: Table): Promise<(number[] | null)[]> {
  const rows = await table.rows({ columns: ["data"], orderBy: [{ column: "id" }] });
  return rows.map(({ data = null }) => plain(data));
}

const ids = (letter: string): string[] => values.map((_value, at) => `${letter}${at}`);

it("gives every value back, none too, and those that look like none", async () => {
  expect(values.map((value) => plain(fromSparse(toSparse(value))))).toEqual(values.map(plain));

  const table = await openFiles(files, temporaryLocation());
  await table.insert({ id: ids("a"), data: values });
  await table.insert({ id: ["b"] });
  await table.fold({ isForced: true });

  expect(await stored(table)).toEqual([...values.map(plain), null]);
});

it("reads what was stored before the column was sparse, beside what came since", async () => {
  const location = temporaryLocation();
  const before = await openFiles(earlier, location);
  const some = values.slice(0, 4);
  await before.insert({ id: some.map((_value, at) => `a${at}`), data: some });

  const since = await openFiles(files, location);
  await since.insert({ id: ids("b"), data: values });
  await since.fold({ isForced: true });

  expect(await stored(since)).toEqual([...some, ...values].map(plain));
  const again = openCatalogue(location, { tables: [earlier], mode: "read" });
  await expect(again).rejects.toThrow(/version 2/);
});

it("reads one large value among many that are none as what it is", async () => {
  const location = temporaryLocation();
  const table = await openFiles(files, location);
  const large = Buffer.alloc(100_000, "pond");
  const data = Array.from({ length: 500 }, (_value, at) => (at === 250 ? large : null));
  await table.insert({ id: data.map((_value, at) => `f${at}`), data });
  const handle = await openLanceTable(location, "files");

  let bytes = 0;
  for await (const batch of handle.query().select(["data"])) {
    bytes += batch.getChild("data")?.data[0]?.values.length ?? 0;
  }
  handle.close();

  expect(bytes).toBeLessThan(2 * large.length);
  const found = (await stored(table)).filter((each) => each !== null);
  expect(found.map((each) => Buffer.from(each).equals(large))).toEqual([true]);
});

it("takes no condition", async () => {
  const table = await openFiles(files, temporaryLocation());

  const asked = table.rows({ columns: ["id"], where: isNull("data") });

  await expect(asked).rejects.toThrow("files.data: no condition is on a sparse column");
});
