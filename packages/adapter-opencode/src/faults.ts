import type { FaultEvent } from "@pond/canonical";
import { SourceFault } from "@pond/canonical";
import { fileFault } from "@pond/canonical/adapter";
import { origin } from "./origin.ts";

/** A fault of a whole file or folder. */
export function fault(uri: string, reason: string, cause?: unknown): FaultEvent {
  return fileFault(origin, uri, reason, cause);
}

/** A fault of one record of a store. */
export function recordFault(
  uri: string,
  record: string,
  reason: string,
  cause?: unknown,
): FaultEvent {
  const at = { adapter: origin, uri, record };
  return { kind: "fault", fault: new SourceFault(at, reason, { cause }) };
}
