import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "./declaration.ts";
import { StorageUnavailableError } from "./errors.ts";
import { createIndexes } from "./indexes.ts";
import { loadLance } from "./lance.ts";
import { retry } from "./retry.ts";
import { toSchema } from "./schema.ts";
import { type StoreLocation, withDraftFolder } from "./storage.ts";

// `lance-table-creation`. None of it can be switched on later.
const creationOptions = {
  new_table_data_storage_version: "2.2",
  new_table_enable_v2_manifest_paths: "true",
  new_table_enable_stable_row_ids: "true",
};

/**
 * Creates a table unless another process is faster, whose table is as good.
 *
 * Of engines that create one table at once, the later *overwrites* what the earlier made and
 * others may have written to. A local table is therefore made aside and moved to its place, which
 * only one mover can. On an object store see {@link settle}.
 */
export async function createTable(
  location: StoreLocation,
  connection: Connection,
  table: TableDeclaration,
  storeId: string,
): Promise<void> {
  if (location.folder === undefined) {
    await createThrough(connection, location, table, storeId);
    return;
  }
  await withDraftFolder(location.folder, async (draft, adopt) => {
    const aside = await loadLance().connect(draft);
    await createThrough(aside, location, table, storeId);
    aside.close();
    await adopt(join(draft, `${table.name}.lance`));
  });
}

async function createThrough(
  connection: Connection,
  { uri }: StoreLocation,
  table: TableDeclaration,
  storeId: string,
): Promise<void> {
  try {
    const handle = await retry({ table: table.name, location: uri }, () =>
      createEmpty(connection, table, storeId),
    );
    // Without its index a text column is searched by another tokenizer.
    const fullText = table.indexes.filter(({ kind }) => kind === "full-text");
    await createIndexes(table, handle, uri, fullText, {});
    handle.close();
  } catch (error) {
    if (!(error instanceof Error && /already exists/i.test(error.message))) throw error;
  }
}

function createEmpty(
  connection: Connection,
  table: TableDeclaration,
  storeId: string,
): Promise<LanceTable> {
  return connection.createEmptyTable(table.name, toSchema(table, storeId), {
    storageOptions: creationOptions,
  });
}

const settlingMs = 2_000;
const versionsOfNewTable = 4;

/**
 * Waits until a table of an object store is older than any creation that may still overwrite it.
 * Only a table's first writers wait.
 */
export async function settle(handle: LanceTable): Promise<void> {
  if ((await handle.version()) > versionsOfNewTable) return;
  const [first] = await handle.listVersions();
  if (first === undefined) return;
  const ageMs = Math.max(0, Date.now() - first.timestamp.getTime());
  if (ageMs < settlingMs) await sleep(settlingMs - ageMs);
}

/**
 * Proves that of several writers that commit one version only one succeeds. An object store that
 * ignores `If-None-Match` would lose commits silently.
 *
 * @throws {StorageUnavailableError} where it does not hold.
 */
export async function proveExclusiveCommits(
  { uri }: StoreLocation,
  connection: Connection,
): Promise<void> {
  const probe: TableDeclaration = {
    name: `probe_${randomUUID().replaceAll("-", "")}`,
    schemaVersion: 1,
    primaryKey: ["id"],
    columns: { id: { type: "text" } },
    indexes: [],
  };
  const writers = [1, 2, 3, 4].map((writer) => createEmpty(connection, probe, `${writer}`));
  const outcomes = await Promise.allSettled(writers);
  const created = outcomes.filter(({ status }) => status === "fulfilled").length;
  const failure = outcomes.find((outcome) => outcome.status === "rejected")?.reason;
  if (created === 0) throw new StorageUnavailableError(uri, String(failure), { cause: failure });
  const table = await connection.openTable(probe.name);
  const versions = await table.version();
  table.close();
  await connection.dropTable(probe.name).catch(() => undefined);
  if (versions === created) return;
  const reason = `of ${created} commits made at once ${versions} remained: this object store ignores If-None-Match, so pond would lose what it writes`;
  throw new StorageUnavailableError(uri, reason);
}
