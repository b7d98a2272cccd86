import type { TextCells } from "./rows/text-cells.ts";

/** The type of a column. A vector is an array of that many float16 numbers. */
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
  /** True if a row may have no value. */
  readonly isNullable?: boolean;
  /** True for a column made from other columns. Only these can be updated and renewed. */
  readonly isDerived?: boolean;
  /**
   * The schema version in which a derived column was added later. Such a column is nullable,
   * because earlier rows have nothing in it. Default: 1.
   */
  readonly since?: number;
  /**
   * True for text that is read from scattered rows, as hits of a search are. It is stored
   * uncompressed, because every row out of a compressed block costs the whole block.
   */
  readonly isReadByRow?: boolean;
  /**
   * True for nullable bytes or text that only few rows may have and that may be long. In a page of
   * nulls and one value, the engine reads that value for every row: bytes of 1 MB among 1,000 rows
   * took 3 GB, and text of 2.2 MB could not be read at all. So a short marker is stored for no
   * value; other engines see it (`rows/sparse-cells.ts`). Rows cannot be ordered by such a column.
   */
  readonly isSparse?: boolean;
};

/** A word index of a column, the same for every language (`search-language-neutral-index`). */
export type FullTextIndex = {
  readonly column: string;
  readonly kind: "full-text";
  /** Needed for phrases; makes the index about 80 % larger. */
  readonly hasPositions: boolean;
};

/** An index that a fold creates and maintains (`lance-index-maintenance`). */
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

/** A table that a consumer registers (spec 3.1). */
export type TableDeclaration = {
  readonly name: string;
  /** Has to grow with every change of the columns (`lance-dataset-schema-version`). */
  readonly schemaVersion: number;
  /** Columns of type text, int64 or bytes that are not nullable; a time is stored as int64. */
  readonly primaryKey: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
  readonly indexes: readonly IndexDeclaration[];
  /**
   * For a table that was added later: the schema version of the store's first table in which it was
   * added. In a store of an earlier version it is made if it is missing; in any other store a
   * missing table counts as lost. Default: 1.
   */
  readonly since?: number;
  /**
   * True if the rows can be made again from other tables. Only rows of these tables can be
   * replaced.
   */
  readonly isDerived?: boolean;
};

/** A value in a row. Timestamps are microseconds since the epoch. */
export type Cell = string | bigint | number | Uint8Array | Float32Array | null;

/** The cells of one column, one for each row. */
export type Cells = readonly Cell[] | TextCells;

/** Columns of equal length. A nullable column that is left out is all null. */
export type ColumnBatch = Readonly<Record<string, Cells>>;

/** A row: its cells by column. */
export type Row = Record<string, Cell>;
