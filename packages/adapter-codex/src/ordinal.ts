import type { Message } from "@pond/canonical";
import { carriedRecord, restOf, sourceOf } from "@pond/canonical/adapter";

/** The number that the client gave to the record of a message. */
export function ordinalOf(message: Message): number | undefined {
  const { ordinal } = carriedRecord(message) ?? restOf(sourceOf(message));
  return typeof ordinal === "number" ? ordinal : undefined;
}
