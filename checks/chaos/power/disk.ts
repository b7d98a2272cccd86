import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Random } from "../random.ts";
import type { Operation } from "./trace.ts";

type File = { kind: "file"; bytes: Buffer; synced: Buffer; isSynced: boolean; writtenAt: number };
type Folder = {
  kind: "folder";
  /** The entries as the running system shows them. */
  entries: Map<string, Entry>;
  /** The entries that are certainly on the disk. */
  synced: Map<string, Entry>;
};
type Entry = File | Folder;

/** A change of names that happens completely or not at all. */
type Change = { readonly parts: readonly { folder: Folder; name: string; entry?: Entry }[] };

/**
 * Tells which data of a folder is on the disk, and which only in the system's memory. A file's
 * bytes are safe once the file is synced, and its name once the folder is. POSIX promises no more.
 */
export class Disk {
  readonly #root: string;
  readonly #top: Folder;
  /** Changes of names that may be lost. */
  #changes: Change[] = [];
  /** Links and their targets. Nothing below a link is looked at. */
  readonly #links: Map<string, string> = new Map();
  #time = 0;

  /** Starts with a folder as it is, all of it safe. */
  constructor(root: string) {
    this.#root = root;
    this.#top = load(root, this.#links);
  }

  apply(operation: Operation): void {
    this.#time += 1;
    if (operation.kind === "say" || !this.#isBelow(operation.path)) return;
    switch (operation.kind) {
      case "create":
        this.#create(operation.path, operation.isEmptied);
        break;
      case "mkdir":
        this.#name([operation.path, { kind: "folder", entries: new Map(), synced: new Map() }]);
        break;
      case "remove":
        this.#name([operation.path, undefined]);
        break;
      case "rename":
        this.#name([operation.to, this.#at(operation.path)], [operation.path, undefined]);
        break;
      case "link":
        this.#name([operation.to, this.#at(operation.path)]);
        break;
      case "write":
        this.#write(operation.path, operation.bytes, operation.at);
        break;
      case "truncate":
        this.#change(operation.path, (bytes) => resized(bytes, operation.size));
        break;
      case "sync":
        this.#sync(operation.path);
    }
  }

  /**
   * Writes what may be left if the power fails now: all safe data; some of the other changes of
   * names; and of other bytes all, none, the first ones, or as many zeros.
   */
  cut(target: string, random: Random, bootedAtMs: number): void {
    const left = new Map<Folder, Map<string, Entry>>();
    const entriesOf = (folder: Folder): Map<string, Entry> => {
      const entries = left.get(folder) ?? new Map(folder.synced);
      left.set(folder, entries);
      return entries;
    };
    // A journal keeps the order of changes. Without one, any of the changes may survive.
    const isJournal = random.isIn(0.5);
    const kept = random.below(this.#changes.length + 1);
    for (const [at, { parts }] of this.#changes.entries()) {
      if (isJournal ? at >= kept : random.isIn(0.5)) continue;
      for (const { folder, name, entry } of parts) {
        if (entry) entriesOf(folder).set(name, entry);
        else entriesOf(folder).delete(name);
      }
    }
    const write = (folder: Folder, path: string): void => {
      mkdirSync(path, { recursive: true });
      for (const [name, entry] of entriesOf(folder)) {
        const place = join(path, name);
        if (entry.kind === "folder") write(entry, place);
        else {
          writeFileSync(place, bytesLeft(entry, random));
          // Times before the system started again, in the order of writing.
          const writtenMs = bootedAtMs - 60_000 + (entry.writtenAt - this.#time);
          utimesSync(place, writtenMs / 1000, writtenMs / 1000);
        }
      }
    };
    write(this.#top, target);
    for (const [path, to] of this.#links) {
      const place = join(target, relative(this.#root, path));
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(to, place);
    }
  }

  #isBelow(path: string): boolean {
    if ([...this.#links.keys()].some((link) => path.startsWith(`${link}/`))) return false;
    return path === this.#root || path.startsWith(`${this.#root}/`);
  }

  #create(path: string, isEmptied: boolean): void {
    if (this.#at(path) === undefined) {
      const empty = Buffer.alloc(0);
      const { kind, writtenAt } = { kind: "file", writtenAt: this.#time } as const;
      this.#name([path, { kind, bytes: empty, synced: empty, isSynced: false, writtenAt }]);
    } else if (isEmptied) this.#change(path, () => Buffer.alloc(0));
  }

  #write(path: string, bytes: Buffer, at?: number): void {
    this.#change(path, (before) => {
      const from = at ?? before.length;
      const after = resized(before, Math.max(before.length, from + bytes.length));
      bytes.copy(after, from);
      return after;
    });
  }

  #change(path: string, edit: (bytes: Buffer) => Buffer): void {
    const file = this.#at(path);
    // The file was removed while it was open.
    if (file?.kind !== "file") return;
    file.bytes = edit(file.bytes);
    file.isSynced = false;
    file.writtenAt = this.#time;
  }

  #name(...names: readonly (readonly [path: string, entry: Entry | undefined])[]): void {
    const parts = names.flatMap(([path, entry]) => {
      const folder = this.#at(dirname(path));
      if (folder?.kind !== "folder") throw new Error(`no folder of ${path} was seen`);
      return [{ folder, name: basename(path), ...(entry && { entry }) }];
    });
    for (const { folder, name, entry } of parts) {
      if (entry) folder.entries.set(name, entry);
      else folder.entries.delete(name);
    }
    this.#changes.push({ parts });
  }

  #sync(path: string): void {
    const entry = this.#at(path);
    if (entry?.kind === "file") {
      entry.synced = entry.bytes;
      entry.isSynced = true;
    } else if (entry !== undefined) {
      const isOf = ({ parts }: Change): boolean => parts.some(({ folder }) => folder === entry);
      for (const { parts } of this.#changes.filter(isOf)) {
        for (const { folder, name, entry } of parts) {
          if (entry) folder.synced.set(name, entry);
          else folder.synced.delete(name);
        }
      }
      this.#changes = this.#changes.filter((change) => !isOf(change));
    }
  }

  #at(path: string): Entry | undefined {
    if (path === this.#root) return this.#top;
    let entry: Entry | undefined = this.#top;
    for (const name of path.slice(this.#root.length + 1).split("/")) {
      entry = entry?.kind === "folder" ? entry.entries.get(name) : undefined;
    }
    return entry;
  }
}

function load(path: string, links: Map<string, string>): Folder {
  const entries = new Map<string, Entry>();
  for (const name of readdirSync(path)) {
    const place = join(path, name);
    const stats = lstatSync(place);
    if (stats.isSymbolicLink()) links.set(place, readlinkSync(place));
    else if (stats.isDirectory()) entries.set(name, load(place, links));
    else {
      const bytes = readFileSync(place);
      entries.set(name, {
        kind: "file",
        bytes,
        synced: bytes,
        isSynced: true,
        writtenAt: -3_600_000,
      });
    }
  }
  return { kind: "folder", entries, synced: new Map(entries) };
}

function resized(bytes: Buffer, size: number): Buffer {
  const after = Buffer.alloc(size);
  bytes.copy(after, 0, 0, Math.min(size, bytes.length));
  return after;
}

function bytesLeft({ bytes, synced, isSynced }: File, random: Random): Buffer {
  if (isSynced) return bytes;
  const left = [
    () => bytes,
    () => synced,
    () => bytes.subarray(0, random.below(bytes.length + 1)),
    () => Buffer.alloc(bytes.length),
  ] as const;
  return random.pick(left)();
}
