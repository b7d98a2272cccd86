import type { Table as LanceTable } from "@lancedb/lancedb";
import type * as Arrow from "apache-arrow";
import type { TableDeclaration } from "../declaration.ts";
import { retry } from "../engine/retry.ts";
import { absentColumns, fromSchema, toFields, versionMetadata } from "../engine/schema.ts";
import { SubstrateError } from "../errors.ts";
import { refresh } from "../indexes/lost-indexes.ts";

// A step that another process took first fails, and is not needed any more.
const maxFailures = 12;

/**
 * Updates a table that an earlier version of the consumer made: adds the derived columns that were
 * declared since, empty, which rewrites no row, and then the version that says so
 * (`lance-dataset-schema-version`). Other processes may do so at the same time.
 *
 * @returns True if this process added columns.
 */
export async function upgrade(
  table: TableDeclaration,
  handle: LanceTable,
  location: string,
): Promise<boolean> {
  const place = { table: table.name, location };
  const options = { refresh: () => refresh(table, handle) };
  for (let failures = 0; ; failures++) {
    try {
      return await retry(place, () => upgradeOnce(table, handle), options);
    } catch (error) {
      if (error instanceof SubstrateError || failures >= maxFailures) throw error;
      await refresh(table, handle);
    }
  }
}

/** True for a table that an earlier version of the consumer made. */
export function isEarlier(table: TableDeclaration, schema: Arrow.Schema): boolean {
  const { schemaVersion = table.schemaVersion } = fromSchema(schema, table) ?? {};
  return schemaVersion < table.schemaVersion;
}

async function upgradeOnce(table: TableDeclaration, handle: LanceTable): Promise<boolean> {
  const schema = await handle.schema();
  if (!isEarlier(table, schema)) return false;
  const absent = absentColumns(schema, table);
  if (absent.length > 0) await handle.addColumns(toFields(table, absent));
  const path = table.primaryKey[0] ?? "";
  await handle.updateFieldMetadata([{ path, metadata: { ...versionMetadata(table) } }]);
  return absent.length > 0;
}
