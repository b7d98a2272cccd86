import { readFileSync } from "node:fs";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  TooManyValuesError,
} from "@pond/canonical";

/** A file's value, and the length of its text. */
export type JsonFile = { readonly value: JsonValue; readonly encodedBytes: number };

/** A file that holds no JSON; early versions of the client wrote in place and were cut off. */
export class NotJson extends Error {
  override readonly name = "NotJson";
}

/** @throws {NotJson} if the file holds none. @throws if it cannot be read. */
export function readJsonFile(file: string): JsonFile {
  const bytes = readFileSync(file);
  try {
    return { value: parseJson(jsonText(bytes, { fatal: true })), encodedBytes: bytes.length };
  } catch (error) {
    const isTooLong = error instanceof Error && "code" in error && error.code === tooLong;
    if (isTooLong)
      throw new NotJson(`${bytes.length} bytes, too many to be kept`, { cause: error });
    if (error instanceof TooManyValuesError) throw new NotJson(error.message, { cause: error });
    const reason = error instanceof SyntaxError ? error.message : `not valid ${encodingOf(bytes)}`;
    throw new NotJson(`not JSON: ${reason}`, { cause: error });
  }
}

/**
 * The JSON text among the bytes of a file. A shell may also have written the client's first output
 * into it.
 */
export function jsonText(bytes: Buffer, options?: { readonly fatal: boolean }): string {
  const isUtf8 = encodingOf(bytes) === "UTF-8";
  const text = isUtf8 ? new TextDecoder("UTF-8", options).decode(bytes) : utf16Text(bytes, options);
  return text.replace(/^Exporting session: \w+\s*/, "");
}

/** The text after the mark; a `TextDecoder` takes no UTF-16 of 256 MiB or more. */
function utf16Text(bytes: Buffer, options?: { readonly fatal: boolean }): string {
  const text = bytes.toString("utf16le", 2);
  const isWhole = bytes.length % 2 === 0 && text.isWellFormed();
  if (options?.fatal && !isWhole) throw new TypeError("not valid UTF-16LE");
  return text;
}

/** PowerShell 5 writes UTF-16. */
function encodingOf(bytes: Uint8Array): string {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? "UTF-16LE" : "UTF-8";
}

/** @throws {NotJson} if the file holds no JSON object. */
export function readJsonObject(file: string): {
  readonly value: JsonObject;
  readonly encodedBytes: number;
} {
  const { value, encodedBytes } = readJsonFile(file);
  if (!isJsonObject(value)) throw new NotJson("not a JSON object");
  return { value, encodedBytes };
}

const tooLong = "ERR_STRING_TOO_LONG";
