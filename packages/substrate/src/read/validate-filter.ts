import type { ColumnType, TableDeclaration } from "../declaration.ts";
import type { Filter, FilterValue } from "./filter.ts";
import { typeOf } from "./system-columns.ts";

// The engine's parser takes about 48 parentheses: two for a negation, one for any other nesting.
const maxDepth = 24;

/**
 * Refuses a filter that is invalid or not for this table. For some of these, the engine would
 * return every row.
 *
 * @throws {TypeError} for a column that is not declared, a value of another type than its column or
 * that no column holds, a filter that is nested too deep, and anything that is not a filter.
 */
export function validateFilter(table: TableDeclaration, filter: Filter, depth = 1): void {
  if (depth > maxDepth) throw new TypeError(`filters are nested more than ${maxDepth} deep`);
  switch (filter.op) {
    case "and":
    case "or":
      for (const each of filter.filters) validateFilter(table, each, depth + 1);
      return;
    case "not":
      validateFilter(table, filter.filter, depth + 1);
      return;
    case "null":
    case "not-null":
      typeOf(table, filter.column);
      return;
    case "contains":
    case "contains-any-case":
      validateText(table, filter.column, filter.text);
      return;
    case "in":
      if (!Array.isArray(filter.values)) {
        throw new TypeError(`${table.name}.${filter.column}: oneOf needs an array`);
      }
      validateValues(table, filter.column, filter.values);
      return;
    case "eq":
    case "ne":
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      validateValues(table, filter.column, [filter.value]);
      return;
    default: {
      const { op }: { readonly op: unknown } = filter;
      throw new TypeError(`${table.name}: no filter has the op ${String(op)}`);
    }
  }
}

function validateText(table: TableDeclaration, column: string, text: unknown): void {
  const isText = typeOf(table, column) === "text" && typeof text === "string";
  if (!isText)
    throw new TypeError(`${table.name}.${column}: contains needs a text column and a string`);
}

function validateValues(
  table: TableDeclaration,
  column: string,
  values: readonly FilterValue[],
): void {
  const type = typeOf(table, column);
  for (const value of values) {
    const problem = valueProblem(type, value);
    if (problem !== undefined) throw new TypeError(`${table.name}.${column}: ${problem}`);
  }
}

/** Why a column cannot be compared with a value; undefined if it can. */
function valueProblem(type: ColumnType, value: FilterValue): string | undefined {
  if (value === null || value === undefined)
    return `${value} is not a value to compare with: use isNull`;
  switch (type) {
    case "text":
      return typeof value === "string" ? undefined : "text is compared with text";
    case "int64":
    case "float64":
      if (typeof value === "bigint") return integerProblem(value);
      if (typeof value !== "number") return "numbers are compared with a number or a bigint";
      return Number.isFinite(value) ? undefined : `${value} cannot be compared with`;
    case "timestamp":
      if (typeof value !== "object" || typeof value.micros !== "bigint") {
        return "times are compared with { micros }, a bigint";
      }
      return integerProblem(value.micros);
    default:
      return "bytes and vectors cannot be compared";
  }
}

function integerProblem(value: bigint): string | undefined {
  return isInt64(value) ? undefined : `${value} has more than 64 bits`;
}

/** Whether a number is an integer that fits into 64 bits. */
export function isInt64(value: number | bigint): boolean {
  if (typeof value === "number" && !Number.isInteger(value)) return false;
  return BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}
