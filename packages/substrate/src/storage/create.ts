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

// None of it can be switched on later (`lance-table-creation-stable-row-ids`).
const creationOptions = {
  new_table_data_storage_version: "2.2",
  new_table_enable_v2_manifest_paths: "true",
  new_table_enable_stable_row_ids: "true",
};

/**
 * Creates a table unless another process is faster, whose table is as good.
 *
 * Of engines that create one table at once, the later may *overwrite* what the earlier made and
 * others have written to. A local table is therefore made aside and moved to its place, which only
 * one mover can; one of an object store is made under a name of its own and then pointed to.
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
    // What is left behind where this fails is empty, and nobody looks for it.
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

/** Creates a dataset of a name that nobody else uses. */
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
      // An attempt before this one came through, and the answer did not.
      if (alreadyExists(error)) return connection.openTable(dataset);
      throw error;
    }
  });
  // Without its index a text column is searched by another tokenizer.
  const fullText = table.indexes.filter(({ kind }) => kind === "full-text");
  await createIndexes(table, handle, uri, fullText, {});
  handle.close();
}

/** Creates a table in one commit, which is not tried again. */
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
