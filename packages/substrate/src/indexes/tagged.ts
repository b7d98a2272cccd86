import type { Table as LanceTable } from "@lancedb/lancedb";

/** True if another tool tagged a version: the engine fails when it has to remove that one. */
export async function isTagged(handle: LanceTable): Promise<boolean> {
  return Object.keys(await (await handle.tags()).list()).length > 0;
}
