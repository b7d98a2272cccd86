import type { RestoredFile } from "@pond/canonical/adapter";
import { UnsafePathError } from "../errors.ts";

/**
 * Checks that a file stays inside whatever folder it is written to. Paths are made of ids that
 * sources supply, and an id such as `../../x` must never reach beyond.
 *
 * @throws {UnsafePathError}
 */
export function checkPath({ session, path }: RestoredFile): void {
  if (!isInside(path)) throw new UnsafePathError(session, path);
}

/** Relative, with no step up, on every system a client runs on. */
function isInside(path: string): boolean {
  if (path.includes("\0") || path.includes("\\") || /^[A-Za-z]:/.test(path)) return false;
  return path.split("/").every((step) => step !== "" && step !== "." && step !== "..");
}
