import type { Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";

/** How far an index is behind. Rows that are not indexed are scanned, so nothing is missed. */
export type IndexHealth = {
  readonly name: string;
  readonly column: string;
  readonly kind: string;
  readonly indexedRows: number;
  /** Rows that a query still scans, because no fold has reached them. */
  readonly unindexedRows: number;
  readonly bytes: number;
};

/** The size of a table, and its indexes. */
export type TableHealth = {
  readonly name: string;
  readonly rows: number;
  /** For the newest version, rows and indexes together. */
  readonly bytes: number;
  /** Pieces in which the rows are stored; a fold joins small ones. */
  readonly fragments: number;
  readonly indexes: readonly IndexHealth[];
};

/** Reads what a table holds, and how far its indexes reach. */
export async function healthOf(table: TableDeclaration, handle: LanceTable): Promise<TableHealth> {
  const [stats, indices] = await Promise.all([handle.stats(), handle.listIndices()]);
  return {
    name: table.name,
    rows: stats.numRows,
    bytes: stats.totalBytes,
    fragments: stats.fragmentStats.numFragments,
    indexes: indices.map(
      (index): IndexHealth => ({
        name: index.name,
        column: index.columns[0] ?? "",
        kind: index.indexType,
        indexedRows: index.numIndexedRows ?? 0,
        unindexedRows: index.numUnindexedRows ?? 0,
        bytes: Number(index.sizeBytes ?? 0),
      }),
    ),
  };
}
