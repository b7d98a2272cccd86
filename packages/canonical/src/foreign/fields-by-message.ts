import type { MessageId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { Message } from "../message.ts";
import { carriedRecord, objectAt, restOf, sourceOf } from "../seam/source-options.ts";

/** By message, the fields of its record that no canonical field took. */
export type Records = ReadonlyMap<MessageId, JsonObject>;

/**
 * The records of all messages of a session, in their order. Where pi or omp gave an entry its place
 * in the tree later, that stands with the header, by how far behind it the entry is.
 */
export function fieldsByMessage(messages: readonly Message[]): Records {
  const header = messages.findIndex((message) => carriedRecord(message)?.["type"] === "session");
  const links = messages[header] ? objectAt(sourceOf(messages[header]), "links") : {};
  const placed = messages.map((message, index): [MessageId, JsonObject] => {
    const record = carriedRecord(message) ?? restOf(sourceOf(message));
    const link = objectAt(links, String(index - header));
    // Parents without ids are of version 1 itself, whose clients go by the order of the lines.
    return [message.id, link["id"] === undefined ? record : { ...record, ...link }];
  });
  return new Map(placed);
}
