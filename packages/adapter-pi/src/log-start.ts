import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { isJsonObject, type JsonObject, parseJson } from "@pond/canonical";
import { isSystemError } from "@pond/canonical/adapter";

/** The beginning of a file as text, to decide by; undefined where it cannot be read. */
export function startOf(file: string, maxBytes: number): string | undefined {
  // A pipe would wait for a writer, and a link may lead anywhere.
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    const handle = openSync(file, "r");
    try {
      const buffer = Buffer.alloc(maxBytes);
      return buffer.toString("utf8", 0, readSync(handle, buffer));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** The header of a log, to decide by: in its first line, or behind that for the title. */
export function headerOf(log: string): JsonObject | undefined {
  const lines = (startOf(log, headerBytes) ?? "").split("\n", 2);
  return lines.map(objectIn).find((record) => record?.["type"] === "session");
}

/** Hardly any header is longer, and one that is decides nothing. */
export const headerBytes: number = 16 * 1024;

/** What a line of a log holds; undefined where that is no object. */
export function objectIn(line: string): JsonObject | undefined {
  try {
    const record = parseJson(line);
    return isJsonObject(record) ? record : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
