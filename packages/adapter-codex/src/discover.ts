import { statSync } from "node:fs";
import { join } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import {
  type FolderEntry,
  folderEntries,
  isDecoded,
  isSystemError,
  leadsOut,
  notUtf8,
} from "@pond/canonical/adapter";
import { fault } from "./faults.ts";
import { type FileName, fileName, type Tree } from "./layout.ts";
import { origin } from "./origin.ts";

/** One file of a thread. */
export type ThreadFile = {
  readonly file: string;
  /** Where it lies in the client's home; without the suffix of a compressed twin. */
  readonly path: string;
  readonly name: FileName;
};

/** The files of one thread, oldest first: a revert of the thread goes on in a file of its own. */
export type Thread = {
  readonly kind: "files";
  /** Path of the first file. */
  readonly key: string;
  /** The first file. */
  readonly file: string;
  readonly files: readonly ThreadFile[];
};

/** Every thread below the folders; faults for what cannot be looked at. */
export function* discover(trees: readonly Tree[]): Generator<Thread | FaultEvent> {
  const threads = new Map<string, ThreadFile[]>();
  for (const tree of trees) {
    for (const found of filesBelow(tree)) {
      if ("kind" in found) {
        yield found;
        continue;
      }
      const thread = found.name.thread ?? found.path;
      const files = threads.get(thread);
      if (files) files.push(found);
      else threads.set(thread, [found]);
    }
  }
  for (const all of threads.values()) {
    const files = all.length === 1 ? all : withoutTwins(all);
    const [first] = files;
    if (first) yield { kind: "files", key: first.path, file: first.file, files };
  }
}

/**
 * Each file once, in the order in which they were begun. Names begin with a local time, which goes
 * back on a journey; what reverts began is named for an id that begins with a time, too.
 */
function withoutTwins(files: readonly ThreadFile[]): ThreadFile[] {
  const chosen = new Map<string, ThreadFile>();
  for (const file of files) {
    const { plain } = file.name;
    const other = chosen.get(plain);
    chosen.set(plain, other ? better(other, file) : file);
  }
  const begun = ({ name: { rollout = "", plain } }: ThreadFile): string => `${rollout} ${plain}`;
  return [...chosen.values()].sort((left, right) => (begun(left) < begun(right) ? -1 : 1));
}

/**
 * The client itself reads the plain file where both are there. Of two in different folders, which
 * an archiving leaves that was interrupted, the longer one is the later one.
 */
function better(left: ThreadFile, right: ThreadFile): ThreadFile {
  if (left.name.isCompressed !== right.name.isCompressed) {
    return left.name.isCompressed ? right : left;
  }
  return sizeOf(right) > sizeOf(left) ? right : left;
}

/** One that may not be looked at may be the longer: then the thread is reported, and not half read. */
function sizeOf({ file }: ThreadFile): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    if (isSystemError(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

function* filesBelow(tree: Tree): Generator<ThreadFile | FaultEvent> {
  const open: Tree[] = [tree];
  for (let next = open.pop(); next; next = open.pop()) {
    const { folder, path, only } = next;
    const folders: Tree[] = [];
    for (const entry of yield* folderEntries(origin, folder)) {
      if (only !== undefined && entry.name !== only) continue;
      const place = { file: join(folder, entry.name), path: `${path}/${entry.name}` };
      if (!isDecoded(entry.name, place.file)) yield fault(place.file, notUtf8);
      else if (entry.isDirectory()) folders.push({ folder: place.file, path: place.path });
      else if (entry.isSymbolicLink() && leadsOut(place.file, tree.folder))
        yield linked(place.file);
      else yield* sessionFile(entry, place.file, path, only !== undefined);
    }
    open.push(...folders.reverse());
  }
}

/** @param isNamed - True where the user named it: then any name will do. */
function* sessionFile(
  entry: FolderEntry,
  file: string,
  folder: string,
  isNamed: boolean,
): Generator<ThreadFile | FaultEvent> {
  const name = fileName(entry.name) ?? (isNamed ? fileName(`${entry.name}.jsonl`) : undefined);
  if (name === undefined) return;
  // A link could lead anywhere, and opening a pipe would wait for a writer that never comes.
  if (entry.isFile()) yield { file, path: `${folder}/${name.plain}`, name };
  else if (entry.isSymbolicLink()) yield linked(file);
  else yield fault(file, "not a file");
}

function linked(path: string): FaultEvent {
  return fault(path, "a symbolic link, not followed");
}
