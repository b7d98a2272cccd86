import type { Cell, Row, TableDeclaration } from "../declaration.ts";

/** What the tests store: spare parts of several makers. */
export const parts: TableDeclaration = {
  name: "parts",
  schemaVersion: 1,
  primaryKey: ["maker", "number"],
  columns: {
    maker: { type: "text" },
    number: { type: "text" },
    order: { type: "int64", isNullable: true },
    listed: { type: "timestamp", isNullable: true },
    weight: { type: "float64", isNullable: true },
    description: { type: "text", isNullable: true },
    drawing: { type: "bytes", isNullable: true },
    shape: { type: { vector: 4 }, isNullable: true, isDerived: true },
    shaped_by: { type: "text", isNullable: true, isDerived: true },
  },
  indexes: [
    { column: "maker", kind: "btree" },
    { column: "number", kind: "btree" },
    { column: "listed", kind: "btree" },
    { column: "shaped_by", kind: "bitmap" },
    { column: "description", kind: "full-text", hasPositions: true },
  ],
};

/** Made from parts, so it may be replaced. */
export const prices: TableDeclaration = {
  name: "prices",
  schemaVersion: 1,
  primaryKey: ["maker"],
  isDerived: true,
  columns: { maker: { type: "text" }, total: { type: "float64", isNullable: true } },
  indexes: [{ column: "maker", kind: "btree" }],
};

export const catalogue: readonly TableDeclaration[] = [parts, prices];

type Batch = Record<string, Cell[]>;

/** Rows as a batch; columns as in the first row. */
export function batchOf(rows: readonly Row[]): Batch {
  const names = Object.keys(rows[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? null)]));
}

/** `count` parts of one maker, numbered from `from`. */
export function numbered(count: number, maker: string = "acme", from: number = 0): Batch {
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  return {
    maker: numbers.map(() => maker),
    number: numbers.map((number) => `n${number}`),
    description: numbers.map((number) => `hex bolt number ${number}`),
  };
}
