import { readdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { FaultEvent } from "../event.ts";
import type { Origin } from "./codec.ts";
import { fileFault, isDecoded, isGone, notUtf8, reasonOf } from "./source-files.ts";

/** What a folder says of one entry; not Node's own type, for adapters compile without that too. */
export type FolderEntry = {
  readonly name: string;
  /** True for a folder, and for no link to one. */
  isDirectory(): boolean;
  /** True for a file, and for no link to one. */
  isFile(): boolean;
  /** True for a link, whatever it leads to. */
  isSymbolicLink(): boolean;
};

/**
 * The entries of a folder by name; none where it is gone. Synchronous: a directory read takes
 * microseconds, an awaited one ten times as long.
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
 * The files and folders in a folder by name, without what must not be followed or opened.
 *
 * @param within - A link out of this folder is reported; what others point at is read there.
 * @param isOurs - What else is kept there is none of a reader's business.
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
    if (!isDecoded(entry.name, path)) yield fileFault(origin, path, notUtf8);
    else if (entry.isDirectory() || entry.isFile()) taken.push(entry);
    // Opening a pipe would wait for a writer that never comes.
    else if (!entry.isSymbolicLink()) {
      yield fileFault(origin, path, "neither a file nor a folder");
    } else if (leadsOut(path, within)) yield fileFault(origin, path, leadsOutReason);
  }
  return taken;
}

/** What a listing gives, where nobody is told of its faults. */
export function withoutFaults<T>(listing: Generator<unknown, T>): T {
  for (;;) {
    const step = listing.next();
    if (step.done) return step.value;
  }
}

/** True for a link to nowhere or out of the folder: what it points at is not read where it stands. */
export function leadsOut(link: string, folder: string): boolean {
  try {
    return !realpathSync(link).startsWith(`${realpathSync(folder)}${sep}`);
  } catch {
    return true;
  }
}

/** Why what such a link points at is not read, for a fault. */
export const leadsOutReason = "a symbolic link out of the folder, not followed";
