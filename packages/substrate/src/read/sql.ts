import type { ColumnType, TableDeclaration } from "../declaration.ts";
import { sparseSql, toSparse } from "../rows/sparse-cells.ts";
import type { Filter, FilterValue } from "./filter.ts";
import { typeOf } from "./system-columns.ts";
import { isInt64 } from "./validate-filter.ts";

const operators = { eq: "=", ne: "!=", lt: "<", lte: "<=", gt: ">", gte: ">=" } as const;

/** A valid name of a column: nothing that SQL would take for something else. */
export const columnName: RegExp = /^[a-z_][a-z0-9_]*$/i;

/**
 * Turns a filter that {@link validateFilter} has let pass into SQL: the one place that does.
 * Lance has no bind parameters.
 *
 * @param isNegated - True inside a `not`, where false and unknown differ.
 * @throws {TypeError} for a column that is not declared.
 */
export function toSql(filter: Filter, table: TableDeclaration, isNegated: boolean = false): string {
  switch (filter.op) {
    case "eq":
    case "ne":
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return comparisonSql(filter, table);
    case "in": {
      if (filter.values.length === 0) return "false";
      const type = typeOf(table, filter.column);
      const values = filter.values.filter((value) => isStorable(value, type));
      const column = valueSql(filter.column, table);
      if (values.length === 0) return neverTrue(column);
      return `${column} IN (${values.map((value) => storedLiteral(value, filter.column, table)).join(", ")})`;
    }
    case "contains":
      if (!filter.text.isWellFormed()) return neverTrue(valueSql(filter.column, table));
      return `contains(${valueSql(filter.column, table)}, ${literal(filter.text)})`;
    case "contains-any-case":
      if (!filter.text.isWellFormed()) return neverTrue(valueSql(filter.column, table));
      return isNegated ? anyCaseSql(filter, table) : quickAnyCaseSql(filter, table);
    case "null":
      return `${valueSql(filter.column, table)} IS NULL`;
    case "not-null":
      return `${valueSql(filter.column, table)} IS NOT NULL`;
    case "and":
      return joinConditions(
        filter.filters.map((each) => toSql(each, table, isNegated)),
        " AND ",
        "true",
      );
    case "or":
      return joinConditions(anyOf(filter.filters, table, isNegated), " OR ", "false");
    case "not":
      return `(NOT ${toSql(filter.filter, table, true)})`;
  }
}

/**
 * Whether a column contains a text in any case. Of ASCII it compares small letters, which takes a
 * third of the time of ILIKE and says the same: to ILIKE, ſ is an s, and İ is no i, which its small
 * form begins with.
 */
function anyCaseSql({ column, text }: ContainedText, table: TableDeclaration): string {
  const [value, stored] = [valueSql(column, table), quoteColumn(column)];
  if (!isAscii.test(text)) return `${value} ILIKE ${literal(`%${escapeLike(text)}%`)}`;
  const sought = text.toLowerCase();
  const small = `lower(${sought.endsWith("i") ? `replace(${value}, 'İ', 'ı')` : value})`;
  const found = `contains(${small}, ${literal(sought)})`;
  if (!sought.includes("s")) return found;
  // Hardly any text has a ſ. To replace it in all of them takes half as long again.
  const withLongS = `contains(replace(${small}, 'ſ', 's'), ${literal(sought)})`;
  return `(${found} OR (contains(${stored}, 'ſ') AND ${withLongS}))`;
}

const isAscii = /^[\0-\x7f]*$/;

type ContainedText = { readonly op: Filter["op"]; readonly column: string; readonly text: string };

/**
 * The same, in half of the time for a text with a rare piece: the engine compares in small letters
 * only what holds that piece in one of its cases, as it looks for a piece as fast as it reads. A
 * cell without a value holds none, so where the other says that this is unknown, this is false.
 */
