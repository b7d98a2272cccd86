import type { TableDeclaration } from "../declaration.ts";
import type { Filter } from "./filter.ts";
import { rowAddress, rowId } from "./fragments.ts";
import type { ScanOptions } from "./read.ts";

/** What a read may name. */
type Named = Partial<Pick<ScanOptions, "columns" | "where" | "orderBy">> & {
  /** The column that is searched. */
  readonly column?: string;
};

/**
 * Refuses a read of what the table does not have, before the engine says so in words of its own.
 *
 * @throws {TypeError} for a column that is not declared.
 */
export function refuseUnknownColumns({ name, columns }: TableDeclaration, read: Named): void {
  const { column, where, orderBy = [] } = read;
  const asked = [
    ...(column === undefined ? [] : [column]),
    ...(read.columns ?? []),
    ...orderBy.map((order) => order.column),
    ...(where === undefined ? [] : columnsOf(where)),
  ];
  const isThere = (each: string): boolean =>
    Object.hasOwn(columns, each) || each === rowId || each === rowAddress;
  const unknown = asked.find((each) => !isThere(each));
  if (unknown === undefined) return;
  const others = Object.keys(columns).join(", ");
  throw new TypeError(`${name}: there is no column ${JSON.stringify(unknown)}, only ${others}`);
}

function columnsOf(filter: Filter): string[] {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.filters.flatMap(columnsOf);
    case "not":
      return columnsOf(filter.filter);
    default:
      return [filter.column];
  }
}
