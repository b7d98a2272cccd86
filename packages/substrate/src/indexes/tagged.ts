import type { Table as LanceTable } from "@lancedb/lancedb";

/** True where another tool tagged a version: the engine fails where it is to remove that one. */
export async function isTagged(handle: LanceTable): Promise<boolean> {
  return Object.keys(await (await handle.tags()).list()).length > 0;
}
