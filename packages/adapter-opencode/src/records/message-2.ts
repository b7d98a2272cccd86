import type {
  CanonicalEvent,
  FilePart,
  JsonObject,
  JsonValue,
  Message,
  Part,
} from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import {
  carrierEvent,
  type Extracted,
  filePart,
  type KeyOrders,
  messageEvent,
  objectAt,
  positionId,
  type SourceOptions,
  type SourceRecord,
  sourceOf,
  splitText,
  systemMessageEvent,
  textPart,
} from "@pond/canonical/adapter";
import { subagentPrefix } from "../provenance.ts";
import type { StoredMessage } from "../stores/stored.ts";
import { readContent, restoreContent } from "./content-2.ts";
import { type Reading, withRepeated, withTime } from "./envelope.ts";
import { fileUrl } from "./file-url.ts";
import type { Draft, Drafts } from "./parts.ts";
import { answersIn, readUserAnswers } from "./user-answers.ts";

/** One message of version 2; a message that is not a turn of the conversation is carried whole. */
export function readMessage2({ record, row }: StoredMessage, reading: Reading): CanonicalEvent[] {
  const type = record.peek("type");
  const ownId = reading.ids.own(record);
  const id = ownId ?? reading.ids.derived(record);
  const time = record.record("time")?.milliseconds("created");
  const timestamp = time ?? reading.anchor;
  const facts: SourceOptions = { id: ownId ? undefined : "content", row: row?.whole() };
  const turn = { schema: 2, ...facts, time: time ? undefined : "session" };
  const turnEvents = (
    role: "user" | "assistant",
    drafts: readonly Draft[],
    more: SourceOptions = {},
  ): CanonicalEvent[] => {
    const source = { ...turn, ...more, rest: record.rest() };
    const event = messageEvent(reading.session, role, { id, timestamp, source });
    return [event, ...drafts.map((draft) => draft(event))];
  };

  const isText = typeof record.peek("text") === "string";
  if (type === "user" && isText) {
    const { drafts, kept } = readFiles(record);
    return turnEvents("user", [...readPrompt(record), ...drafts], kept);
  }
  if ((type === "synthetic" || type === "skill") && isText) {
    const text = record.requireString("text");
    const init = {
      id: positionId(0),
      provenance: "injected",
      text,
      source: { kind: type },
    } as const;
    return turnEvents("user", [(message) => textPart(message, init)]);
  }
  if (type === "system" && isText) {
    const content = record.requireString("text");
    const source = { ...turn, rest: record.rest() };
    return [systemMessageEvent(reading.session, { id, timestamp, content, source })];
  }
  const items = type === "assistant" ? record.records("content") : undefined;
  if (items) {
    const answers = items.flatMap(answersIn);
    const { drafts, kept } = readContent(items);
    const asked = { id, timestamp, schema: 2 } as const;
    return [
      ...turnEvents("assistant", drafts, kept),
      ...readUserAnswers(answers, asked, record, reading),
    ];
  }
  const boundary = type === "compaction" ? "compaction" : undefined;
  const source = { schema: 2, ...facts, boundary };
  return [carrierEvent(reading.session, { id, timestamp, source, record: record.whole() })];
}

/** The prompt, cut where the harness's own sentence ends and the parent's task begins. */
function readPrompt(record: SourceRecord): readonly Draft[] {
  const raw = String(record.peek("text"));
  const text = record.requireString("text");
  const hasPrefix = raw.startsWith(subagentPrefix);
  const [first, second] = hasPrefix ? splitText(text, [subagentPrefix.length]) : [text];
  const pieces: readonly (readonly [Extracted<string> | undefined, boolean])[] = hasPrefix
    ? [
        [first, true],
        [second, false],
      ]
    : [[first, false]];
  return pieces.flatMap(([piece, isInjected], index) => {
    if (piece === undefined) return [];
    const provenance = isInjected ? "injected" : "conversational";
    const kind = isInjected ? "subagent" : undefined;
    const init = { id: positionId(index), provenance, text: piece, source: { kind } } as const;
    return [(message: Parameters<Draft>[0]) => textPart(message, init)];
  });
}

