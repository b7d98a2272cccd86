import type { FaultEvent } from "@pond/canonical";
import { SourceFault } from "@pond/canonical";
import { origin } from "./origin.ts";

/** A fault of a whole file or folder. */
export function fault(uri: string, reason: string, cause?: unknown): FaultEvent {
  const at = { adapter: origin, uri, record: "file" };
  return { kind: "fault", fault: new SourceFault(at, reason, { cause }) };
}

/** True where a file vanished since it was listed: clients clean up, and that is no fault. */
export function isGone(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}

/** True for what the operating system refused, and not for a mistake of ours. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

export function reasonOf(error: unknown): string {
  return `cannot be read (${codeOf(error) ?? String(error)})`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
