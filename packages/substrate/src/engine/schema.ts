import type * as Arrow from "apache-arrow";
import type { ColumnType, TableDeclaration } from "../declaration.ts";
import { arrow } from "./arrow.ts";

const keyFlag = "lance-schema:unenforced-primary-key";
const keyPosition = `${keyFlag}:position`;
const versionKey = "pond:schema_version";
const storeIdKey = "pond:store_id";
/** Marks a sparse column without nulls: a short marker replaces each. */
const withoutNulls = "pond:without_nulls";
/** Marks sparse columns while their nulls are replaced: the last fragment that may hold any. */
const nullsUntil = "pond:nulls_until";

// Without "miniblock" the engine compresses each value by itself. On JSON rows of 1.6 KB, per
// write: plain 0.77x the text, zstd by value 0.49x, zstd in 32 KiB blocks 0.29x and a fifth faster;
// level 3 gains 1 % more.
const compression: Readonly<Record<string, string>> = {
  "lance-encoding:compression": "zstd",
  "lance-encoding:compression-level": "1",
  "lance-encoding:structural-encoding": "miniblock",
};

// Not the engine's default, which makes a scan of texts ten times as slow.
const noCompression: Readonly<Record<string, string>> = {
  "lance-encoding:compression": "none",
  "lance-encoding:structural-encoding": "miniblock",
};

/**
 * The Arrow schema of a table. The key, the schema version (`lance-dataset-schema-version`) and the
 * store's id are field metadata, because table metadata could not be changed later.
 */
export function toSchema(table: TableDeclaration, storeId: string): Arrow.Schema {
  const fields = Object.entries(table.columns).map(([name, column]) => {
    const metadata = encodingOf(table, name);
    const position = table.primaryKey.indexOf(name);
    if (column.isSparse) metadata.set(withoutNulls, "true");
    if (position >= 0) {
      // A composite key can only be declared this way, and only at creation. Without it, concurrent
      // writers duplicate rows (`lance-table-creation-unenforced-pk`).
      metadata.set(keyFlag, "true").set(keyPosition, String(position + 1));
    }
    if (position === 0) {
      for (const [key, value] of Object.entries(versionMetadata(table))) metadata.set(key, value);
      metadata.set(storeIdKey, storeId);
    }
    return new arrow.Field(name, toType(column.type), column.isNullable ?? false, metadata);
  });
  return new arrow.Schema(fields);
}

/** The schema version as the first column of the key records it. */
export function versionMetadata(table: TableDeclaration): Readonly<Record<string, string>> {
  return { [versionKey]: String(table.schemaVersion) };
}

/** Sparse columns that may hold nulls: an earlier version stored some, or nobody has looked yet. */
export function columnsWithNulls(schema: Arrow.Schema, table: TableDeclaration): string[] {
  const marked = schema.fields.filter(({ metadata }) => metadata.has(withoutNulls));
  return sparseColumns(table).filter((name) => !marked.some((field) => field.name === name));
}

/**
 * The last fragment that may hold nulls, if every column with nulls is being mended; otherwise
 * undefined. Marks on other columns were left by a process that came late to what others had
 * finished.
 */
export function nullsUntilOf(schema: Arrow.Schema, table: TableDeclaration): number | undefined {
  const columns = columnsWithNulls(schema, table);
  const fields = schema.fields.filter(({ name }) => columns.includes(name));
  const fragments = fields.flatMap(({ metadata }) => metadata.get(nullsUntil) ?? []);
  const isInProgress = columns.length > 0 && fragments.length === columns.length;
  return isInProgress ? Math.max(...fragments.map(Number)) : undefined;
}

/** Metadata of fields in the engine's form: null removes an entry. */
export type FieldMetadata = {
  readonly path: string;
  readonly metadata: Record<string, string | null>;
};

/** Sets the marks that {@link nullsUntilOf} reads. */
export function nullsUntilMetadata(table: TableDeclaration, fragment: number): FieldMetadata[] {
  const metadata = { [nullsUntil]: String(fragment) };
  return sparseColumns(table).map((path) => ({ path, metadata }));
}

/** Marks sparse columns as possibly holding nulls again, in any fragment. */
export function withNullsMetadata(table: TableDeclaration): FieldMetadata[] {
  const metadata = { [withoutNulls]: null, [nullsUntil]: null };
  return sparseColumns(table).map((path) => ({ path, metadata }));
}

/** Marks sparse columns as having no nulls. */
export function withoutNullsMetadata(table: TableDeclaration): FieldMetadata[] {
  return sparseColumns(table).map((path) => ({
    path,
    metadata: { [withoutNulls]: "true", [nullsUntil]: null },
  }));
}

function sparseColumns({ columns }: TableDeclaration): string[] {
  return Object.keys(columns).filter((name) => columns[name]?.isSparse);
}

