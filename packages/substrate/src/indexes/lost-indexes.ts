import type { Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { isNotNull } from "../read/filter.ts";
import { scanQuery } from "../read/read.ts";

/** The message of every query with a condition as long as there is such an index. */
const lostIndexMessage = /index referenced a field with id \d+ which did not exist/i;
const notFoundMessage = /index not found|does not exist/i;
// If a name is taken, a number is added.
const nameSuffixes = ["_idx", "_idx_2", "_idx_3", "_idx_4"];

/** Brings a handle up to date before another attempt, because a stale one keeps losing. */
export async function refresh(table: TableDeclaration, handle: LanceTable): Promise<void> {
  await handle.checkoutLatest();
  await dropLostIndexes(table, handle);
}

/**
 * Drops indexes of columns that no longer exist. A renewal drops columns, and the engine lets a
 * process that began an index before commit it afterwards: from then on every query with a
 * condition fails. Such an index is not listed, but can be dropped by name. If there is none, this
 * costs less than a millisecond.
 */
export async function dropLostIndexes(table: TableDeclaration, handle: LanceTable): Promise<void> {
  if (!(await hasLostIndex(table, handle))) return;
  const listed = new Set((await handle.listIndices()).map(({ name }) => name));
  for (const { column } of table.indexes) {
    if (!table.columns[column]?.isDerived) continue;
    for (const name of nameSuffixes.map((end) => column + end)) {
      if (!listed.has(name)) await dropIfExists(handle, name);
    }
  }
}

async function hasLostIndex(table: TableDeclaration, handle: LanceTable): Promise<boolean> {
  const column = table.indexes.some((index) => table.columns[index.column]?.isDerived)
    ? table.primaryKey[0]
    : undefined;
  if (column === undefined) return false;
  try {
    // Planning is enough, and reads nothing.
    const query = { columns: [column], where: isNotNull(column) };
    await scanQuery(table, handle, query).explainPlan();
    return false;
  } catch (error) {
    if (error instanceof Error && lostIndexMessage.test(error.message)) return true;
    throw error;
  }
}

/** Drops an index by its name, unless another process did. */
export async function dropIfExists(handle: LanceTable, name: string): Promise<void> {
  try {
    await handle.dropIndex(name);
  } catch (error) {
    if (!(error instanceof Error && notFoundMessage.test(error.message))) throw error;
  }
}
