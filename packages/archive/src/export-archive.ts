import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  placeDraft,
  resolveTargetPath,
  type SessionStore,
  stillWithoutSessionRow,
  TargetUnwritableError,
} from "@pond/sessions";
import { flushFolder, type Row, type Store } from "@pond/substrate";
import { appendRange } from "./append-range.ts";
import {
  type ArchivedFile,
  type ArchivedTable,
  createManifest,
  manifestPath,
  writeManifest,
} from "./manifest.ts";
import type { ProgressOptions } from "./progress.ts";
import { rangesOf } from "./ranges.ts";
import { redactRange } from "./redact-range.ts";
import { type ArchiveRedactor, type RedactedCount, Redaction } from "./redaction.ts";
import { RowDigest } from "./row-digest.ts";
import { locateRows } from "./row-locations.ts";
import { withScratchFolder } from "./scratch.ts";
import { openScratchStore } from "./scratch-store.ts";
import { archiveTables, readOrder } from "./tables.ts";
import { WholeRows } from "./whole-rows.ts";
import { hashFile, writeTar } from "./write-tar.ts";

/** Options of an export. */
export type ExportOptions = ProgressOptions & {
  /** Replaces an existing file. */
  readonly isForced?: boolean;
  /**
   * Every text passes through it on the way out, and everything that follows from the texts is made
   * again: what search finds, and digests. Vectors of messages whose text changed are left out. The
   * store itself does not change.
   */
  readonly redactor?: ArchiveRedactor | undefined;
};

/** What is in the archive that was written. */
export type ExportReport = {
  readonly file: string;
  readonly bytes: number;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Digest of the rows of each table: equal for equal rows, whichever store they are in. */
  readonly digests: Readonly<Record<string, string>>;
  /**
   * Ids of the sessions with a message that is not as it was written, or with a damaged row that
   * was left out, and of the sessions that were left out because their own row is missing.
   */
  readonly damaged: readonly string[];
  /** What the redactor replaced, if there is one. */
  readonly redacted?: readonly RedactedCount[];
};

/**
 * Writes every session of a store into one file. The datasets are made beside the file. The file
 * gets to its place whole and durable, or not at all. Memory grows with the number of rows of the
 * largest session, not with the store.
 *
 * @throws {TargetExistsError} if there is such a file, unless forced.
 * @throws {TargetUnwritableError} if what is there is not a file, or nothing can be written.
 * @throws {RedactionInvalidError} if a redactor turns a row into one that no import accepts.
 */
export async function exportArchive(
  { store }: SessionStore,
  target: string,
  { isForced = false, redactor, ...watch }: ExportOptions = {},
): Promise<ExportReport> {
  const file = resolve(target);
  const place = resolveTargetPath(file, isForced);
  const redaction = redactor && new Redaction(redactor);
  return withScratchFolder(place, async (folder) => {
    const datasets = join(folder, "datasets");
    const whole = new WholeRows(store);
    const tables = await writeDatasets(store, datasets, { ...watch, whole, redaction });
    const redacted = redaction?.counts();
    const draft = join(folder, "archive");
    const manifestOf = (files: readonly ArchivedFile[]) =>
      createManifest(store.id, tables, files, redacted);
    await pack(draft, datasets, manifestOf, watch).catch((error: unknown) => {
      throw TargetUnwritableError.from(file, error);
    });
    watch.signal?.throwIfAborted();
    const { size: bytes } = statSync(draft);
    // Something may have appeared there in the meantime.
    resolveTargetPath(place, isForced);
    await placeDraft(draft, place, isForced).catch((error: unknown) => {
      throw TargetUnwritableError.from(file, error);
    });
    await flushFolder(dirname(place));
    return {
      file,
      bytes,
      rows: Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
      digests: Object.fromEntries(tables.map(({ name, digest }) => [name, digest])),
      damaged: whole.damaged,
      ...(redacted && { redacted }),
    };
  });
}

