import type { JsonObject, Message, MessageId } from "@pond/canonical";
import { carriedRecord, objectAt, restOf, sourceOf } from "@pond/canonical/adapter";

/** By message, the fields of its entry that no canonical field took. */
export type EntryFields = ReadonlyMap<MessageId, JsonObject>;

/**
 * The fields of all entries of a session, in order. If the client gave an entry its place in the
 * tree later, that is kept with the header, by the entry's distance from it.
 */
export function entryFields(messages: readonly Message[]): EntryFields {
  const header = messages.findIndex((message) => carriedRecord(message)?.["type"] === "session");
  const links = messages[header] ? objectAt(sourceOf(messages[header]), "links") : {};
  const placed = messages.map((message, index): [MessageId, JsonObject] => {
    const fields = carriedRecord(message) ?? restOf(sourceOf(message));
    const link = objectAt(links, String(index - header));
    // Parents without ids come from version 1 itself, whose clients use the order of the lines.
    return [message.id, link["id"] === undefined ? fields : { ...fields, ...link }];
  });
  return new Map(placed);
}