function quickAnyCaseSql(contained: ContainedText, table: TableDeclaration): string {
  const compared = anyCaseSql(contained, table);
  const piece = rarePiece(contained.text);
  if (piece === undefined) return compared;
  const stored = quoteColumn(contained.column);
  const pieces = casesOf(piece).map((each) => `contains(${stored}, ${literal(each)})`);
  return `(${joinConditions(pieces, " OR ", "true")} AND ${compared})`;
}

/**
 * Three characters of ASCII in a row, in small letters, of which one is neither letter nor space:
 * few texts hold them, and they have at most four cases. None is a k or an s, which are also small
 * letters of others than K and S. Of several, the one with the rarest letters.
 */
function rarePiece(text: string): string | undefined {
  const pieces = Array.from({ length: text.length - 2 }, (_, at) => text.slice(at, at + 3));
  const [rarest] = pieces
    .filter((piece) => isAscii.test(piece) && /[^a-z ]/i.test(piece) && !/[ks]/i.test(piece))
    .map((piece) => piece.toLowerCase())
    .sort((left, right) => rarity(right) - rarity(left));
  return rarest;
}

// Of English prose; names in programs are much like it.
const commonFirst = "etaonirhdlucmpfgybwvxjqz";

function rarity(piece: string): number {
  return [...piece].reduce((sum, letter) => sum + commonFirst.indexOf(letter), 0);
}

/** A text of ASCII in small letters with each of them in either case. */
function casesOf(text: string): string[] {
  return [...text].reduce<string[]>(
    (begun, letter) =>
      [...new Set([letter, letter.toUpperCase()])].flatMap((each) =>
        begun.map((before) => before + each),
      ),
    [""],
  );
}

// The engine limits the size of a compiled pattern. A letter may add a hundred times its own size.
const maxPatternTextChars = 256;
const textsPerPattern = 32;
// With a rare piece of each, a few take half of the time of a pattern.
const maxQuickTexts = 4;

/**
 * The engine looks for several texts in any case at once as fast as for one. The pattern needs a
 * group: without one, the engine turns it into a LIKE for each text, which takes the time of one
 * search for each, and takes a backslash for something else.
 */
function anyOf(filters: readonly Filter[], table: TableDeclaration, isNegated: boolean): string[] {
  const hasPiece = (filter: Filter): boolean =>
    filter.op === "contains-any-case" && rarePiece(filter.text) !== undefined;
  const areFew = filters.filter(hasPiece).length <= maxQuickTexts;
  const isInAnyCase = (filter: Filter): filter is Filter & ContainedText =>
    filter.op === "contains-any-case" &&
    filter.text.length <= maxPatternTextChars &&
    (isNegated || !areFew || !hasPiece(filter)) &&
    filter.text.isWellFormed();
  const byColumn = Map.groupBy(filters.filter(isInAnyCase), ({ column }) => column);
  const together = [...byColumn].filter(([, { length }]) => length > 1);
  const columns = new Set(together.map(([column]) => column));
  const isAlone = (filter: Filter): boolean => !isInAnyCase(filter) || !columns.has(filter.column);
  const patterns = together.flatMap(([column, contained]) => {
    const texts = contained.map(({ text }) => text.replaceAll(patternCharacters, "\\$&"));
    return toGroups(texts).map(
      (group) => `regexp_like(${valueSql(column, table)}, ${literal(`(${group.join("|")})`)}, 'i')`,
    );
  });
  const alone = filters.filter(isAlone).map((each) => toSql(each, table, isNegated));
  return [...alone, ...patterns];
}

function toGroups(texts: readonly string[]): string[][] {
  const length = Math.ceil(texts.length / textsPerPattern);
  const starts = Array.from({ length }, (_, at) => at * textsPerPattern);
  return starts.map((start) => texts.slice(start, start + textsPerPattern));
}

/** The characters that have a meaning in a pattern. */
const patternCharacters = /[\\^$.*+?()[\]{}|]/g;

function joinConditions(conditions: readonly string[], operator: string, emptySql: string): string {
  return conditions.length === 0 ? emptySql : `(${conditions.join(operator)})`;
}

