import type { RestoredFile } from "@pond/canonical/adapter";
import { UnsafePathError } from "../errors.ts";

/**
 * Checks that a file stays inside the folder that it is written to. Paths are made from ids that
 * sources supply, and an id such as `../../x` must never lead out.
 *
 * @throws {UnsafePathError}
 */
export function checkPath({ session, path }: RestoredFile): void {
  if (!isInside(path)) throw new UnsafePathError(session, path);
}

/** True for a relative path without a step up, on every system that a client runs on. */
function isInside(path: string): boolean {
  if (path.includes("\0") || path.includes("\\") || /^[A-Za-z]:/.test(path)) return false;
  return path.split("/").every((step) => step !== "" && step !== "." && step !== "..");
}