/** The fields of columns as {@link toSchema} makes them, for an existing table. */
export function toFields(table: TableDeclaration, names: readonly string[]): Arrow.Field[] {
  return names.flatMap((name) => {
    const column = table.columns[name];
    if (column === undefined) return [];
    return [new arrow.Field(name, toType(column.type), true, encodingOf(table, name))];
  });
}

/** How a column is compressed; keys as the engine chooses. */
function encodingOf({ primaryKey, columns }: TableDeclaration, name: string): Map<string, string> {
  const column = columns[name];
  const isLong = column?.type === "text" || column?.type === "bytes";
  if (!isLong || primaryKey.includes(name)) return new Map();
  return new Map(Object.entries(column.isReadByRow ? noCompression : compression));
}

/** What a stored table says about itself. */
export type StoredSchema = {
  readonly storeId: string;
  readonly schemaVersion: number;
};

/** Reads what {@link toSchema} wrote; undefined for a table that it did not make. */
export function fromSchema(
  schema: Arrow.Schema,
  table: TableDeclaration,
): StoredSchema | undefined {
  const metadataOf = (name: string | undefined): Map<string, string> | undefined =>
    schema.fields.find((field) => field.name === name)?.metadata;
  const keyed = schema.fields.filter(({ metadata }) => metadata.has(keyPosition));
  // If only the first part of a key is declared, rows that differ in the rest count as one.
  const isKeyed =
    keyed.length === table.primaryKey.length &&
    table.primaryKey.every(
      (name, index) => metadataOf(name)?.get(keyPosition) === String(index + 1),
    );
  const first = metadataOf(table.primaryKey[0]);
  const storeId = first?.get(storeIdKey);
  const schemaVersion = Number(first?.get(versionKey) ?? Number.NaN);
  if (!isKeyed || storeId === undefined || Number.isNaN(schemaVersion)) return undefined;
  return { storeId, schemaVersion };
}

/** The columns that were added after the version of a stored schema and that it lacks. */
export function absentColumns(schema: Arrow.Schema, table: TableDeclaration): string[] {
  const { schemaVersion = table.schemaVersion } = fromSchema(schema, table) ?? {};
  const stored = new Set(schema.fields.map(({ name }) => name));
  return Object.entries(table.columns)
    .filter(([name, { since = 1 }]) => since > schemaVersion && !stored.has(name))
    .map(([name]) => name);
}

/**
 * The first declared column that a stored schema lacks although it is needed, or holds as another
 * type.
 */
export function mismatchedColumn(
  schema: Arrow.Schema,
  table: TableDeclaration,
): string | undefined {
  const absent = absentColumns(schema, table);
  return Object.entries(withStoredVectors(table, schema).columns)
    .filter(([name]) => !absent.includes(name))
    .find(([name, { type }]) => {
      const stored = schema.fields.find((field) => field.name === name);
      return String(stored?.type) !== String(toType(type));
    })
    ?.at(0)
    ?.toString();
}

/** The declaration with the stored vector length, which {@link renew} may have changed. */
export function withStoredVectors(table: TableDeclaration, schema: Arrow.Schema): TableDeclaration {
  const columns = Object.entries(table.columns).map(([name, column]) => {
    const vector = vectorDimension(schema, name);
    const isRenewable = column.isDerived && typeof column.type === "object";
    return [name, isRenewable && vector ? { ...column, type: { vector } } : column] as const;
  });
  return { ...table, columns: Object.fromEntries(columns) };
}

/** Length of the vectors in a stored column; undefined if there are none. */
export function vectorDimension(schema: Arrow.Schema, column: string): number | undefined {
  const type: unknown = schema.fields.find(({ name }) => name === column)?.type;
  return arrow.DataType.isFixedSizeList(type) ? type.listSize : undefined;
}

/**
 * The Arrow type of a column. Bytes are plain binary: Lance's blob columns are written as fast, but
 * are neither compressed nor part of a query's rows.
 */
export function toType(type: ColumnType): Arrow.DataType {
  if (typeof type === "object") return vectorType(type.vector);
  switch (type) {
    case "text":
      return new arrow.Utf8();
    case "int64":
      return new arrow.Int64();
    case "timestamp":
      return new arrow.Timestamp(arrow.TimeUnit.MICROSECOND, "UTC");
    case "float64":
      return new arrow.Float64();
    case "bytes":
      return new arrow.LargeBinary();
  }
}

/** @throws {RangeError} for an impossible dimension. */
export function vectorType(dimension: number): Arrow.FixedSizeList<Arrow.Float16> {
  if (!Number.isInteger(dimension) || dimension < 1) {
    throw new RangeError(`vectors of ${dimension} numbers: a dimension is a whole number from 1`);
  }
  return new arrow.FixedSizeList(dimension, new arrow.Field("item", new arrow.Float16(), true));
}