type Comparison = Extract<Filter, { readonly value: FilterValue }>;

function comparisonSql(filter: Comparison, table: TableDeclaration): string {
  const { op, value } = filter;
  const column = valueSql(filter.column, table);
  const isOfType = isStorable(value, typeOf(table, filter.column));
  if (isOfType) return `${column} ${operators[op]} ${storedLiteral(value, filter.column, table)}`;
  switch (op) {
    case "eq":
      return neverTrue(column);
    case "ne":
      return `${column} = ${column}`;
    default: {
      const { bound, isBelow } = neighbourOf(value);
      const [less, more] = isBelow ? ["<=", ">"] : ["<", ">="];
      const limit = storedLiteral(bound, filter.column, table);
      return `${column} ${op.startsWith("l") ? less : more} ${limit}`;
    }
  }
}

/**
 * False for a value that no cell of a column can have: text with a lone surrogate
 * (InvalidBatchError), a number that is not an integer of 64 bits, an integer that no double
 * equals. The engine would compare as a double, to which several integers are equal.
 */
function isStorable(value: FilterValue, type: ColumnType): boolean {
  switch (typeof value) {
    case "string":
      return value.isWellFormed();
    case "number":
      return type !== "int64" || isInt64(value);
    case "bigint":
      return type !== "float64" || BigInt(Number(value)) === value;
    case "object":
      return true;
  }
}

type Neighbour = {
  readonly bound: FilterValue;
  /** True if it is below the value, with no cell in between; otherwise it is above. */
  readonly isBelow: boolean;
};

/** A possible cell next to a value that no cell can have. */
function neighbourOf(value: FilterValue): Neighbour {
  switch (typeof value) {
    case "number":
      if (value < minInt64) return { bound: minInt64, isBelow: false };
      if (value > maxInt64) return { bound: maxInt64, isBelow: true };
      return { bound: BigInt(Math.floor(value)), isBelow: true };
    case "bigint":
      return { bound: Number(value), isBelow: Number(value) < value };
    default:
      // From there on, all texts are below all surrogates or above them: U+E000 comes next.
      return { bound: String(value).replace(/\p{Surrogate}.*/su, "\ue000"), isBelow: false };
  }
}

/** False, except for a null, which is neither; so its negation takes every row with a value. */
function neverTrue(column: string): string {
  return `${column} != ${column}`;
}

/** The content of a column in a row; for a sparse column null if it has none. */
function valueSql(column: string, { columns }: TableDeclaration): string {
  const { isSparse, type } = columns[column] ?? {};
  return isSparse ? sparseSql(quoteColumn(column), type === "text") : quoteColumn(column);
}

/** A value in the form in which its column holds it. */
function storedLiteral(value: FilterValue, column: string, { columns }: TableDeclaration): string {
  const isMarked = typeof value === "string" && columns[column]?.isSparse;
  return literal(isMarked ? toSparse(value) : value);
}

/** A text escaped so that LIKE takes it literally. */
function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}

/** @throws {TypeError} for what cannot be the name of a column. */
export function quoteColumn(column: string): string {
  if (!columnName.test(column)) throw new TypeError(`no column is called "${column}"`);
  // Quoted, because a column may have the name of an SQL word.
  return `\`${column}\``;
}

function literal(value: FilterValue): string {
  switch (typeof value) {
    case "string":
      return `'${value.replaceAll("'", "''")}'`;
    case "number":
      return isInt64(value) ? literal(BigInt(value)) : `CAST(${value} AS DOUBLE)`;
    case "bigint":
      // Written plainly, the parser takes its digits for a double before it sees the sign.
      return value === minInt64 ? `CAST('${value}' AS BIGINT)` : String(value);
    case "object":
      // This is the only function for times that takes all 64 bits.
      return `arrow_cast(${literal(value.micros)}, 'Timestamp(Microsecond, Some("UTC"))')`;
  }
}

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;
