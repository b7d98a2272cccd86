import { readFile } from "node:fs/promises";
import { ModelInvalidError } from "./errors.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON file of a model.
 *
 * @returns Undefined if there is no such file.
 * @throws {ModelInvalidError} if it does not hold a JSON object.
 */
export async function readJsonObject(model: string, path: string): Promise<JsonObject | undefined> {
  const value = await readJson(model, path);
  if (value === undefined || isObject(value)) return value;
  throw new ModelInvalidError(model, `${path} does not hold a JSON object`);
}

/** @throws {ModelInvalidError} if it is not JSON. */
export async function readJson(model: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (isFileNotFound(error)) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    throw new ModelInvalidError(model, `${path} is not JSON`, { cause: error });
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The system's codes for a path where nothing is, and for one where nothing can be. */
const notFoundCodes: readonly unknown[] = [
  "ENOENT",
  "ENOTDIR",
  "ENAMETOOLONG",
  "ERR_INVALID_ARG_VALUE",
];

export function isFileNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && notFoundCodes.includes(error.code);
}

/** The field, if it is a whole number above zero. */
export function countOf(object: JsonObject | undefined, key: string): number | undefined {
  const value = object?.[key];
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

export function textOf(object: JsonObject | undefined, key: string): string | undefined {
  const value = object?.[key];
  return typeof value === "string" ? value : undefined;
}
