import { type Dirent, lstatSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";

/** Why the target of a link is not read. */
export const leadsOutReason = "a symbolic link out of the folder, not followed";

/** True for a link to nowhere or out of the folder; what others point at is read. */
export function leadsOut(folder: string, path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  const target = targetOf(path);
  return !target?.startsWith(`${realpathSync(folder)}${sep}`);
}

/** True for a file, and for a link to one. */
export function isFileOrLink(folder: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  const target = targetOf(join(folder, entry.name));
  return target !== undefined && statSync(target, { throwIfNoEntry: false })?.isFile() === true;
}

/** Where a path leads; undefined for a link to nowhere. */
export function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
