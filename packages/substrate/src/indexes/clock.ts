import { randomUUID } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

// The engine removes files that no version names once they are seven days old: in the folder's time
// by the clock of this process. One that is ahead makes them so old that others still write.
const maxAheadMs = 86_400_000;

/**
 * True if the clock of this process is more than a day ahead of the clock that dates the files in a
 * folder, which may be that of another machine.
 */
export async function isClockAhead(folder: string): Promise<boolean> {
  const probe = join(folder, `clock-${randomUUID()}`);
  try {
    await writeFile(probe, "");
    return Date.now() - (await stat(probe)).mtimeMs > maxAheadMs;
  } finally {
    await rm(probe, { force: true });
  }
}
