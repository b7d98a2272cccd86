import type { FileHandle } from "node:fs/promises";
import { isSystemError } from "@pond/canonical/adapter";

/** Milliseconds since the epoch. */
let lastMtimeMs = 0;

/**
 * Makes a file later than all that were given a time before, in whole milliseconds: clients
 * continue what was written last, and a file system's own clock may stand still from one file to
 * the next.
 */
export async function setIncreasingMtime(file: Pick<FileHandle, "utimes">): Promise<void> {
  lastMtimeMs = Math.max(lastMtimeMs + 1, Date.now());
  // Times lose a little precision when they are set, which must not make it the millisecond before.
  const seconds = (lastMtimeMs + 0.25) / 1000;
  try {
    await file.utimes(seconds, seconds);
  } catch (error) {
    // Not every file system allows it, and what was written is complete without it.
    if (!isSystemError(error)) throw error;
  }
}
