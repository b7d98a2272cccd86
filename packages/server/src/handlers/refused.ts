import { WireError } from "@pond/wire";

/** The error for a field of a request that makes no sense there, or with its value. */
export function refused(field: string, reason: string): WireError {
  return new WireError("validation_failed", `${field}: ${reason}`, { field, reason });
}
