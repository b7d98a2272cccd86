import type { Filter, FilterValue } from "./filter.ts";

const operators = { eq: "=", ne: "!=", lt: "<", lte: "<=", gt: ">", gte: ">=" } as const;

/** The one place where a filter becomes SQL. Lance has no bind parameters. */
export function toSql(filter: Filter): string {
  switch (filter.op) {
    case "eq":
    case "ne":
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return `${name(filter.column)} ${operators[filter.op]} ${literal(filter.value)}`;
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
      return joined(filter.filters, " AND ", "true");
    case "or":
      return joined(filter.filters, " OR ", "false");
    case "not":
      return `(NOT ${toSql(filter.filter)})`;
  }
}

function joined(filters: readonly Filter[], operator: string, ofNone: string): string {
  if (filters.length === 0) return ofNone;
  return `(${filters.map(toSql).join(operator)})`;
}

function name(column: string): string {
  if (!/^[a-z_][a-z0-9_]*$/i.test(column)) throw new TypeError(`no column is called "${column}"`);
  // Quoted, because a column may be called like an SQL word.
  return `\`${column}\``;
}

const leastInteger = -(2n ** 63n);

function literal(value: FilterValue): string {
  switch (typeof value) {
    case "string":
      // No stored text holds a lone surrogate (InvalidBatchError), so this matches nothing.
      return value.isWellFormed() ? `'${value.replaceAll("'", "''")}'` : "NULL";
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be compared with`);
      return String(value);
    case "bigint":
      // Written plainly, the parser takes its digits for a double before it sees the sign.
      if (value === leastInteger) return `CAST('${value}' AS BIGINT)`;
      return String(value);
    case "object":
      return `to_timestamp_micros(${value.micros})`;
  }
}
