import { checkRow } from "@pond/sessions/rows";
import type { Store, Table } from "@pond/substrate";
import { ArchiveDamagedError, ArchiveHostileError } from "./errors.ts";
import { compareKeys, type Key, keyOf } from "./key-order.ts";
import type { ArchivedTable, Manifest } from "./manifest.ts";
import type { ProgressOptions } from "./progress.ts";
import { readAhead } from "./read-ahead.ts";
import { RowDigest } from "./row-digest.ts";

/**
 * Reads every row of unpacked datasets and checks them: their number is the manifest's, they are in
 * the order of their keys, they have its digests, and an ingest could have written them.
 *
 * @throws {ArchiveError}
 */
export async function checkRows(
  store: Store,
  file: string,
  { tables }: Manifest,
  { onProgress, signal }: ProgressOptions,
): Promise<void> {
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  for (const archived of tables) {
    const table = store.table(archived.name);
    await checkTable(table, file, archived, (rows) => {
      signal?.throwIfAborted();
      done += rows;
      onProgress?.({ step: "check", done, total });
    });
  }
}

async function checkTable(
  table: Table,
  file: string,
  archived: ArchivedTable,
  onRows: (rows: number) => void,
): Promise<void> {
  const place = { file, member: archived.name };
  // Checked first, because it costs nothing and a few bytes can stand for any number of rows.
  const stored = await table.count();
  if (stored !== archived.rows) {
    const reason = `it has ${stored} rows, and the manifest says ${archived.rows}`;
    throw new ArchiveDamagedError(place, reason);
  }
  const digest = new RowDigest(archived.columns);
  const { primaryKey } = table.declaration;
  let last: Key | undefined;
  for await (const rows of readAhead(table.scan({ columns: archived.columns }))) {
    for (const row of rows) {
      const key = keyOf(row, primaryKey);
      if (last && compareKeys(last, key) >= 0) {
        const reason = `row ${digest.rows} is not in the order of the keys`;
        throw new ArchiveDamagedError(place, reason);
      }
      last = key;
      try {
        checkRow(archived.name, row);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new ArchiveHostileError(place, `row ${digest.rows}: ${reason}`, { cause: error });
      }
      digest.add(row);
    }
    if (digest.bytes > archived.bytes) {
      throw new ArchiveHostileError(place, "its rows are larger than the manifest says");
    }
    onRows(rows.length);
  }
  if (digest.digest() !== archived.digest) {
    throw new ArchiveDamagedError(place, "its rows are not those that were exported");
  }
}
