/** A literal with its type: text, number, integer or microseconds since the epoch. */
export type FilterValue = string | number | bigint | boolean | { readonly micros: bigint };

/** A condition on rows, turned into SQL in one place (`search-prefilter-pushdown`). */
export type Filter =
  | { readonly op: "eq" | "ne" | "lt" | "lte" | "gt" | "gte"; column: string; value: FilterValue }
  | { readonly op: "in"; column: string; values: readonly FilterValue[] }
  | { readonly op: "contains"; column: string; text: string }
  | { readonly op: "null" | "not-null"; column: string }
  | { readonly op: "and" | "or"; filters: readonly Filter[] }
  | { readonly op: "not"; filter: Filter };

type Comparison = (column: string, value: FilterValue) => Filter;
export const eq: Comparison = (column, value) => ({ op: "eq", column, value });
export const ne: Comparison = (column, value) => ({ op: "ne", column, value });
export const lt: Comparison = (column, value) => ({ op: "lt", column, value });
export const lte: Comparison = (column, value) => ({ op: "lte", column, value });
export const gt: Comparison = (column, value) => ({ op: "gt", column, value });
export const gte: Comparison = (column, value) => ({ op: "gte", column, value });
export const oneOf = (column: string, values: readonly FilterValue[]): Filter => ({
  op: "in",
  column,
  values,
});
export const contains = (column: string, text: string): Filter => ({
  op: "contains",
  column,
  text,
});
export const isNull = (column: string): Filter => ({ op: "null", column });
export const isNotNull = (column: string): Filter => ({ op: "not-null", column });
export const and = (...filters: readonly Filter[]): Filter => ({ op: "and", filters });
export const or = (...filters: readonly Filter[]): Filter => ({ op: "or", filters });
export const not = (filter: Filter): Filter => ({ op: "not", filter });

/** Text that begins so, as a range: LIKE would not use the index. */
export function prefix(column: string, text: string): Filter {
  const last = text.codePointAt(text.length - 1);
  if (last === undefined) return isNotNull(column);
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  if (next > 0x10ffff) return gte(column, text);
  const head = text.slice(0, text.length - (last > 0xffff ? 2 : 1));
  return and(gte(column, text), lt(column, head + String.fromCodePoint(next)));
}

const operators = { eq: "=", ne: "!=", lt: "<", lte: "<=", gt: ">", gte: ">=" };

/** The one place where a value becomes SQL. */
export function toSql(filter: Filter): string {
  switch (filter.op) {
    case "in":
      if (filter.values.length === 0) return "false";
      return `${name(filter.column)} IN (${filter.values.map(literal).join(", ")})`;
    case "contains":
      return `contains(${name(filter.column)}, ${literal(filter.text)})`;
    case "null":
      return `${name(filter.column)} IS NULL`;
    case "not-null":
      return `${name(filter.column)} IS NOT NULL`;
    case "and":
      return filter.filters.length === 0 ? "true" : `(${filter.filters.map(toSql).join(" AND ")})`;
    case "or":
      return filter.filters.length === 0 ? "false" : `(${filter.filters.map(toSql).join(" OR ")})`;
    case "not":
      return `(NOT ${toSql(filter.filter)})`;
    default:
      return `${name(filter.column)} ${operators[filter.op]} ${literal(filter.value)}`;
  }
}

function name(column: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(column)) throw new TypeError(`no column is called "${column}"`);
  return column;
}

function literal(value: FilterValue): string {
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "object") return `to_timestamp_micros(${value.micros})`;
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("not a number");
  return String(value);
}
