import type { Filter, FilterValue } from "./filter.ts";

const operators = { eq: "=", ne: "!=", lt: "<", lte: "<=", gt: ">", gte: ">=" } as const;

// The engine's parser takes some 48 parentheses: two for a negation, one for what else is nested.
const maxDepth = 24;

/**
 * The one place where a filter becomes SQL. Lance has no bind parameters.
 *
 * @throws {TypeError} for a value that cannot be compared with, and for what is nested too deep.
 */
export function toSql(filter: Filter): string {
  return nestedSql(filter, 1);
}

function nestedSql(filter: Filter, depth: number): string {
  if (depth > maxDepth) throw new TypeError(`filters are nested more than ${maxDepth} deep`);
  switch (filter.op) {
    case "eq":
    case "ne":
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return compared(name(filter.column), filter.op, filter.value);
    case "in": {
      if (filter.values.length === 0) return "false";
      const values = filter.values.filter(isStorable);
      if (values.length === 0) return nothing(name(filter.column));
      return `${name(filter.column)} IN (${values.map(literal).join(", ")})`;
    }
    case "contains":
      if (!isStorable(filter.text)) return nothing(name(filter.column));
      return `contains(${name(filter.column)}, ${literal(filter.text)})`;
    case "contains-any-case":
      if (!isStorable(filter.text)) return nothing(name(filter.column));
      return `${name(filter.column)} ILIKE ${literal(`%${escaped(filter.text)}%`)}`;
    case "null":
      return `${name(filter.column)} IS NULL`;
    case "not-null":
      return `${name(filter.column)} IS NOT NULL`;
    case "and":
      return joined(filter.filters, " AND ", "true", depth);
    case "or":
      return joined(filter.filters, " OR ", "false", depth);
    case "not":
      return `(NOT ${nestedSql(filter.filter, depth + 1)})`;
  }
}

function joined(
  filters: readonly Filter[],
  operator: string,
  ofNone: string,
  depth: number,
): string {
  if (filters.length === 0) return ofNone;
  return `(${filters.map((each) => nestedSql(each, depth + 1)).join(operator)})`;
}

function compared(column: string, operator: keyof typeof operators, value: FilterValue): string {
  if (isStorable(value)) return `${column} ${operators[operator]} ${literal(value)}`;
  switch (operator) {
    case "eq":
      return nothing(column);
    case "ne":
      return `${column} = ${column}`;
    default: {
      // Where texts part from it, each is below all surrogates or above: U+E000 comes next.
      const next = literal(String(value).replace(/\p{Surrogate}.*/su, "\ue000"));
      return `${column} ${operator.startsWith("l") ? "<" : ">="} ${next}`;
    }
  }
}

/** False for text with a lone surrogate, which nothing stored holds (InvalidBatchError). */
function isStorable(value: FilterValue): boolean {
  return typeof value !== "string" || value.isWellFormed();
}

/** False, but for a null, which is neither: so negated it takes every row with a value. */
function nothing(column: string): string {
  return `${column} != ${column}`;
}

/** A text that a pattern of LIKE takes as it stands. */
function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}

function name(column: string): string {
  if (!/^[a-z_][a-z0-9_]*$/i.test(column)) throw new TypeError(`no column is called "${column}"`);
  // Quoted, because a column may be called like an SQL word.
  return `\`${column}\``;
}

function literal(value: FilterValue): string {
  switch (typeof value) {
    case "string":
      return `'${value.replaceAll("'", "''")}'`;
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be compared with`);
      // Said to be a double, it is compared with integers too.
      return isInt64(value) ? literal(BigInt(value)) : `CAST(${value} AS DOUBLE)`;
    case "bigint":
      if (!isInt64(value)) throw new TypeError(`${value} has more than 64 bits`);
      // Written plainly, the parser takes its digits for a double before it sees the sign.
      return value === leastInteger ? `CAST('${value}' AS BIGINT)` : String(value);
    case "object":
      // Of the functions for times this takes all 64 bits.
      return `arrow_cast(${literal(value.micros)}, 'Timestamp(Microsecond, Some("UTC"))')`;
  }
}

const leastInteger = -(2n ** 63n);

function isInt64(value: number | bigint): boolean {
  if (typeof value === "number" && !Number.isInteger(value)) return false;
  return BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}
