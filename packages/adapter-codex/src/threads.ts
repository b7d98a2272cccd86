import { statSync } from "node:fs";
import { basename } from "node:path";
import { isSystemError, PackedEntries } from "@pond/canonical/adapter";
import { type FileName, fileName } from "./layout.ts";

/** One file of a thread. */
export type ThreadFile = {
  readonly file: string;
  /** Its path in the client's home, without the suffix of a compressed twin. */
  readonly path: string;
  readonly name: FileName;
};

/** The files of one thread, oldest first: a revert continues the thread in a new file. */
export type Thread = {
  readonly kind: "files";
  /** Path of the first file. */
  readonly key: string;
  /** The first file. */
  readonly file: string;
  readonly files: readonly ThreadFile[];
};

/** Where a file is. Its path is a number if it is the end of the same text: where that begins. */
type Where = readonly [file: string, path: string | number];

/** A thread by its id, or by its path if the file name has no id, and where one of its files is. */
type Entry = readonly [thread: string, ...where: Where];

/** The threads of a home, by the names of their files. There may be a hundred thousand. */
export class Threads {
  readonly #entries = new PackedEntries<Entry>();
  /** Where the other files are of threads that have several. There may be thousands. */
  readonly #others: Map<string, Where[]> = new Map();

  add({ file, path, name }: ThreadFile): void {
    const thread = name.thread ?? path;
    const where = whereOf(file, path);
    const others = this.#others.get(thread);
    if (others) others.push(where);
    else if (this.#entries.has(thread)) this.#others.set(thread, [where]);
    else this.#entries.set([thread, ...where]);
  }

  /** The thread with this key; undefined if there is none. */
  get(key: string): Thread | undefined {
    const entry = this.#entries.get(fileName(basename(key))?.thread ?? key);
    const thread = entry && this.#threadOf(entry);
    return thread?.key === key ? thread : undefined;
  }

  *[Symbol.iterator](): Generator<Thread> {
    for (const entry of this.#entries) {
      const thread = this.#threadOf(entry);
      if (thread) yield thread;
    }
  }

  #threadOf([thread, ...one]: Entry): Thread | undefined {
    const places = [one, ...(this.#others.get(thread) ?? [])];
    const all = places.flatMap(([file, place]): ThreadFile[] => {
      const path = typeof place === "number" ? file.slice(place) : place;
      const own = basename(file);
      // A file that the user named may have any name.
      const name = fileName(own) ?? fileName(`${own}.jsonl`);
      return name ? [{ file, path, name }] : [];
    });
    const files = all.length === 1 ? all : withoutDuplicates(all);
    const [first, ...others] = files;
    if (first === undefined) return undefined;
    // The choice between two files is made once, because either may grow in the meantime.
    if (files.length < all.length) {
      this.#entries.set([thread, ...whereOf(first.file, first.path)]);
      this.#others.delete(thread);
      for (const other of others) this.add(other);
    }
    return { kind: "files", key: first.path, file: first.file, files };
  }
}

function whereOf(file: string, path: string): Where {
  return [file, file.endsWith(path) ? file.length - path.length : path];
}

/**
 * Each file once, in the order in which they were begun. File names begin with a local time, which
 * can go back when the user travels. A file that a revert began is named for an id that begins with
 * a time, too.
 */
function withoutDuplicates(files: readonly ThreadFile[]): ThreadFile[] {
  const chosen = new Map<string, ThreadFile>();
  for (const file of files) {
    const { plain } = file.name;
    const other = chosen.get(plain);
    chosen.set(plain, other ? preferred(other, file) : file);
  }
  const startKey = ({ name: { rollout = "", plain } }: ThreadFile): string => `${rollout} ${plain}`;
  return [...chosen.values()].sort((left, right) => (startKey(left) < startKey(right) ? -1 : 1));
}

/**
 * If a plain and a compressed file exist, the client itself reads the plain one. An interrupted
 * archiving leaves two files in different folders, of which the longer one is the later one.
 */
function preferred(left: ThreadFile, right: ThreadFile): ThreadFile {
  if (left.name.isCompressed !== right.name.isCompressed) {
    return left.name.isCompressed ? right : left;
  }
  return sizeOf(right) > sizeOf(left) ? right : left;
}

/** A file that cannot be looked at counts as longer: the thread is then reported, not half read. */
function sizeOf({ file }: ThreadFile): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    if (isSystemError(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
