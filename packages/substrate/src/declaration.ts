import type { TextCells } from "./rows/text-cells.ts";

/** What a column holds. A vector is an array of that many float16 numbers. */
export type ColumnType =
  | "text"
  | "int64"
  | "timestamp"
  | "float64"
  | "bytes"
  | { readonly vector: number };

/** A column of a table. */
export type Column = {
  readonly type: ColumnType;
  /** True where a row may have no value. */
  readonly isNullable?: boolean;
  /** True for what is made from other columns: only these can be updated and renewed. */
  readonly isDerived?: boolean;
  /**
   * The schema version it came with, of a derived column that came later. It is nullable, for earlier
   * rows have nothing in it. Default 1.
   */
  readonly since?: number;
  /**
   * True for text that is read a row here and a row there, as hits of a search are: it is stored
   * uncompressed, for every row out of a compressed block costs the whole block.
   */
  readonly isReadByRow?: boolean;
  /**
   * True for nullable bytes or text that few rows may have, and that may be long. Of a page of nulls and
   * one value the engine reads that value for every row: bytes of 1 MB among 1,000 rows took 3 GB, and
   * text of 2.2 MB could not be read at all. So something short is stored where there is none, which
   * other engines find there (`rows/sparse-cells.ts`). Rows are not ordered by it.
   */
  readonly isSparse?: boolean;
};

/**
 * An index of the words of a column, alike for every language (`search-language-neutral-index`).
 */
export type FullTextIndex = {
  readonly column: string;
  readonly kind: "full-text";
  /** Needed for phrases; costs about 80 % more index. */
  readonly hasPositions: boolean;
};

/** An index that a fold makes and keeps up (`lance-index-maintenance`). */
export type IndexDeclaration =
  | { readonly column: string; readonly kind: "btree" | "bitmap" }
  | FullTextIndex
  | {
      readonly column: string;
      readonly kind: "vector";
      readonly distance: "cosine";
      /** Below this many rows a flat scan is as good. */
      readonly minRows: number;
    };

/** A table a consumer registers (spec 3.1). */
export type TableDeclaration = {
  readonly name: string;
  /** Grows with every change of the columns (`lance-dataset-schema-version`). */
  readonly schemaVersion: number;
  /** Columns of type text, int64 or bytes that are not nullable; times go into int64. */
  readonly primaryKey: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
  readonly indexes: readonly IndexDeclaration[];
  /**
   * The schema version of the store's first table it came with, of a table that came later: it is
   * made where it is missing in a store of an earlier version, and else called lost. Default 1.
   */
  readonly since?: number;
  /** True where the rows can be made again from other tables; only these can be replaced. */
  readonly isDerived?: boolean;
};

/** Timestamps are microseconds since the epoch. */
export type Cell = string | bigint | number | Uint8Array | Float32Array | null;

/** The cells of one column, one for each row. */
export type Cells = readonly Cell[] | TextCells;

/** Columns of equal length. A nullable column left out is all null. */
export type ColumnBatch = Readonly<Record<string, Cells>>;

/** A row by column. */
export type Row = Record<string, Cell>;
