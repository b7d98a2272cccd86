import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";

/**
 * The system's name for a folder, behind all links, as a client sees it that is started there;
 * unchanged if this machine has no such folder.
 */
export function realFolder(folder: string): string {
  if (!isAbsolute(folder)) return folder;
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
