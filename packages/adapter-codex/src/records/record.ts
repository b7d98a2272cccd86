import type { CanonicalEvent, JsonObject, Message } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import {
  carriedRecord,
  type KeyOrders,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";
import { callTypes, readCall, restoreCall } from "./call.ts";
import { readCarrier } from "./carrier.ts";
import { isSource, type Reading } from "./envelope.ts";
import { readEvent } from "./event.ts";
import { readMail, readMailLine } from "./mail.ts";
import { readMessage, restoreMessage } from "./message.ts";
import { outputTypes, readOutput, restoreOutput } from "./output.ts";
import { readRealtime, restoreRealtime } from "./realtime.ts";
import { readReasoning, restoreReasoning } from "./reasoning.ts";
import { restoreUnrequestedOutput } from "./unrequested-output.ts";

/** Reads an item of the conversation to its events; undefined if it maps to no message. */
type ItemReader = (
  record: SourceRecord,
  item: SourceRecord,
  reading: Reading,
) => CanonicalEvent[] | undefined;

const readers: ReadonlyMap<string, ItemReader> = new Map<string, ItemReader>([
  ["message", readMessage],
  ["agent_message", readMail],
  ["reasoning", readReasoning],
  ...callTypes.map((type) => [type, readCall] as const),
  ...outputTypes.map((type) => [type, readOutput] as const),
]);

/**
 * The events of one record. The items of the API are the conversation. Events that repeat them for
 * the screen are carried, so that nothing is found twice; what only an event says follows later.
 */
export function readRecord(record: SourceRecord, reading: Reading): CanonicalEvent[] {
  reading.answer.noteRecord(record);
  const item = itemOf(record);
  const events = item ? readItem(record, item, reading) : readLine(record, reading);
  return events ?? readCarrier(record, item, reading);
}

function readLine(record: SourceRecord, reading: Reading): CanonicalEvent[] | undefined {
  return readMailLine(record, reading) ?? readEvent(record, reading);
}

function readItem(record: SourceRecord, item: SourceRecord, reading: Reading) {
  reading.answer.record(item);
  if (item !== record && record.peek("type") === "realtime_item") {
    return readRealtime(record, item, reading);
  }
  const type = item.peek("type");
  return typeof type === "string" ? readers.get(type)?.(record, item, reading) : undefined;
}

/**
 * The item in a record: in an envelope, or bare as the client wrote it before September 2025.
 * Decided for each line, because a file that a newer client continued has both.
 */
function itemOf(record: SourceRecord): SourceRecord | undefined {
  const type = record.peek("type");
  if (isJsonObject(record.peek("payload"))) {
    return type === "response_item" || type === "realtime_item"
      ? record.record("payload")
      : undefined;
  }
  return record.peek("record_type") === undefined ? record : undefined;
}

/** The record that these messages (most often one) came from. */
export function restoreRecord(
  messages: readonly Message[],
  orders: KeyOrders,
): JsonObject | undefined {
  const [first] = messages;
  if (first === undefined) return undefined;
  const carried = carriedRecord(first);
  if (carried) return carried;
  const restore = () => restoreItem(first, messages, orders);
  if (sourceOf(first)["id"] === "item") return restore();
  return orders.restored(restore, (record) => isSource(first.id, record));
}

function restoreItem(
  first: Message,
  messages: readonly Message[],
  orders: KeyOrders,
): JsonObject | undefined {
  switch (first.role) {
    case "system":
      return restoreMessage(messages, orders);
    case "user":
      return (
        restoreRealtime(first, orders) ??
        restoreUnrequestedOutput(first, orders) ??
        restoreMessage(messages, orders)
      );
    case "tool":
      return restoreOutput(first, orders);
    case "assistant":
      return (
        restoreCall(first, orders) ??
        restoreReasoning(first, orders) ??
        restoreRealtime(first, orders) ??
        restoreMessage(messages, orders)
      );
  }
}