type DatasetOptions = ProgressOptions & {
  readonly whole: WholeRows;
  readonly redaction: Redaction | undefined;
};

/** Copies all rows into tables without indexes, in the order of their keys. */
async function writeDatasets(
  store: Store,
  folder: string,
  { whole, redaction, onProgress, signal }: DatasetOptions,
): Promise<ArchivedTable[]> {
  await store.refresh();
  const dimension = await store.table("messages").vectorDimension("vector");
  const declarations = archiveTables(dimension);
  const digests = new Map(
    declarations.map(({ name, columns }) => [name, new RowDigest(Object.keys(columns))]),
  );
  const columnsOf = (table: string): string[] => Object.keys(copy.table(table).declaration.columns);
  // Read before locating rows: what arrives in between may not have been seen.
  const found = await versionsOf(store);
  const locations = await locateRows(store);
  whole.addDamaged(await stillWithoutSessionRow(store, locations.idsWithoutSessionRow()));
  const ranges = rangesOf(locations);
  const total = ranges.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  const onRows = (rows: number): void => {
    done += rows;
    onProgress?.({ step: "copy", done, total: Math.max(done, total) });
  };
  const copy = await openScratchStore(folder, { tables: declarations, mode: "write" });
  try {
    const onRow = (table: string, row: Row): void => digests.get(table)?.add(row);
    const options = { whole, columnsOf, signal, onRows, onRow };
    for (const range of ranges) {
      // A fold of another process removes the files of a version that was replaced long ago.
      await store.refresh();
      // Windows are replaced in place: the current ones describe messages that arrived in the
      // meantime.
      const now = await versionsOf(store);
      const isFound = isDeepStrictEqual(now, found);
      const located = {
        ...options,
        locations: isFound ? locations : await locateRows(store, { range }),
      };
      const isSame = async (): Promise<boolean> => isDeepStrictEqual(await versionsOf(store), now);
      await (redaction
        ? redactRange(store, copy, range, { ...located, redaction })
        : appendRange(store, copy, range, { ...located, isSame }));
    }
    for (const [at, { name }] of declarations.entries()) {
      onProgress?.({ step: "compact", done: at, total: declarations.length });
      await copy.table(name).fold({ isForced: true, retentionMs: 0, signal });
    }
  } finally {
    copy.close();
  }
  return declarations.map(({ name, schemaVersion, columns }): ArchivedTable => {
    const digest = digests.get(name) ?? new RowDigest([]);
    const { rows, bytes } = digest;
    return {
      ...{ name, schema_version: schemaVersion, columns: Object.keys(columns) },
      ...{ rows, bytes, digest: digest.digest() },
    };
  });
}

/** The versions of all tables, which change with every commit. */
function versionsOf(store: Store): Promise<number[]> {
  return Promise.all(readOrder.map((name) => store.table(name).version()));
}

/** Packs the manifest and all files of a folder into one file. */
async function pack(
  target: string,
  folder: string,
  manifestOf: (files: readonly ArchivedFile[]) => ReturnType<typeof createManifest>,
  { onProgress, signal }: ProgressOptions,
): Promise<void> {
  const paths = (await readdir(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
  const sizes = new Map(paths.map((path) => [path, statSync(join(folder, path)).size]));
  // Each file is read twice: for its checksum, which comes first, and for its bytes.
  const total = [...sizes.values()].reduce((sum, size) => sum + 2 * size, 0);
  let done = 0;
  const onBytes = (bytes: number): void => {
    signal?.throwIfAborted();
    done += bytes;
    onProgress?.({ step: "pack", done, total });
  };
  const files: ArchivedFile[] = [];
  for (const [path, size] of sizes) {
    files.push({ path, size, sha256: await hashFile(join(folder, path), onBytes) });
  }
  const manifest = writeManifest(manifestOf(files));
  const sources = [
    { path: manifestPath, size: manifest.length, from: manifest },
    ...files.map(({ path, size }) => ({ path, size, from: join(folder, path) })),
  ];
  await writeTar(target, sources, onBytes);
}
