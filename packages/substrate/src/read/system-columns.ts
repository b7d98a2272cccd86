import type { ColumnType, TableDeclaration } from "../declaration.ts";

/** A column of every table: identifies a row for good, and finds it without an index. */
export const rowId = "_rowid";

/** A column of every table: where a row is at present. */
export const rowAddress = "_rowaddr";

/**
 * The type of a column that a read names, checked before the engine reports a missing one in its
 * own words.
 *
 * @throws {TypeError} for a column that is not declared.
 */
export function typeOf({ name, columns }: TableDeclaration, column: string): ColumnType {
  const declared = Object.hasOwn(columns, column) ? columns[column] : undefined;
  if (declared !== undefined) return declared.type;
  if (column === rowId || column === rowAddress) return "int64";
  const others = Object.keys(columns).join(", ");
  throw new TypeError(`${name}: there is no column ${JSON.stringify(column)}, only ${others}`);
}
