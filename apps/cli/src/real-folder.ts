import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";

/**
 * A folder as the system names it for a client that is started there, behind all links; as it was
 * where this machine has none of that name.
 */
export function realFolder(folder: string): string {
  if (!isAbsolute(folder)) return folder;
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
