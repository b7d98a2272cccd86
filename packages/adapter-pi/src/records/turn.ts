import type { CanonicalEvent, JsonObject, JsonValue, Message, Part } from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import {
  messageEvent,
  positionId,
  type SourceOptions,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";
import type { NormalizedEntry } from "../migration.ts";
import type { Speaker } from "../provenance.ts";
import { type BlockContext, readBlock, restoreBlock } from "./blocks.ts";
import { type Draft, draftText } from "./draft.ts";
import { takeEnvelope } from "./envelope.ts";
import { readMention, restoreMention } from "./mention.ts";
import type { Reading } from "./reading.ts";
import { readTypedAnswers } from "./typed-answers.ts";

/** Which object of an entry holds its content, under which key, and who speaks. */
export type Turn = {
  readonly holder: SourceRecord;
  readonly key: "content" | "files";
  readonly role: "user" | "assistant";
  readonly speaker: Speaker;
  /** Facts about the entry besides its content. */
  readonly facts?: SourceOptions;
};

/** Reads an entry as one message. Content that is not text or blocks stays as it is. */
export function readTurn(entry: NormalizedEntry, turn: Turn, reading: Reading): CanonicalEvent[] {
  const { drafts, source } = readContent(turn, reading);
  return messageOf(entry, { ...turn, facts: { ...turn.facts, ...source } }, drafts, reading);
}

/** The message of an entry whose content was read, and what was typed in a result. */
export function messageOf(
  entry: NormalizedEntry,
  { role, facts }: Pick<Turn, "facts"> & { readonly role: "user" | "assistant" | "tool" },
  drafts: readonly Draft[],
  reading: Reading,
  typed: readonly string[] = [],
): CanonicalEvent[] {
  const envelope = takeEnvelope(entry, reading);
  const source = { ...envelope.facts, ...facts, rest: entry.record.rest() };
  const { id, timestamp } = envelope;
  const event = messageEvent(reading.session, role, { id, timestamp, source });
  const parts = drafts.map((draft, index) => draft(event, positionId(index)));
  return [event, ...parts, ...readTypedAnswers(typed, envelope, entry.record, reading)];
}

type Content = { readonly drafts: readonly Draft[]; readonly source: SourceOptions };

function readContent({ holder, key, role, speaker }: Turn, reading: Reading): Content {
  const raw = holder.peek(key);
  if (typeof raw === "string") {
    const text = holder.requireString(key);
    const drafts = raw === "" ? [] : draftText(text, raw, speaker, {});
    return { drafts, source: { content: "text" } };
  }
  const blocks = holder.records(key);
  if (blocks === undefined) return { drafts: [], source: {} };
  const context: BlockContext = { ...reading, role, speaker };
  const drafts: Draft[] = [];
  const kept: Record<string, ReturnType<SourceRecord["whole"]>> = {};
  for (const [index, block] of blocks.entries()) {
    // The first one's place is not recorded.
    const place = index === 0 ? {} : { block: index };
    const read = (key === "files" ? readMention : readBlock)(block, place, context);
    if (read === undefined) kept[`block.${index}`] = block.whole();
    else drafts.push(...read);
  }
  return { drafts, source: { content: "blocks", ...kept } };
}

/** The content of the entry that a message came from; undefined if it had none that was read. */
export function restoreContent(message: Message, key: Turn["key"]): JsonValue | undefined {
  const source = sourceOf(message);
  const parts = partsOf(message);
  if (source["content"] === "text") return parts.map(textOf).join("");
  if (source["content"] !== "blocks") return undefined;
  const blocks = new Map<number, JsonObject>();
  for (const [name, value] of Object.entries(source)) {
    const position = /^block\.(\d+)$/.exec(name)?.[1];
    if (position !== undefined && isJsonObject(value)) blocks.set(Number(position), value);
  }
  for (const part of parts) {
    const { block } = sourceOf(part);
    const at = typeof block === "number" ? block : 0;
    const partial = blocks.get(at);
    if (key === "files") blocks.set(at, restoreMention(part, partial));
    else blocks.set(at, partial ? appendText(partial, part) : restoreBlock(part));
  }
  return [...blocks].sort(([left], [right]) => left - right).map(([, block]) => block);
}

/** The pieces of one text, joined. */
function appendText(partial: JsonObject, part: Part): JsonObject {
  return { ...partial, text: `${partial["text"]}${textOf(part)}` };
}

export function textOf(part: Part): string {
  return part.type === "text" ? part.text : "";
}
