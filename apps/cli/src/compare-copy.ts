import type { RestoredFile } from "@pond/canonical/adapter";
import { readBytes } from "./replace-file.ts";

/**
 * What stands where a copy of a session is to be written: nothing; all of the copy, gone on in or
 * not; an earlier copy that nobody went on in; or something else.
 */
export type CopyState = "missing" | "current" | "earlier" | "other";

/** Compares a file with what would be written in its place. Logs grow at their end alone. */
export async function compareCopy(
  file: string,
  content: RestoredFile["content"],
): Promise<CopyState> {
  // What cannot be read is not to be replaced either.
  const there = await readBytes(file).catch(() => null);
  if (there === undefined) return "missing";
  if (there === null) return "other";
  let at = 0;
  for (const piece of content) {
    const bytes = Buffer.from(piece);
    const found = there.subarray(at, at + bytes.length);
    if (!bytes.subarray(0, found.length).equals(found)) return "other";
    if (found.length < bytes.length) return "earlier";
    at += bytes.length;
  }
  return "current";
}
