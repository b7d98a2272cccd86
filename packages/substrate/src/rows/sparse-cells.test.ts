import { describe, expect, it } from "vitest";
import type { Cell, Cells, TableDeclaration } from "../declaration.ts";
import {
  contains,
  containsInAnyCase,
  eq,
  type Filter,
  gte,
  isNotNull,
  isNull,
  lt,
  ne,
  not,
  oneOf,
  or,
} from "../read/filter.ts";
import type { Table } from "../table.ts";
import { openCatalogue, openLanceTable, temporaryLocation } from "../testing/store.ts";
import { fromSparse, toSparseCells } from "./sparse-cells.ts";
import { TextCells } from "./text-cells.ts";

type Kind = "bytes" | "text";

/** What stands for none in a column. */
function markOf(kind: Kind): Uint8Array & string {
  return toSparseCells([null], kind).at(0) as Uint8Array & string;
}

const bytesMark: Uint8Array = markOf("bytes");
const textMark: string = markOf("text");
const values: Readonly<Record<Kind, readonly Cell[]>> = {
  bytes: [
    null,
    new Uint8Array(0),
    Uint8Array.of(0),
    Uint8Array.of(112, 111, 110, 100),
    bytesMark,
    Buffer.concat([bytesMark, bytesMark]),
    Buffer.concat([bytesMark, Uint8Array.of(7)]),
    bytesMark.subarray(0, 15),
  ],
  text: [
    ...[null, "", "\0", "pond", textMark, textMark + textMark, `${textMark}x`],
    ...[textMark.slice(0, 1), textMark.slice(1), `x${textMark}`, "é", "mill-WHEEL_7", null],
  ],
};

function filesOf(type: Kind): TableDeclaration {
  return {
    ...{ name: "files", schemaVersion: 2, primaryKey: ["id"], indexes: [] },
    columns: { id: { type: "text" }, data: { type, isNullable: true, isSparse: true } },
  };
}

/** The same table before the column was sparse. */
function earlierOf(type: Kind): TableDeclaration {
  const data = { type, isNullable: true } as const;
  return { ...filesOf(type), schemaVersion: 1, columns: { id: { type: "text" }, data } };
}

async function openFiles(table: TableDeclaration, location: string): Promise<Table> {
  return (await openCatalogue(location, { tables: [table] })).table("files");
}

/** Bytes as numbers: a buffer and an array of the same are one. */
function plain(cell: Cell): Cell | number[] {
  return cell instanceof Uint8Array ? [...cell] : cell;
}

async function stored(table: Table): Promise<(Cell | number[])[]> {
  const rows = await table.rows({ columns: ["data"], orderBy: [{ column: "id" }] });
  return rows.map(({ data = null }) => plain(data));
}

/** Ids in the order of their rows. */
function ids(letter: string, { length }: { readonly length: number }): string[] {
  return Array.from({ length }, (_each, at) => letter + String(at).padStart(4, "0"));
}

function encoded(cells: readonly Cell[]): TextCells {
  const texts = new TextCells();
  for (const cell of cells) texts.push(cell as string | null);
  return texts;
}

describe.each<Kind>(["bytes", "text"])("a sparse column of %s", (kind) => {
  const files = filesOf(kind);
  const cells = values[kind];

  it("returns every value, with nulls and with values that look like the mark for null", async () => {
    const table = await openFiles(files, temporaryLocation());
    await table.insert({ id: ids("a", cells), data: cells });
    await table.insert({ id: ["b"] });
    await table.fold({ isForced: true });

    expect(await stored(table)).toEqual([...cells.map(plain), null]);
  });

  it("returns values stored before the column was sparse, beside those stored since", async () => {
    const location = temporaryLocation();
    const before = await openFiles(earlierOf(kind), location);
    const some = cells.slice(0, 4);
    await before.insert({ id: ids("a", some), data: some });

    const since = await openFiles(files, location);
    await since.insert({ id: ids("b", cells), data: cells });
    await since.fold({ isForced: true });

    expect(await stored(since)).toEqual([...some, ...cells].map(plain));
    const again = openCatalogue(location, { tables: [earlierOf(kind)], mode: "read" });
    await expect(again).rejects.toThrow(/version 2/);
  });

  it("reads one large value among many nulls at about its own size", async () => {
    const location = temporaryLocation();
    const table = await openFiles(files, location);
    const bytes = Buffer.alloc(100_000, "pond");
    const large = kind === "bytes" ? bytes : bytes.toString();
    const data = Array.from({ length: 500 }, (_value, at) => (at === 250 ? large : null));
    await table.insert({ id: ids("f", data), data });
    const handle = await openLanceTable(location, "files");

    let read = 0;
    for await (const batch of handle.query().select(["data"])) {
      read += batch.getChild("data")?.data[0]?.values.length ?? 0;
    }
    handle.close();

    expect(read).toBeLessThan(2 * large.length);
    const found = (await stored(table)).filter((each) => each !== null);
    expect(found).toEqual([plain(large)]);
  });

  it("is null where no value was stored, before the column was sparse and since", async () => {
    const location = temporaryLocation();
    await (await openFiles(earlierOf(kind), location)).insert({ id: ["before"] });
    const table = await openFiles(files, location);
    await table.insert({ id: ids("a", cells), data: cells });
    const none = ids("a", cells).filter((_id, at) => cells[at] === null);

    const rows = await table.rows({ columns: ["id"], where: isNull("data") });

    expect(rows.map(({ id }) => id).sort()).toEqual([...none, "before"]);
    expect(await table.count(isNotNull("data"))).toBe(cells.length - none.length);
  });

  it("refuses to order rows, because the mark for null would sort among the values", async () => {
    const table = await openFiles(files, temporaryLocation());

    const asked = table.rows({ columns: ["id"], orderBy: [{ column: "data" }] });

    await expect(asked).rejects.toThrow(TypeError);
    await expect(asked).rejects.toThrow("files.data: rows cannot be ordered by a sparse column");
  });
});

