import { describe, expect, it } from "vitest";
import { InvalidBatchError } from "../errors.ts";
import { openCatalogue } from "../testing/store.ts";
import { TextCells } from "./text-cells.ts";

const cellsOf = (cells: readonly (string | null)[]): TextCells => {
  const texts = new TextCells();
  for (const cell of cells) texts.push(cell);
  return texts;
};

const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => String(at).padStart(5, "0"));

const columns: readonly (readonly [what: string, cells: readonly (string | null)[]])[] = [
  ["an empty column", []],
  ["nulls and empty texts", [null, "", null, "a", "", null]],
  ["characters of every UTF-8 width", ["a\0b", "é", "\ufeff€", "\u{1f600}", "\uffff"]],
  ["a text longer than all before it", ["a", "€".repeat(100_000), null, "b"]],
  ["many texts", numbers(3_000)],
];

describe("text cells", () => {
  it.each(columns)("give back %s", (_, cells) => {
    const texts = cellsOf(cells);

    expect(cells.map((_, row) => texts.at(row))).toEqual(cells);
    expect(cells.map((_, row) => texts.sizeOf(row))).toEqual(
      cells.map((cell) => Buffer.byteLength(cell ?? "")),
    );
    expect(Buffer.from(texts.bytes).toString()).toBe(cells.join(""));
  });

  it.each(columns)("can be moved to a copy and extended there: %s", (_, cells) => {
    const texts = cellsOf(cells);
    const { length } = texts.bytes;
    // Freed below: a short Buffer made otherwise lies in one that all others share.
    const file = Buffer.allocUnsafeSlow(length + 12);
    file.set(texts.bytes, 6);

    expect(texts.isIn(texts.bytes)).toBe(true);
    texts.moveTo(file.subarray(6, 6 + length));
    texts.push("another");

    expect([...cells, "another"].map((_, row) => texts.at(row))).toEqual([...cells, "another"]);
    texts.free();
    expect(texts.length).toBe(0);
    expect(() => texts.at(0)).toThrow(RangeError);
  });

  it.each(columns.slice(1))("are stored as the cells of a column: %s", async (_, cells) => {
    const table = (await openCatalogue()).table("parts");
    const number = numbers(cells.length);
    const maker = cells.map(() => "acme");

    await table.insert({ maker, number, description: cellsOf(cells) });

    const orderBy = [{ column: "number" }];
    const rows = await table.rows({ columns: ["number", "description"], orderBy });
    expect(rows.map(({ description }) => description)).toEqual(cells);
  });

  it("store the first of the rows that share a key", async () => {
    const table = (await openCatalogue()).table("parts");
    const keys = { maker: ["a", "a", "b"], number: ["1", "1", "1"] };

    await table.insert({ ...keys, description: cellsOf(["first", "second", null]) });

    const rows = await table.rows({ columns: ["maker", "description"] });
    expect(rows).toEqual([
      { maker: "a", description: "first" },
      { maker: "b", description: null },
    ]);
  });

  it.each([
    ["a lone surrogate", "description", ["1", "2"], ["ok", "\ud800"]],
    ["a lone surrogate among rows that share a key", "description", ["1", "1"], ["\udc00", "b"]],
    ["text for an integer column", "order", ["1", "2"], ["1", "2"]],
    ["null in a key column", "number", undefined, ["1", null]],
  ])("are refused: %s", async (_, column, number, cells) => {
    const table = (await openCatalogue()).table("parts");
    const keys = { maker: ["a", "a"], ...(number && { number }) };

    const insert = table.insert({ ...keys, [column]: cellsOf(cells) });

    await expect(insert).rejects.toBeInstanceOf(InvalidBatchError);
    expect(await table.count()).toBe(0);
  });
});
