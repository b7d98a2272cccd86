import type { CopyState, RestoredFile } from "@pond/canonical/adapter";
import { readBytes } from "./replace-file.ts";
import { digestOf } from "./written-copies.ts";

/**
 * Compares a file with what would be written in its place. Most logs only grow at their end.
 *
 * @param writtenDigest - The digest of the copy as it was written, if it is known.
 */
export async function compareCopy(
  file: string,
  content: RestoredFile["content"],
  writtenDigest: string | undefined,
): Promise<CopyState> {
  // What cannot be read must not be replaced either.
  const existing = await readBytes(file).catch(() => null);
  if (existing === undefined) return "missing";
  if (existing === null) return "other";
  const other = (): CopyState => (digestOf([existing]) === writtenDigest ? "earlier" : "other");
  let at = 0;
  for (const piece of content) {
    const bytes = Buffer.from(piece);
    const found = existing.subarray(at, at + bytes.length);
    if (!bytes.subarray(0, found.length).equals(found)) return other();
    // Also if only its last line end is missing: pi and omp would append their next line to the
    // last one.
    if (found.length < bytes.length) return "earlier";
    at += bytes.length;
  }
  return "current";
}
