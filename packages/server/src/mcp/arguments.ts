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
  extra: readonly string[],
  args: Arguments,
): Arguments {
  const unknown = Object.keys(args).find((name) => !isFieldOf(schema, name));
  if (unknown !== undefined) throw invalid(unknown.slice(0, 100), "there is no such field");
  return Object.fromEntries(Object.entries(args).filter(([name]) => !extra.includes(name)));
}

type Bounds = { readonly min: number; readonly max: number; readonly fallback: number };

/**
 * A whole number among the arguments.
 *
 * @throws {WireError} `validation_failed`, naming the field.
 */
export function readInteger(args: Arguments, name: string, bounds: Bounds): number {
  const value = args[name];
  if (value === undefined) return bounds.fallback;
  const { min, max } = bounds;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw invalid(name, `expected a whole number from ${min} to ${max}`);
  }
  return value;
}

function invalid(path: string, message: string): WireError {
  return new WireError("validation_failed", `${path}: ${message}`, { issues: [{ path, message }] });
}
