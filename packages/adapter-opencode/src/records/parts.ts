import type { JsonObject, Message, MessageEvent, Part, PartEvent } from "@pond/canonical";
import {
  type Extracted,
  filePart,
  type KeyOrders,
  objectAt,
  reasoningPart,
  type SourceOptions,
  type SourceRecord,
  sourceOf,
  textPart,
} from "@pond/canonical/adapter";
import { injectedFile, injectedText } from "../provenance.ts";
import type { Stored } from "../stores/stored.ts";
import { PartIds, takeRepeated, withRepeated } from "./envelope.ts";
import { fileUrl } from "./file-url.ts";
import { slotsOf } from "./slots.ts";
import { readTool, restoreTool } from "./tool.ts";

/** A part that waits for the message it will belong to. */
export type Draft = (message: MessageEvent) => PartEvent;

/** The place of a part, and who speaks there. */
export type PartPlace = {
  /** Takes the part's id, once it is certain that a part comes of it. */
  readonly takeId: () => Extracted<string>;
  readonly role: "user" | "assistant";
  /** Why the whole message is the harness's. */
  readonly injectedAs: string | undefined;
  /** What every part keeps from its own record. */
  readonly facts: SourceOptions;
};

/** The outcome for the parts of one message: drafts, and the records that map to no part. */
export type Drafts = { readonly drafts: readonly Draft[]; readonly kept: SourceOptions };

type PartReader = (part: SourceRecord, place: PartPlace) => readonly Draft[] | undefined;

const readers: Readonly<Record<"user" | "assistant", Readonly<Record<string, PartReader>>>> = {
  user: { text: readText, file: readFile, subtask: readSubtask },
  assistant: { text: readText, file: readFile, reasoning: readReasoning, tool: readTool },
};

/** The message that parts say they belong to. */
type PartOwner = { readonly id: string; readonly session: string };

/** The parts of a message of version 1. */
export function readParts(
  parts: readonly Stored[],
  message: PartOwner & { readonly role: "user" | "assistant" },
  injectedAs: string | undefined,
): Drafts {
  const ids = new PartIds();
  const drafts: Draft[] = [];
  const kept: SourceOptions[] = [];
  for (const [position, stored] of parts.entries()) {
    const { record, row } = stored;
    const type = record.peek("type");
    const known = readers[message.role];
    // Types come from the file, so `constructor` must not find a reader.
    const reader = typeof type === "string" && Object.hasOwn(known, type) ? known[type] : undefined;
    const lacks = takeRepeated(record, idsOf(message));
    const read = reader?.(record, {
      takeId: () => ids.next(record, position),
      role: message.role,
      injectedAs,
      facts: { lacks, row: row?.whole() },
    });
    if (read) drafts.push(...read);
    else kept.push(keepPart(stored, position, lacks));
  }
  return { drafts, kept: Object.assign({}, ...kept) };
}

/** The parts of a message with an unknown role, all kept as they are. */
export function keepParts(parts: readonly Stored[], message: PartOwner): SourceOptions {
  const kept = parts.map((stored, position) => {
    return keepPart(stored, position, takeRepeated(stored.record, idsOf(message)));
  });
  return Object.assign({}, ...kept);
}

/** A record that maps to no part, under its position. */
function keepPart({ record, row }: Stored, position: number, lacks?: string): SourceOptions {
  return {
    [`part.${position}`]: record.rest(),
    [`lacks.${position}`]: lacks,
    [`row.${position}`]: row?.whole(),
  };
}

function idsOf({ id, session }: PartOwner): Readonly<Record<string, string>> {
  return { sessionID: session, messageID: id };
}

/** The records of a message's parts in order, each with what its store had beside it. */
export function restoreParts(
  message: Message,
  orders: KeyOrders,
): readonly { record: JsonObject; row: JsonObject }[] {
  const source = sourceOf(message);
  return slotsOf(message).map((slot) => {
    if (slot.kind === "parts") {
      const { first, others } = slot;
      return { record: restorePart(first, others, orders), row: objectAt(sourceOf(first), "row") };
    }
    const { record: rest, at } = slot;
    const known = { rest, lacks: source[`lacks.${at}`] ?? null };
    const ids = { sessionID: message.session_id, messageID: message.id };
    return { record: withRepeated(known, ids, orders), row: objectAt(source, `row.${at}`) };
  });
}

function readText(part: SourceRecord, place: PartPlace): readonly Draft[] | undefined {
  if (typeof part.peek("text") !== "string") return undefined;
  const kind = place.injectedAs ?? injectedText(part, place.role);
  part.string("type");
  const text = part.requireString("text");
  const init = { ...base(part, place, kind), text };
  return [(message) => textPart(message, init)];
}

/**
 * What a command gave a sub-agent. As with the texts that other commands become, nothing
 * distinguishes it from what its author typed.
 */
function readSubtask(part: SourceRecord, place: PartPlace): readonly Draft[] | undefined {
  if (typeof part.peek("prompt") !== "string") return undefined;
  // Its type stays, for the restore.
  const text = part.requireString("prompt");
  const init = { ...base(part, place, place.injectedAs), text };
  return [(message) => textPart(message, init)];
}

function readReasoning(part: SourceRecord, place: PartPlace): readonly Draft[] | undefined {
  if (typeof part.peek("text") !== "string") return undefined;
  part.string("type");
  const text = part.requireString("text");
  const init = { ...base(part, place, place.injectedAs), text };
  return [(message) => reasoningPart(message, init)];
}

function readFile(part: SourceRecord, place: PartPlace): readonly Draft[] | undefined {
  if (typeof part.peek("url") !== "string" || typeof part.peek("mime") !== "string") {
    return undefined;
  }
  const kind = place.injectedAs ?? injectedFile(part);
  part.string("type");
  const content = part.dataUrl("url", "mime");
  if (content === undefined) return undefined;
  const [mediaType, fileName] = [part.string("mime"), part.string("filename")];
  const init = { ...base(part, place, kind), content, mediaType, fileName };
  return [(message) => filePart(message, init)];
}

function base(part: SourceRecord, { takeId, facts }: PartPlace, kind: string | undefined) {
  const provenance: "injected" | "conversational" =
    kind === undefined ? "conversational" : "injected";
  const id = takeId();
  return { id, provenance, source: { kind, ...facts, rest: part.rest() } };
}

function restorePart(part: Part, others: readonly Part[], orders: KeyOrders): JsonObject {
  const ids = { sessionID: part.session_id, messageID: part.message_id };
  const own = /^\d+$/.test(part.id) ? {} : { id: part.id };
  const fields = withRepeated(sourceOf(part), { ...own, ...ids }, orders);
  switch (part.type) {
    case "text":
      return fields["type"] === "subtask"
        ? orders.join(fields, { prompt: part.text })
        : orders.join(fields, { type: "text", text: part.text });
    case "reasoning":
      return orders.join(fields, { type: "reasoning", text: part.text });
    case "file": {
      const name = part.file_name === undefined ? {} : { filename: part.file_name };
      const url = fileUrl(part);
      return orders.join(fields, { type: "file", mime: part.media_type, ...name, url });
    }
    case "tool_call":
      return orders.join(fields, { type: "tool", ...restoreTool(part, others, fields, orders) });
    case "tool_result":
    case "tool_approval_request":
    case "tool_approval_response":
      return fields;
  }
}
