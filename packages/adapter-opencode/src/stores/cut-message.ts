import type { JsonObject } from "@pond/canonical";
import { openRecord } from "@pond/canonical/adapter";
import { origin } from "../origin.ts";
import type { Place } from "./completed.ts";
import type { Stored, StoredMessage } from "./stored.ts";

/**
 * What is left of a message whose own record cannot be read: its parts.
 *
 * @param ids - What its path or its columns say about it; `row` is what else they say.
 */
export function cutMessage(
  place: Place,
  ids: JsonObject,
  parts: readonly Stored[],
  row?: JsonObject,
): StoredMessage {
  const at = { adapter: origin, ...place };
  const record = openRecord(at, ids);
  const beside = row && openRecord(at, row);
  const records = parts.length;
  return { kind: "message", schema: 1, record, row: beside, parts, records, isCut: true };
}
