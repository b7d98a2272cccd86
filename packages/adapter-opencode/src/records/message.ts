import type { CanonicalEvent, JsonObject, Message } from "@pond/canonical";
import { isDerivedFrom, type KeyOrders, objectAt, sourceOf } from "@pond/canonical/adapter";
import type { StoredMessage } from "../stores/stored.ts";
import type { Reading } from "./envelope.ts";
import { readCutMessage, readMessage1, restoreRecord1 } from "./message-1.ts";
import { readMessage2, restoreRecord2 } from "./message-2.ts";
import { readOldMessage, restoreOldRecord } from "./old-message.ts";
import { restoreParts } from "./parts.ts";

/** The events of one message, of any version of the client. */
export function readMessage(message: StoredMessage, reading: Reading): CanonicalEvent[] {
  if (message.schema === 2) return readMessage2(message, reading);
  if (message.isCut) return readCutMessage(message, reading);
  // A message that has parts both inside and beside it is not one of the old ones.
  const isOld = message.parts.length === 0 && Array.isArray(message.record.peek("parts"));
  return (isOld ? readOldMessage(message, reading) : undefined) ?? readMessage1(message, reading);
}

/** A record, and what its store had beside it. */
export type Restored = { readonly record: JsonObject; readonly row: JsonObject };

/** A message as the client would export it. */
export type RestoredMessage = Restored & {
  readonly schema: 1 | 2;
  readonly parts: readonly Restored[];
  readonly message: Message;
  /** True if the record says no more than which message the parts belong to. */
  readonly isCut?: boolean;
};

/** The record of a message and those of its parts. */
export function restoreMessage(message: Message, orders: KeyOrders): RestoredMessage {
  const { cut, id } = sourceOf(message);
  const row = objectAt(sourceOf(message), "row");
  const whole = (restore: () => JsonObject | undefined) =>
    id === "content"
      ? orders.restored(restore, (record) => isDerivedFrom(message.id, record))
      : restore();
  const second = whole(() => restoreRecord2(message, orders));
  if (second) return { schema: 2, record: second, row, parts: [], message };
  const old = whole(() => restoreOldRecord(message, orders));
  if (old) return { schema: 1, record: old, row, parts: [], message };
  const record = whole(() => restoreRecord1(message, orders)) ?? {};
  const parts = restoreParts(message, orders);
  return { schema: 1, record, row, parts, message, isCut: cut === true };
}
