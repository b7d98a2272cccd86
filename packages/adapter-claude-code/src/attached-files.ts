import type { JsonObject, Message, SystemMessage } from "@pond/canonical";
import { type ContextImage, carriedRecord, objectAt } from "@pond/canonical/adapter";
import { base64Bytes, isDialogue } from "@pond/canonical/foreign";
import { pollEvents } from "./poll-events.ts";

/**
 * What a client's record tells a model: files and folders that a user named with `@`, and events.
 * What the session's human said in those events is left out, because it has a message of its own
 * after this one.
 */
export function attachedText(message: SystemMessage): string {
  const attachment = objectAt(carriedRecord(message) ?? {}, "attachment");
  const events = pollEvents(attachment).filter(({ typed }) => typed === undefined);
  if (events.length > 0) return events.map(({ envelope }) => envelope).join("\n");
  const { type, filename, path } = attachment;
  const name = typeof filename === "string" ? filename : path;
  const text = textOf(attachment);
  if (typeof name !== "string" || text === undefined) return message.content;
  return type === "directory" ? `What is in the folder ${name}:\n${text}` : `${name}:\n${text}`;
}

/** The picture that a user named with `@`, if the record holds its bytes. */
export function attachedImages(message: SystemMessage): readonly ContextImage[] {
  const body = objectAt(objectAt(carriedRecord(message) ?? {}, "attachment"), "content");
  const { base64, type: mediaType } = objectAt(body, "file");
  if (body["type"] !== "image") return [];
  if (typeof base64 !== "string" || typeof mediaType !== "string") return [];
  const bytes = base64Bytes(base64);
  return bytes ? [{ mediaType, base64: Buffer.from(bytes).toString("base64") }] : [];
}

function textOf(attachment: JsonObject): string | undefined {
  const { type, content } = attachment;
  if (type === "directory") return typeof content === "string" ? content : undefined;
  if (type !== "file") return undefined;
  const body = objectAt(attachment, "content");
  const { content: text } = objectAt(body, "file");
  if (body["type"] === "image") return "a picture";
  return typeof text === "string" ? text : undefined;
}

/**
 * Files that a compaction gave the client's model again: other clients get everything that was
 * compacted.
 */
export function reattachedFiles(messages: readonly Message[]): ReadonlySet<Message> {
  const reattached = new Set<Message>();
  let isCompacted = false;
  for (const message of messages) {
    const record = carriedRecord(message) ?? {};
    if (record["subtype"] === "compact_boundary") isCompacted = true;
    else if (isDialogue(message)) isCompacted = false;
    else if (isCompacted && objectAt(record, "attachment")["type"] === "file")
      reattached.add(message);
  }
  return reattached;
}
