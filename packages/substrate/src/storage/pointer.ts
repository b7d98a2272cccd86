import { randomUUID } from "node:crypto";
import type { Connection } from "@lancedb/lancedb";
import { arrow } from "../engine/arrow.ts";
import { alreadyExists, isTableNotFound } from "../engine/native-errors.ts";
import { retry } from "../engine/retry.ts";
import { StoreSchemaError } from "../errors.ts";
import type { StoreLocation } from "./storage.ts";

// A pointer says which dataset holds a table of an object store. If several engines create one
// dataset at once, a later one may *overwrite* what an earlier one made and others have written to.
// So every engine creates a dataset of its own, and then a pointer to it, at one place. The first
// version of the pointer counts, for good, and a first version can only be written once.

const key = "pond:dataset";

/** A unique name for a dataset. */
export function newDataset(table: string): string {
  return `${table}.${randomUUID().slice(0, 8)}`;
}

/** Proposes a dataset for a table; resolves to the one that was proposed first. */
export async function pointTo(
  connection: Connection,
  location: StoreLocation,
  table: string,
  dataset: string,
): Promise<string> {
  const field = new arrow.Field("dataset", new arrow.Utf8(), true, new Map([[key, dataset]]));
  const place = { table, location: location.uri };
  try {
    const pointer = await retry(place, () =>
      connection.createEmptyTable(pointerOf(table), new arrow.Schema([field])),
    );
    pointer.close();
  } catch (error) {
    if (!alreadyExists(error)) throw error;
  }
  return pointedTo(connection, location, table);
}

/**
 * The dataset of each existing table, by the table's name.
 *
 * @throws {StoreSchemaError} if another store was copied to this place: each hides what is in the
 * other.
 */
export async function datasetsOf(
  connection: Connection,
  location: StoreLocation,
  tables: readonly string[],
): Promise<Map<string, string>> {
  const place = { table: "catalog", location: location.uri };
  const known = new Set(await retry(place, () => connection.tableNames()));
  const datasets = new Map<string, string>();
  await Promise.all(
    tables.map(async (table) => {
      const pointed = known.has(pointerOf(table))
        ? await pointedTo(connection, location, table).catch(undefinedIfMissing)
        : undefined;
      // A table of a folder has its own name there, even if the folder was copied.
      const own = known.has(table) ? table : undefined;
      if (pointed !== undefined && own !== undefined) {
        const reason = `there are two: ${own}.lance and ${pointed}.lance; move one elsewhere`;
        throw new StoreSchemaError(location.uri, table, reason);
      }
      const dataset = pointed ?? own;
      if (dataset !== undefined) datasets.set(table, dataset);
    }),
  );
  return datasets;
}

/** A dataset that is being made, or whose creation broke off, has no version yet. */
function undefinedIfMissing(error: unknown): undefined {
  if (!isTableNotFound(error)) throw error;
}

function pointedTo(connection: Connection, { uri }: StoreLocation, table: string): Promise<string> {
  return retry({ table, location: uri }, async () => {
    const pointer = await connection.openTable(pointerOf(table));
    try {
      await pointer.checkout(1);
      const dataset = (await pointer.schema()).fields[0]?.metadata.get(key);
      if (dataset === undefined) throw new TypeError(`${pointerOf(table)} names no dataset`);
      return dataset;
    } finally {
      pointer.close();
    }
  });
}

function pointerOf(table: string): string {
  return `${table}.pointer`;
}
