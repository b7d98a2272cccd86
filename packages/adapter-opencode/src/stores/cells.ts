import { isRawNumber, type JsonValue, parseJson } from "@pond/canonical";

/** The columns of one row that are not null, with exact numbers. */
export type Row = Readonly<Record<string, JsonValue>>;

/** A cell as a number; 0 if it is not one. */
export function numberIn(cell: JsonValue | undefined): number {
  const number = isRawNumber(cell)
    ? Number(cell.rawJSON)
    : typeof cell === "object"
      ? 0
      : Number(cell);
  return Number.isFinite(number) ? number : 0;
}

/**
 * The column and the value by which a row is found again: its `pond_row`, or its id in a table
 * without places; undefined if it has neither.
 */
export function rowKey({
  pond_row: place,
  id,
}: Row): readonly [string, bigint | string] | undefined {
  if (place !== undefined) return ["rowid", BigInt(textIn(place))];
  return id === undefined ? undefined : ["id", textIn(id)];
}

/** A cell as text, for example an id that a client wrote as a number. */
export function textIn(cell: JsonValue | undefined): string {
  return isRawNumber(cell) ? cell.rawJSON : String(cell);
}

/**
 * SQL that `idIn` needs for a column: whether an id is found by its text, which older Nodes end at
 * a NUL.
 */
export function idIsTextSql(column: string): string {
  return `${column} = ${column} || '' AND instr(${column}, char(0)) = 0 AS pond_is_text`;
}

/**
 * The id of a row selected with its `idIsTextSql`; undefined for one that no query would find by
 * what was read: none at all, a blob, bytes that are not text.
 */
export function idIn(
  cell: JsonValue | undefined,
  isText: JsonValue | undefined,
): string | undefined {
  const id = textIn(cell);
  return numberIn(isText) === 1 && !id.includes(replacement) ? id : undefined;
}

/** Stands in a text for bytes that are not text, unless a client wrote it. */
export const replacement = "\ufffd";

/** A row as SQLite returns it, with whole numbers as `bigint`. */
export function toRow(row: Readonly<Record<string, unknown>>): Row {
  const values: Record<string, JsonValue> = {};
  for (const [column, value] of Object.entries(row)) {
    if (value !== null) values[column] = toJson(value);
  }
  return values;
}

function toJson(value: unknown): JsonValue {
  if (typeof value === "bigint") return parseJson(String(value));
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "number" ? value : String(value);
}

/** The length of a row's texts, in characters. */
export function lengthOf(row: Row): number {
  let length = 0;
  for (const column in row) {
    const cell = row[column];
    if (typeof cell === "string") length += cell.length;
  }
  return length;
}
