import { readdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { FaultEvent } from "../event.ts";
import type { Origin } from "./codec.ts";
import { fileFault, isDecodedName, isGone, notUtf8Reason, reasonOf } from "./source-files.ts";

/** An entry of a folder. Not Node's own type, so that adapters compile without Node's types too. */
export type FolderEntry = {
  readonly name: string;
  /** True for a folder, but not for a link to one. */
  isDirectory(): boolean;
  /** True for a file, but not for a link to one. */
  isFile(): boolean;
  /** True for a link, whatever it leads to. */
  isSymbolicLink(): boolean;
};

/**
 * The entries of a folder by name; none if the folder is gone. Synchronous, because a directory
 * read takes microseconds and an awaited one ten times as long.
 */
export function* folderEntries(
  origin: Origin,
  folder: string,
): Generator<FaultEvent, FolderEntry[]> {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    if (!isGone(error)) yield fileFault(origin, folder, reasonOf(error), error);
    return [];
  }
}

/**
 * The files and folders in a folder by name, without those that must not be followed or opened.
 *
 * @param within - A link out of this folder is reported. Other links are skipped: their target is
 * read where it stands.
 * @param isOurs - False for entries that do not concern the reader.
 */
export function* listFolder(
  origin: Origin,
  folder: string,
  within: string,
  isOurs: (entry: FolderEntry) => boolean = () => true,
): Generator<FaultEvent, FolderEntry[]> {
  const taken: FolderEntry[] = [];
  for (const entry of (yield* folderEntries(origin, folder)).filter(isOurs)) {
    const path = join(folder, entry.name);
    if (!isDecodedName(entry.name, path)) yield fileFault(origin, path, notUtf8Reason);
    else if (entry.isDirectory() || entry.isFile()) taken.push(entry);
    // Opening a pipe would wait for a writer that never comes.
    else if (!entry.isSymbolicLink()) {
      yield fileFault(origin, path, "neither a file nor a folder");
    } else if (leadsOutside(path, within)) yield fileFault(origin, path, leadsOutsideReason);
  }
  return taken;
}

/** The result of a listing whose faults nobody is told about. */
export function withoutFaults<T>(listing: Generator<unknown, T>): T {
  for (;;) {
    const step = listing.next();
    if (step.done) return step.value;
  }
}

/**
 * True for a link that leads nowhere or out of the folder: its target is not read where it stands.
 */
export function leadsOutside(link: string, folder: string): boolean {
  try {
    return !realpathSync.native(link).startsWith(`${realpathSync.native(folder)}${sep}`);
  } catch {
    return true;
  }
}

/** Why the target of such a link is not read, for a fault. */
export const leadsOutsideReason = "a symbolic link out of the folder, not followed";
