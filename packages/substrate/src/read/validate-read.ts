import type { TableDeclaration } from "../declaration.ts";
import type { FullTextQuery } from "./full-text.ts";
import type { FullTextOptions, NearestOptions, OrderBy, ScanOptions } from "./read.ts";
import { typeOf } from "./system-columns.ts";
import { validateFilter } from "./validate-filter.ts";

/**
 * Refuses a read that this table cannot answer, before the engine reports it in its own words or
 * answers something else.
 *
 * @throws {TypeError} for a column that is not declared or of a type that is not read so, for an
 *   invalid condition, for words that ask for nothing, and for rows without a column.
 */
export function validateRead(
  table: TableDeclaration,
  read: ScanOptions | FullTextOptions | NearestOptions,
): void {
  const order = ("orderBy" in read && read.orderBy) || [];
  // The engine gives no rows then; a search has a score or a distance besides.
  const isEmpty = read.columns.length + order.length === 0 && !("column" in read);
  if (isEmpty)
    throw new TypeError(
      `${table.name}: no columns are asked for; count() tells how many rows there are`,
    );
  for (const column of read.columns) typeOf(table, column);
  if (read.where !== undefined) validateFilter(table, read.where);
  if ("rowsAtOnce" in read && read.rowsAtOnce !== undefined) {
    const { rowsAtOnce } = read;
    // The engine counts them in 32 bits.
    const isValid = Number.isInteger(rowsAtOnce) && rowsAtOnce > 0 && rowsAtOnce < 2 ** 32;
    if (!isValid) throw new TypeError(`${rowsAtOnce} is not a number of rows to read at once`);
  }
  for (const each of order) validateOrder(table, each);
  if ("query" in read) validateFullText(table, read);
  if ("vector" in read && typeof typeOf(table, read.column) !== "object") {
    throw new TypeError(
      `${table.name}.${read.column}: only a vector column can be searched by nearness`,
    );
  }
}

function validateOrder(table: TableDeclaration, { column, direction = "asc" }: OrderBy): void {
  typeOf(table, column);
  if (direction !== "asc" && direction !== "desc") {
    throw new TypeError(`no order is called ${direction}`);
  }
  // What stands for none would come among the others.
  if (!Object.hasOwn(table.columns, column) || !table.columns[column]?.isSparse) return;
  throw new TypeError(`${table.name}.${column}: rows cannot be ordered by a sparse column`);
}

function validateFullText(table: TableDeclaration, { column, query }: FullTextOptions): void {
  const problem =
    typeOf(table, column) === "text"
      ? queryProblem(query, hasPhrases(table, column))
      : "only text is searched by words";
  if (problem !== undefined) throw new TypeError(`${table.name}.${column}: ${problem}`);
}

function hasPhrases({ indexes }: TableDeclaration, column: string): boolean {
  return indexes.some(
    (index) => index.column === column && index.kind === "full-text" && index.hasPositions,
  );
}

// The engine makes an automaton for each term, of at most 10,000 states: too few for 64 letters.
const longFuzzyTerm = /[^\s]{33}/u;

/** Why a query cannot be asked; undefined if it can. */
function queryProblem(query: FullTextQuery, knowsPhrases: boolean): string | undefined {
  if (typeof query !== "object" || query === null)
    return "a query has terms, a phrase or other queries";
  if ("terms" in query) {
    const { terms, operator = "or", boost = 1, fuzziness = 0 } = query;
    if (typeof terms !== "string") return "terms must be one string";
    if (operator !== "or" && operator !== "and") return `no operator is called ${operator}`;
    if (![0, 1, 2].includes(fuzziness)) return `a fuzziness of ${fuzziness}`;
    if (fuzziness > 0 && longFuzzyTerm.test(terms)) return "a fuzzy term is too long";
    return Number.isFinite(boost) && boost >= 0 ? undefined : `a boost of ${boost}`;
  }
  if ("phrase" in query) {
    if (typeof query.phrase !== "string") return "a phrase must be a string";
    return knowsPhrases
      ? undefined
      : "none of its indexes knows the positions of words, which a phrase needs";
  }
  const { must = [], should = [], mustNot = [] } = query;
  if (must.length + should.length === 0) return "the query asks for nothing";
  for (const each of [...must, ...should, ...mustNot]) {
    const problem = queryProblem(each, knowsPhrases);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
