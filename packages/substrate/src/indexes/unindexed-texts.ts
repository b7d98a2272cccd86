import type { Table as LanceTable } from "@lancedb/lancedb";
import { quoteColumn } from "../read/sql.ts";
import type { IndexHealth } from "./health.ts";

// Few at first, because each may be as long as a text can be.
const fewestRowsAtOnce = 4;
const mostRowsAtOnce = 512;

/**
 * True if the texts that a full-text index does not cover hold more bytes than these. Every query
 * reads all of them, at 25 ms for each MB; this reads no more than it takes to tell.
 */
export async function areUnindexedTextsLonger(
  bytes: number,
  { column, unindexedRows }: IndexHealth,
  handle: LanceTable,
): Promise<boolean> {
  let left = bytes;
  // The uncovered rows are the last ones: what a write replaces is stored again behind the others.
  let end = await handle.countRows();
  const first = Math.max(0, end - unindexedRows);
  for (let atOnce = fewestRowsAtOnce; end > first && left >= 0; ) {
    const length = Math.min(atOnce, end - first);
    end -= length;
    const offsets = Array.from({ length }, (_, at) => end + at);
    const sizes = { size: `octet_length(${quoteColumn(column)})` };
    for (const { size } of await handle.takeOffsets(offsets).select(sizes).toArray()) {
      left -= Number(size ?? 0);
    }
    atOnce = Math.min(mostRowsAtOnce, 2 * atOnce);
  }
  return left < 0;
}
