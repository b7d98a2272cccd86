import type { Held, RestoredFile } from "@pond/canonical/adapter";
import { readBytes } from "./replace-file.ts";
import { digestOf } from "./written-copies.ts";

/**
 * Compares a file with what would be written in its place. Most logs grow at their end alone.
 *
 * @param writtenAs - The digest of the copy as it was written, where that is known.
 */
export async function compareCopy(
  file: string,
  content: RestoredFile["content"],
  writtenAs: string | undefined,
): Promise<Held> {
  // What cannot be read is not to be replaced either.
  const there = await readBytes(file).catch(() => null);
  if (there === undefined) return "missing";
  if (there === null) return "other";
  const other = (): Held => (digestOf([there]) === writtenAs ? "earlier" : "other");
  let at = 0;
  for (const piece of content) {
    const bytes = Buffer.from(piece);
    const found = there.subarray(at, at + bytes.length);
    if (!bytes.subarray(0, found.length).equals(found)) return other();
    // Also without its last line end alone: pi and omp would write their next line behind the last.
    if (found.length < bytes.length) return "earlier";
    at += bytes.length;
  }
  return "current";
}