it("sparse cells give back texts that were encoded one by one", () => {
  const given: Cells = encoded(values.text);

  const cells = toSparseCells(given, "text");

  const back = values.text.map((_value, at) => fromSparse(cells.at(at) ?? null));
  expect(back).toEqual(values.text);
  expect(toSparseCells(values.text, "text")).toEqual(values.text.map((_value, at) => cells.at(at)));
  expect((toSparseCells(encoded(["\ud800"]), "text") as TextCells).isWellFormed).toBe(false);
});

describe("a condition on a sparse column", () => {
  const texts = values.text.filter((text): text is string => text !== null);
  const conditions: readonly Filter[] = [
    ...texts.flatMap((text) => [eq, ne, lt, gte].map((each) => each("data", text))),
    ...["", "\0", "pond", "x", "é", "o", "O", "ll-w", "EL_7", "x_7"].flatMap((text) =>
      [contains, containsInAnyCase].map((each) => each("data", text)),
    ),
    ...[oneOf("data", texts.slice(0, 5)), eq("data", `${textMark}\ud800`), isNull("data")],
    ...[ne("data", "\ud800"), lt("data", `${textMark}\ud800`), contains("data", "\ud800")],
  ];

  it("selects the same rows as on any other column, also when it is negated", async () => {
    const tables = [earlierOf("text"), filesOf("text")];
    const [dense, sparse] = await Promise.all(
      tables.map((table) => openFiles(table, temporaryLocation())),
    );
    for (const table of [dense, sparse]) {
      await table?.insert({ id: ids("a", values.text), data: values.text });
    }

    for (const where of conditions.flatMap((each) => [each, not(each), or(each, isNull("data"))])) {
      const [expected, rows] = await Promise.all(
        [dense, sparse].map((table) => table?.rows({ columns: ["id", "data"], where })),
      );
      expect([where, rows]).toEqual([where, expected]);
    }
  });
});

it("a null in a sparse column contains no text, not even that of its mark", async () => {
  const table = await openFiles(filesOf("text"), temporaryLocation());
  await table.insert({ id: ["a", "b"], data: [null, "x"] });

  const found = await table.rows({ columns: ["id"], where: contains("data", textMark.slice(1)) });

  expect(found).toEqual([]);
});

it("scores words alike in sparse and dense columns with nulls, before and after a fold", async () => {
  const said = ["alpha beta", "beta beta gamma", "gamma"];
  const data = Array.from({ length: 60 }, (_value, at) => said[at % 12] ?? null);
  const scores = [earlierOf("text"), filesOf("text")].map(async (table) => {
    const indexed = { column: "data", kind: "full-text", hasPositions: true } as const;
    const opened = await openFiles({ ...table, indexes: [indexed] }, temporaryLocation());
    await opened.insert({ id: ids("a", data), data });
    const search = { column: "data", columns: ["id", "data"], limit: 60 };
    const found = async (terms: string): Promise<unknown[]> => {
      const rows = await opened.fullText({ ...search, query: { terms } });
      return rows.map(({ id, data, _score }) => [id, data, _score]).sort();
    };
    const before = await found("beta gamma");
    await opened.fold({ isForced: true });
    const health = await opened.health();
    return [before, await found("beta gamma"), await found(textMark), health.indexes];
  });

  const [dense, sparse] = await Promise.all(scores);

  expect(sparse).toEqual(dense);
  expect(sparse?.[0]).toHaveLength(15);
  expect(sparse?.[2]).toEqual([]);
});
