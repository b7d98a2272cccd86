import { PondError } from "@pond/canonical";

/** A query that asks for nothing that can be found. */
export class QueryError extends PondError {
  override readonly name = "QueryError";
  readonly code = "validation_failed";
  readonly details: { readonly field: "query"; readonly reason: string };

  constructor(reason: string) {
    super(`query: ${reason}`);
    this.details = { field: "query", reason };
  }
}

/** A filter or bound of a search that is not valid, or that nothing stored can meet. */
export class FilterError extends PondError {
  override readonly name = "FilterError";
  readonly code = "validation_failed";
  readonly details: { readonly field: string; readonly reason: string };

  constructor(field: string, reason: string) {
    super(`${field}: ${reason}`);
    this.details = { field, reason };
  }
}

/** A value of a request in a form that a message can show. */
export function displayValue(value: unknown): string {
  const isPlain = typeof value === "string" || typeof value === "number";
  return isPlain ? String(value).slice(0, 40) : `what is no text or number (${typeof value})`;
}
