import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { type FolderEntry, leadsOutside } from "@pond/canonical/adapter";

/**
 * True for a link that leads nowhere or out of the folder; the targets of other links are read
 * where they are.
 */
export function isLinkOut(path: string, folder: string): boolean {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink === true && leadsOutside(path, folder);
}

/** True for a file, and for a link to one. */
export function isFileOrLink(folder: string, entry: FolderEntry): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  const target = targetOf(join(folder, entry.name));
  return target !== undefined && statSync(target, { throwIfNoEntry: false })?.isFile() === true;
}

/** The target of a path; undefined for a broken link. */
export function targetOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
