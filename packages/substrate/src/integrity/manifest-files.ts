import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messagesIn, numberIn, textIn, varintIn } from "../engine/protocol-buffers.ts";

/** A file that a manifest names. */
export type NamedFile = {
  readonly path: string;
  /** Undefined if the manifest does not say. */
  readonly bytes?: number;
};

/** Files of an index, or of a part of one; several parts may have the same name. */
export type NamedIndex = { readonly name: string; readonly files: readonly NamedFile[] };

/** The files that make up a version of a table. */
export type NamedFiles = {
  /** By number: files with columns, and the file that says which rows are gone. */
  readonly fragments: ReadonlyMap<number, readonly NamedFile[]>;
  /** Without files for an index that has none of its own. */
  readonly indexes: readonly NamedIndex[];
};

// Field numbers of the messages of the Lance format.
const manifest = { fragments: 2, indexSection: 6 } as const;
const fragment = { id: 1, files: 2, deletions: 3 } as const;
const dataFile = { path: 1, bytes: 6 } as const;
const deletionFile = { kind: 1, version: 2, id: 3 } as const;
const indexSection = { indexes: 1 } as const;
const index = { uuid: 1, name: 3, base: 9, files: 10 } as const;
const indexFile = { path: 1, bytes: 2 } as const;
const uuid = { bytes: 1 } as const;

// The footer: where the message begins, the version of the format, "LANC".
const footerBytes = 16;

/**
 * Reads which files a manifest of a local table names. The engine does not tell.
 *
 * @param home - Folder of the table.
 * @throws {RangeError} if it is not a manifest.
 */
export async function namedFiles(home: string, path: string): Promise<NamedFiles> {
  const bytes = await readFile(path);
  const message = messageAt(bytes, Number(bytes.readBigUInt64LE(bytes.length - footerBytes)));
  const fragments = new Map<number, readonly NamedFile[]>();
  for (const each of messagesIn(message, manifest.fragments)) {
    const id = numberIn(each, fragment.id) ?? 0;
    const files = [...messagesIn(each, fragment.files)].map((file) => ({
      path: join(home, "data", textIn(file, dataFile.path)),
      ...bytesOf(numberIn(file, dataFile.bytes)),
    }));
    const deletions = [...messagesIn(each, fragment.deletions)].map((file) => {
      const version = varintIn(file, deletionFile.version) ?? 0n;
      const own = varintIn(file, deletionFile.id) ?? 0n;
      const ending = varintIn(file, deletionFile.kind) ? "bin" : "arrow";
      return { path: join(home, "_deletions", `${id}-${version}-${own}.${ending}`) };
    });
    fragments.set(id, [...files, ...deletions]);
  }
  const at = numberIn(message, manifest.indexSection);
  const section = at === undefined ? [] : messagesIn(messageAt(bytes, at), indexSection.indexes);
  return { fragments, indexes: [...section].map((each) => toIndex(home, each)) };
}

function toIndex(home: string, message: Buffer): NamedIndex {
  const name = textIn(message, index.name);
  // Its files are in another table.
  if (numberIn(message, index.base) !== undefined) return { name, files: [] };
  const [id] = messagesIn(message, index.uuid);
  const [bytes] = id ? messagesIn(id, uuid.bytes) : [];
  const digits = (bytes ?? Buffer.alloc(0)).toString("hex");
  const folder = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const files = [...messagesIn(message, index.files)].map((file) => ({
    path: join(home, "_indices", folder, textIn(file, indexFile.path)),
    ...bytesOf(numberIn(file, indexFile.bytes)),
  }));
  return { name, files };
}

function bytesOf(bytes: number | undefined): { readonly bytes?: number } {
  return bytes === undefined ? {} : { bytes };
}

/** The message after its length. */
function messageAt(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at + 4, at + 4 + bytes.readUInt32LE(at));
}
