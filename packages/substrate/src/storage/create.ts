import { join } from "node:path";
import type { Connection, Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { loadLance } from "../engine/lance.ts";
import { alreadyExists } from "../engine/native-errors.ts";
import { retry } from "../engine/retry.ts";
import { toSchema } from "../engine/schema.ts";
import { createIndexes } from "../indexes/indexes.ts";
import { newDataset, pointTo } from "./pointer.ts";
import { type StoreLocation, withDraftFolder } from "./storage.ts";

// None of these can be switched on later (`lance-table-creation-stable-row-ids`).
const creationOptions = {
  new_table_data_storage_version: "2.2",
  new_table_enable_v2_manifest_paths: "true",
  new_table_enable_stable_row_ids: "true",
};

/**
 * Creates a table, unless another process is faster; that one's table serves as well.
 *
 * If several engines create one table at once, a later one may *overwrite* what an earlier one made
 * and others have written to. A local table is therefore made aside and moved into place, which
 * only one mover can do. A table in an object store is made under a name of its own, and then
 * pointed to.
 *
 * @returns The name of its dataset.
 */
export async function createTable(
  location: StoreLocation,
  connection: Connection,
  table: TableDeclaration,
  storeId: string,
): Promise<string> {
  if (location.folder === undefined) {
    const dataset = newDataset(table.name);
    await createDataset(connection, location, table, dataset, storeId);
    const first = await pointTo(connection, location, table.name, dataset);
    // If this fails, what is left is empty, and nobody looks for it.
    if (first !== dataset) await connection.dropTable(dataset).catch(() => undefined);
    return first;
  }
  await withDraftFolder(location.folder, async (draft, adopt) => {
    const aside = await loadLance().connect(draft);
    await createDataset(aside, location, table, table.name, storeId);
    aside.close();
    await adopt(join(draft, `${table.name}.lance`));
  });
  return table.name;
}

/** Creates a dataset under a name that nobody else uses. */
async function createDataset(
  connection: Connection,
  { uri }: StoreLocation,
  table: TableDeclaration,
  dataset: string,
  storeId: string,
): Promise<void> {
  const handle = await retry({ table: table.name, location: uri }, async () => {
    try {
      return await createEmpty(connection, table, dataset, storeId);
    } catch (error) {
      // An earlier attempt succeeded, and only its answer was lost.
      if (alreadyExists(error)) return connection.openTable(dataset);
      throw error;
    }
  });
  // Without its index a text column is searched by another tokenizer.
  const fullText = table.indexes.filter(({ kind }) => kind === "full-text");
  await createIndexes(table, handle, uri, fullText, {});
  handle.close();
}

/** Creates a table in one commit, without retries. */
export function createEmpty(
  connection: Connection,
  table: TableDeclaration,
  dataset: string,
  storeId: string,
): Promise<LanceTable> {
  return connection.createEmptyTable(dataset, toSchema(table, storeId), {
    storageOptions: creationOptions,
  });
}
