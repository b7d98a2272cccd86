import type { FaultEvent } from "@pond/canonical";
import { fileFault, isSystemError } from "@pond/canonical/adapter";
import { origin } from "./origin.ts";

/** A fault of a whole file or folder. */
export function fault(uri: string, reason: string, cause?: unknown): FaultEvent {
  return fileFault(origin, uri, reason, cause);
}

/** True for an error of the operating system or of decompression, false for a mistake of ours. */
export function isReadError(error: unknown): boolean {
  if (isSystemError(error)) return true;
  return error instanceof Error && "code" in error && /^(?:ZSTD|Z)_/.test(String(error.code));
}