function readFiles(record: SourceRecord): Drafts {
  const listed = record.peek("files");
  // A list in which nothing has content stays as it is.
  const isRead = Array.isArray(listed) && listed.some(hasContent);
  const files = (isRead ? record.records("files") : undefined) ?? [];
  const drafts: Draft[] = [];
  const kept: Record<string, Extracted<JsonObject>> = {};
  for (const [index, file] of files.entries()) {
    const read = readFile(file, positionId(index + 2));
    if (read) drafts.push(read);
    else kept[`file.${index}`] = file.whole();
  }
  return { drafts, kept };
}

function readFile(file: SourceRecord, id: Extracted<string>): Draft | undefined {
  // Betas have a single address, of any kind.
  const isBeta = typeof file.peek("data") !== "string" && typeof file.peek("uri") === "string";
  const content = isBeta
    ? file.dataUrl("uri", "mime")
    : (file.base64("data") ?? file.record("source")?.url("uri"));
  const mediaType = file.string("mime");
  if (content === undefined || mediaType === undefined) return undefined;
  const init = {
    id,
    provenance: "conversational",
    content,
    mediaType,
    fileName: file.string("name"),
    source: { in: isBeta ? "uri" : undefined, rest: file.rest() },
  } as const;
  return (message) => filePart(message, init);
}

function hasContent(file: JsonValue): boolean {
  if (!isJsonObject(file) || typeof file["mime"] !== "string") return false;
  const places = [file["data"], file["uri"], objectAt(file, "source")["uri"]];
  return places.some((place) => typeof place === "string");
}

/** The record that a message of version 2 came from; undefined for a message of another version. */
export function restoreRecord2(message: Message, orders: KeyOrders): JsonObject | undefined {
  const source = sourceOf(message);
  if (source["schema"] !== 2) return undefined;
  if (isJsonObject(source["record"])) return source["record"];
  const id = source["id"] === "content" ? {} : { id: message.id };
  const fields = withRepeated(source, { ...id, ...contentOf(message, orders) }, orders);
  return source["time"] === "session" ? fields : withTime(fields, message, orders);
}

function contentOf(message: Message, orders: KeyOrders): JsonObject {
  if (message.role === "system") return { text: message.content };
  if (message.role === "assistant") return { content: restoreContent(message, orders) };
  const texts = partsOf(message).map((part) => (part.type === "text" ? part.text : ""));
  const files = restoreFiles(message, orders);
  return { text: texts.join(""), ...(files.length > 0 && { files }) };
}

function restoreFiles(message: Message, orders: KeyOrders): readonly JsonObject[] {
  const source = sourceOf(message);
  const parts = partsOf(message).filter(isFile);
  const files: JsonObject[] = [];
  for (;;) {
    const kept = source[`file.${files.length}`];
    const part = isJsonObject(kept) ? undefined : parts.shift();
    if (isJsonObject(kept)) files.push(kept);
    else if (part) files.push(restoreFile(part, orders));
    else return files;
  }
}

function isFile(part: Part): part is FilePart {
  return part.type === "file";
}

function restoreFile(part: FilePart, orders: KeyOrders): JsonObject {
  const { media_type, file_name, data } = part;
  const source = sourceOf(part);
  const rest = objectAt(source, "rest");
  const name = file_name === undefined ? {} : { name: file_name };
  const fields = { mime: media_type, ...name };
  if (source["in"] === "uri") return orders.join(rest, { ...fields, uri: fileUrl(part) });
  switch (data.type) {
    case "url": {
      const place = orders.join(objectAt(rest, "source"), { uri: data.url });
      return orders.join(rest, { ...fields, source: place });
    }
    case "base64":
      return orders.join(rest, { ...fields, data: data.text });
    case "bytes": {
      const text = Buffer.from(data.bytes).toString("base64");
      return orders.join(rest, { ...fields, data: text });
    }
  }
}
