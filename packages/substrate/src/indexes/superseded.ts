import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { versionsFolder } from "../manifest-names.ts";
import { isGone } from "../storage/storage.ts";

/**
 * Bytes that what is noted of each version takes, of those made before a time: a row that is replaced
 * again and again leaves versions, and neither rows nor fragments.
 *
 * @param home - The folder of the table.
 */
export async function supersededBytes(home: string, beforeMs: number): Promise<number> {
  const folders = [versionsFolder(home), join(home, "_transactions")];
  const sums = await Promise.all(folders.map((folder) => bytesBefore(folder, beforeMs)));
  return sums.reduce((sum, bytes) => sum + bytes, 0);
}

async function bytesBefore(folder: string, beforeMs: number): Promise<number> {
  let bytes = 0;
  try {
    for (const name of await readdir(folder)) {
      const { size, mtimeMs } = await stat(join(folder, name));
      if (mtimeMs < beforeMs) bytes += size;
    }
  } catch (error) {
    // Another process cleans up.
    if (!isGone(error)) throw error;
  }
  return bytes;
}
