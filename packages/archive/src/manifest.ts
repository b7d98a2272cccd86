import type { TableDeclaration } from "@pond/substrate";
import { ArchiveDamagedError, ArchiveNewerError, type ArchivePlace } from "./errors.ts";
import type { RedactedCount } from "./redaction.ts";
import { archiveTables } from "./tables.ts";

export const manifestPath = "manifest.json";

/** Version of the format. A reader refuses a higher one. */
const formatVersion = 1;
const formatName = "pond-archive";

/** A table of an archive: the content of its dataset. */
export type ArchivedTable = {
  readonly name: string;
  readonly schema_version: number;
  /** In the order in which {@link RowDigest} takes them. */
  readonly columns: readonly string[];
  readonly rows: number;
  /** How many bytes the digest covers. */
  readonly bytes: number;
  readonly digest: string;
};

/** A file of an archive, after the manifest. */
export type ArchivedFile = {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
};

export type Manifest = {
  readonly format: typeof formatName;
  readonly version: typeof formatVersion;
  /** Id of the store that was exported. */
  readonly store_id: string;
  readonly tables: readonly ArchivedTable[];
  /** In the order in which they follow. */
  readonly files: readonly ArchivedFile[];
  /** What was replaced in the rows of the store; absent if all are as they were. */
  readonly redacted?: readonly RedactedCount[];
};

export function createManifest(
  storeId: string,
  tables: readonly ArchivedTable[],
  files: readonly ArchivedFile[],
  redacted: readonly RedactedCount[] | undefined,
): Manifest {
  return {
    ...{ format: formatName, version: formatVersion, store_id: storeId },
    ...(redacted && { redacted }),
    ...{ tables, files },
  };
}

export function writeManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`, "utf8");
}

/**
 * Reads a manifest and trusts nothing in it: every key has to be a known one, and every value of
 * its type.
 *
 * @throws {ArchiveDamagedError}
 * @throws {ArchiveNewerError}
 */
export function readManifest(bytes: Buffer, place: ArchivePlace): Manifest {
  const damaged = (reason: string): never => {
    throw new ArchiveDamagedError({ ...place, member: manifestPath }, reason);
  };
  const root = fieldsOf(parse(bytes, damaged), "the manifest", damaged);
  if (root["format"] !== formatName) damaged(`"format" is not "${formatName}"`);
  const version = integer(root, "version", damaged);
  if (version > formatVersion) throw newer(place, `version ${version} of the format`);
  const keys = ["format", "version", "store_id", "redacted", "tables", "files"];
  onlyKeys(root, keys, "the manifest", damaged);
  const archived = listOf(root, "tables", damaged);
  const tables = archiveTables().map((declaration, at) =>
    readTable(archived[at], declaration, place, damaged),
  );
  if (archived.length !== tables.length) damaged(`${archived.length} tables, not ${tables.length}`);
  const files = listOf(root, "files", damaged).map((file) => readFile(file, damaged));
  const redacted = Object.hasOwn(root, "redacted")
    ? listOf(root, "redacted", damaged).map((count) => readCount(count, damaged))
    : undefined;
  return createManifest(text(root, "store_id", damaged), tables, files, redacted);
}

type Damaged = (reason: string) => never;
type Fields = Readonly<Record<string, unknown>>;

function parse(bytes: Buffer, damaged: Damaged): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return damaged("it is not JSON");
  }
}

function readTable(
  value: unknown,
  { name, schemaVersion, columns }: TableDeclaration,
  place: ArchivePlace,
  damaged: Damaged,
): ArchivedTable {
  const what = `table ${name}`;
  const fields = fieldsOf(value, what, damaged);
  if (fields["name"] !== name) damaged(`${what} is missing, or not in its place`);
  const stored = integer(fields, "schema_version", damaged);
  if (stored > schemaVersion) {
    throw newer({ ...place, member: name }, `schema version ${stored} of ${what}`);
  }
  const keys = ["name", "schema_version", "columns", "rows", "bytes", "digest"];
  onlyKeys(fields, keys, what, damaged);
  const named = listOf(fields, "columns", damaged);
  const known = Object.keys(columns);
  if (named.length !== known.length || known.some((column, at) => named[at] !== column)) {
    damaged(`${what} has other columns than schema version ${schemaVersion}`);
  }
  return {
    name,
    schema_version: stored,
    columns: known,
    rows: integer(fields, "rows", damaged),
    bytes: integer(fields, "bytes", damaged),
    digest: sha256(fields, "digest", damaged),
  };
}

function readFile(value: unknown, damaged: Damaged): ArchivedFile {
  const fields = fieldsOf(value, "a file", damaged);
  onlyKeys(fields, ["path", "size", "sha256"], "a file", damaged);
  return {
    path: text(fields, "path", damaged),
    size: integer(fields, "size", damaged),
    sha256: sha256(fields, "sha256", damaged),
  };
}

function readCount(value: unknown, damaged: Damaged): RedactedCount {
  const fields = fieldsOf(value, "what was redacted", damaged);
  onlyKeys(fields, ["rule", "count"], "what was redacted", damaged);
  return { rule: text(fields, "rule", damaged), count: integer(fields, "count", damaged) };
}

function newer(place: ArchivePlace, what: string): ArchiveNewerError {
  return new ArchiveNewerError(place, `${what} is newer than this pond; update it`);
}

function fieldsOf(value: unknown, what: string, damaged: Damaged): Fields {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Fields) : damaged(`${what} is not an object`);
}

function onlyKeys(fields: Fields, keys: readonly string[], what: string, damaged: Damaged): void {
  const strange = Object.keys(fields).find((key) => !keys.includes(key));
  if (strange !== undefined) damaged(`${what} has a key ${JSON.stringify(strange.slice(0, 40))}`);
}

/** An own value: `__proto__` and inherited properties do not count. */
function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function integer(fields: Fields, key: string, damaged: Damaged): number {
  const value = own(fields, key);
  const isCount = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  // No export writes a minus in front of zero.
  return isCount && !Object.is(value, -0) ? value : damaged(`"${key}" is not a whole number`);
}

function text(fields: Fields, key: string, damaged: Damaged): string {
  const value = own(fields, key);
  return typeof value === "string" ? value : damaged(`"${key}" is not a string`);
}

function sha256(fields: Fields, key: string, damaged: Damaged): string {
  const value = text(fields, key, damaged);
  return /^[0-9a-f]{64}$/.test(value) ? value : damaged(`"${key}" is not a SHA-256`);
}

function listOf(fields: Fields, key: string, damaged: Damaged): readonly unknown[] {
  const value = own(fields, key);
  return Array.isArray(value) ? value : damaged(`"${key}" is not a list`);
}
