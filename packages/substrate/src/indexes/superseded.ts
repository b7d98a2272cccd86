import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { versionsFolder } from "../manifest-names.ts";
import { isFileNotFound } from "../storage/storage.ts";

/**
 * The bytes of the notes about each version, for versions made before a time. A row that is
 * replaced again and again leaves versions, but neither rows nor fragments.
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
    // Another process is cleaning up.
    if (!isFileNotFound(error)) throw error;
  }
  return bytes;
}
