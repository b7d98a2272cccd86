import type { CanonicalEvent, JsonObject, Message } from "@pond/canonical";
import {
  carriedRecord,
  isDerivedFrom,
  type KeyOrders,
  objectAt,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";
import { readAssistant } from "./assistant.ts";
import { readAttachment } from "./attachment.ts";
import { readCarrier } from "./carrier.ts";
import { type Reading, restoreEnvelope } from "./envelope.ts";
import { readQueueOperation } from "./queue.ts";
import { restoreContent } from "./turn.ts";
import { readUser } from "./user.ts";
import { readVoiceCall } from "./voice-call.ts";

type RecordReader = (record: SourceRecord, reading: Reading) => CanonicalEvent[] | undefined;

const readers: Readonly<Record<string, RecordReader>> = {
  user: readUser,
  assistant: readAssistant,
  attachment: readAttachment,
  "queue-operation": readQueueOperation,
  system: readVoiceCall,
};

/** The events of one record. A record that maps to no message, or is unknown, is carried whole. */
export function readRecord(record: SourceRecord, reading: Reading): CanonicalEvent[] {
  const type = record.peek("type");
  // Types come from the file, so `constructor` must not find a reader.
  const reader =
    typeof type === "string" && Object.hasOwn(readers, type) ? readers[type] : undefined;
  return reader?.(record, reading) ?? readCarrier(record, reading);
}

/** The record that these messages (one, or the two of one record) came from. */
export function restoreRecord(
  messages: readonly Message[],
  orders: KeyOrders,
): JsonObject | undefined {
  const [first] = messages;
  if (first === undefined) return undefined;
  if (first.role === "system") return carriedRecord(first);
  const restore = () => restoreTurn(first, messages, orders);
  if (sourceOf(first)["id"] !== "content") return restore();
  return orders.restored(restore, (record) => isDerivedFrom(first.id, record));
}

function restoreTurn(first: Message, messages: readonly Message[], orders: KeyOrders): JsonObject {
  const fields = restoreEnvelope(first, orders);
  const said = restoreContent(messages, orders);
  if (fields["type"] === "system") return orders.join(fields, { content: said });
  const [holder, key] =
    fields["type"] === "attachment" ? ["attachment", "prompt"] : ["message", "content"];
  const content = { [key]: said };
  return { ...fields, [holder]: orders.join(objectAt(fields, holder), content) };
}
