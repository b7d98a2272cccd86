import type { FaultEvent } from "@pond/canonical";
import { fileFault } from "@pond/canonical/adapter";
import { origin } from "./origin.ts";

/** A fault of a whole file or folder. */
export function fault(uri: string, reason: string, cause?: unknown): FaultEvent {
  return fileFault(origin, uri, reason, cause);
}
