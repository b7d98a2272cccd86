import { readFileSync } from "node:fs";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";

/** A file's value, and how long its text was. */
export type JsonFile = { readonly value: JsonValue; readonly encodedBytes: number };

/** A file that holds no JSON; early versions of the client wrote in place and were cut off. */
export class NotJson extends Error {
  override readonly name = "NotJson";
}

/** @throws {NotJson} where the file holds none. @throws where it cannot be read. */
export function readJsonFile(file: string): JsonFile {
  const bytes = readFileSync(file);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { value: parseJson(text), encodedBytes: bytes.length };
  } catch (error) {
    const isTooLong = error instanceof Error && "code" in error && error.code === tooLong;
    if (isTooLong)
      throw new NotJson(`${bytes.length} bytes, too many to be kept`, { cause: error });
    const reason = error instanceof SyntaxError ? error.message : "not valid UTF-8";
    throw new NotJson(`not JSON: ${reason}`, { cause: error });
  }
}

/** @throws {NotJson} where the file holds no JSON object. */
export function readJsonObject(file: string): {
  readonly value: JsonObject;
  readonly encodedBytes: number;
} {
  const { value, encodedBytes } = readJsonFile(file);
  if (!isJsonObject(value)) throw new NotJson("not a JSON object");
  return { value, encodedBytes };
}

const tooLong = "ERR_STRING_TOO_LONG";
