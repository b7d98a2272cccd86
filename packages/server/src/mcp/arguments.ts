import { WireError } from "@pond/wire";
import { type inputSchema, isFieldOf } from "./schemas.ts";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Converts a tool's arguments to a request. A field that the tool does not name is refused, because
 * the request may have one of that name all the same.
 *
 * @throws {WireError} `validation_failed`, naming the field.
 */
export function toRequest(
  schema: ReturnType<typeof inputSchema>,
  own: readonly string[],
  given: Arguments,
): Arguments {
  const unknown = Object.keys(given).find((name) => !isFieldOf(schema, name));
  if (unknown !== undefined) throw invalid(unknown.slice(0, 100), "there is no such field");
  return Object.fromEntries(Object.entries(given).filter(([name]) => !own.includes(name)));
}

type Bounds = { readonly least: number; readonly most: number; readonly otherwise: number };

/**
 * A whole number among the arguments.
 *
 * @throws {WireError} `validation_failed`, naming the field.
 */
export function wholeNumber(given: Arguments, name: string, bounds: Bounds): number {
  const value = given[name];
  if (value === undefined) return bounds.otherwise;
  const { least, most } = bounds;
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
    throw invalid(name, `expected a whole number from ${least} to ${most}`);
  }
  return value;
}

function invalid(path: string, message: string): WireError {
  return new WireError("validation_failed", `${path}: ${message}`, { issues: [{ path, message }] });
}
