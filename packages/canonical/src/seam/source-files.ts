import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { sep } from "node:path";
import { SourceFault } from "../errors.ts";
import type { FaultEvent } from "../event.ts";

/**
 * The bytes of a file in order. Reads are synchronous, because an awaited one costs more than
 * parsing what it brings. Each chunk is a buffer of its own, so that a reader may keep a piece of
 * it.
 *
 * @throws if the file cannot be read.
 */
export async function* fileChunks(
  file: string,
  chunkBytes: number = 1024 * 1024,
): AsyncGenerator<Uint8Array> {
  const handle = openSync(file, "r");
  try {
    // One byte more than the file has, so that a short read shows the end.
    const size = Math.min(fstatSync(handle).size + 1, chunkBytes);
    for (let isEnd = false; !isEnd; ) {
      const buffer = Buffer.allocUnsafeSlow(size);
      const bytes = readSync(handle, buffer);
      isEnd = bytes < size;
      if (bytes > 0) yield buffer.subarray(0, bytes);
    }
  } finally {
    closeSync(handle);
  }
}

/** How long something must be left alone before no change in it is expected, in ms. */
export const leftAloneMs: number = 60 * 60 * 1000;

/** True if a file is there and was not written for an hour. */
export function isLeftAlone(file: string): boolean {
  const { mtimeMs = Number.POSITIVE_INFINITY } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs >= leftAloneMs;
}

/** A path with `/` as its separator on every system, as keys and restored files have it. */
export function toPosixPath(path: string): string {
  return sep === "/" ? path : path.split(sep).join("/");
}

/** A fault of a whole file or folder, which costs no counted record. */
export function fileFault(
  adapter: string,
  uri: string,
  reason: string,
  cause?: unknown,
): FaultEvent {
  return {
    kind: "fault",
    fault: new SourceFault({ adapter, uri, record: "file" }, reason, { cause }),
    records: 0,
  };
}

/** True if a file vanished after it was listed. Clients clean up, and that is no fault. */
export function isGone(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}

/**
 * False for a name that a listing could not decode: bytes that are not UTF-8 are replaced in it, so
 * nothing is found under it, and the file looks as if it had vanished.
 *
 * @param path - The path of the file or folder with that name.
 */
export function isDecodedName(name: string, path: string): boolean {
  return !name.includes("\u{fffd}") || existsSync(path);
}

/** Why a file or folder with such a name is not read, for a fault. */
export const notUtf8Reason = "a name that is not UTF-8: not stored";

/** True for an error of the operating system, false for a mistake of ours. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** Why a file cannot be read, for a fault. */
export function reasonOf(error: unknown): string {
  return `cannot be read (${codeOf(error) ?? String(error)})`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
