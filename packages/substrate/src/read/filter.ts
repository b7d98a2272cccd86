/** A typed literal: text, number, integer, or microseconds since the epoch. */
export type FilterValue = string | number | bigint | { readonly micros: bigint };

/** A condition on rows. It becomes SQL in one place (`search-prefilter-pushdown`). */
export type Filter =
  | {
      readonly op: "eq" | "ne" | "lt" | "lte" | "gt" | "gte";
      readonly column: string;
      readonly value: FilterValue;
    }
  | { readonly op: "in"; readonly column: string; readonly values: readonly FilterValue[] }
  | {
      readonly op: "contains" | "contains-any-case";
      readonly column: string;
      readonly text: string;
    }
  | { readonly op: "null" | "not-null"; readonly column: string }
  | { readonly op: "and" | "or"; readonly filters: readonly Filter[] }
  | { readonly op: "not"; readonly filter: Filter };

/** @inline */
type Comparison = (column: string, value: FilterValue) => Filter;

/** Rows whose column equals a value. A null equals nothing and differs from nothing. */
export const eq: Comparison = (column, value) => ({ op: "eq", column, value });
/** Rows whose column has a value that differs. */
export const ne: Comparison = (column, value) => ({ op: "ne", column, value });
/** Rows below a value; text is compared by code point. */
export const lt: Comparison = (column, value) => ({ op: "lt", column, value });
/** Rows at or below a value. */
export const lte: Comparison = (column, value) => ({ op: "lte", column, value });
/** Rows above a value. */
export const gt: Comparison = (column, value) => ({ op: "gt", column, value });
/** Rows at or above a value. */
export const gte: Comparison = (column, value) => ({ op: "gte", column, value });

/** Rows whose column equals one of the values; no rows if there are none. */
export function oneOf(column: string, values: readonly FilterValue[]): Filter {
  return { op: "in", column, values };
}

/** Rows whose text contains exactly this text. Scans the column. */
export function contains(column: string, text: string): Filter {
  return { op: "contains", column, text };
}

/**
 * Rows whose text contains this text, with letters in any case. Only letters with exactly one other
 * form match it: `ß` and `SS` differ, and `İ` only matches itself. Scans the column.
 */
export function containsInAnyCase(column: string, text: string): Filter {
  return { op: "contains-any-case", column, text };
}

/** Rows without a value in a column. */
export function isNull(column: string): Filter {
  return { op: "null", column };
}

/** Rows with a value in a column. */
export function isNotNull(column: string): Filter {
  return { op: "not-null", column };
}

/** Rows that meet every one of the filters; all rows if there are none. */
export function and(...filters: readonly Filter[]): Filter {
  return { op: "and", filters: flattened("and", filters) };
}

/** Rows that meet any of the filters; no row if there are none. */
export function or(...filters: readonly Filter[]): Filter {
  return { op: "or", filters: flattened("or", filters) };
}

/** Rows that do not meet a filter, except those that it cannot judge: a null counts as neither. */
export function not(filter: Filter): Filter {
  return filter.op === "not" ? filter.filter : { op: "not", filter };
}

/**
 * Filters with nested ones of the same kind merged, because conditions cannot be nested for ever.
 */
function flattened(op: "and" | "or", filters: readonly Filter[]): readonly Filter[] {
  return filters.flatMap((filter) => (filter.op === op ? filter.filters : [filter]));
}

/** Whether no row can meet the filter, whatever is stored. */
export function matchesNothing(filter: Filter): boolean {
  switch (filter.op) {
    case "in":
      return filter.values.length === 0;
    case "and":
      return filter.filters.some(matchesNothing);
    case "or":
      return filter.filters.every(matchesNothing);
    default:
      return false;
  }
}

/** The columns that a filter uses. */
export function columnsOf(filter: Filter): string[] {
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

/** Rows whose text begins with this text, expressed as a range: LIKE would not use the index. */
export function prefix(column: string, text: string): Filter {
  const points = [...text];
  // The first text after all that begin this way: the last code point that can grow, plus one.
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = nextCharacter(last);
    if (next === undefined) continue;
    return and(gte(column, text), lt(column, points.join("") + next));
  }
  return text === "" ? isNotNull(column) : gte(column, text);
}

function nextCharacter(character: string): string | undefined {
  const point = character.codePointAt(0) ?? 0;
  if (point === 0x10ffff) return undefined;
  return String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
}
