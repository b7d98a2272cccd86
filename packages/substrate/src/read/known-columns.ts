import type { ColumnType, TableDeclaration } from "../declaration.ts";

/** Column of every table: names a row for good, and finds it without an index. */
export const rowId = "_rowid";

/** Column of every table: where a row lies at present. */
export const rowAddress = "_rowaddr";

/**
 * What a column holds that a read names, before the engine says in words of its own that there is
 * none.
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
