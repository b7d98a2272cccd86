import type { MessageEvent, Micros, ReadEvent, SessionEvent } from "@pond/canonical";
import {
  type ContentIds,
  carrierEvent,
  type Extracted,
  messageEvent,
  openRecord,
  positionId,
  type SourceOptions,
  type SourceRecord,
  toolResultPart,
} from "@pond/canonical/adapter";
import { areKnown, readBlock } from "./blocks.ts";
import { provenanceOfBlocks } from "./provenance.ts";
import { fieldsIn, type MessageLoop, messageText, type SeenMessages } from "./seen-messages.ts";

/** The place of a message, and what was said before it in its session. */
export type MessagePlace = {
  readonly session: SessionEvent;
  /** For messages without a time of their own. */
  readonly anchor: Extracted<Micros>;
  readonly loop: MessageLoop;
  readonly isFirst: boolean;
  /** Set if the loop has it only in its turns or events: it is not written back. */
  readonly isDerived: boolean;
  readonly ids: ContentIds;
  readonly seen: SeenMessages;
};

/**
 * The events of one message of a loop; a message that says nothing new, or nothing at all, is a
 * carrier.
 */
export function readMessage(record: SourceRecord, place: MessagePlace): readonly ReadEvent[] {
  const { session, anchor, loop, isDerived, ids, seen } = place;
  const text = messageText(record);
  const isRepeated = seen.note(record, text, loop);
  // The text and the loop count, not the place: a loop that broke off and continues after all has
  // the same messages, and a compacted context has others at their places.
  const id = ids.next(openRecord(record.at, { loop: loop.key, said: text }));
  const timestamp = openRecord(record.at, fieldsIn(record)).milliseconds("timestamp") ?? anchor;
  const source = { loop: loop.key, ...(isDerived && { derived: true }) };
  const read = isRepeated ? undefined : draftOf(record);
  if (read) return read({ ...place, id, timestamp }, source);
  const fields = { ...source, ...(isRepeated && { repeats: true }) };
  return [carrierEvent(session, { id, timestamp, record: record.whole(), source: fields })];
}

type Named = MessagePlace & {
  readonly id: Extracted<string>;
  readonly timestamp: Extracted<Micros>;
};
type Draft = (place: Named, source: SourceOptions) => readonly ReadEvent[];

/** How to read a message as what it says; undefined if this reader does not know its kind. */
function draftOf(record: SourceRecord): Draft | undefined {
  const role = record.peek("role");
  const content = record.peek("content");
  if (!Array.isArray(content) || typeof record.peek("timestamp") !== "number") return undefined;
  if (role === "toolResult") {
    return typeof record.peek("toolCallId") === "string" ? readResult(record) : undefined;
  }
  const isSpoken = role === "user" || role === "assistant";
  return isSpoken && areKnown(content, role) ? readTurn(record, role) : undefined;
}

function readResult(record: SourceRecord): Draft {
  return ({ session, id, timestamp }, source) => {
    record.milliseconds("timestamp");
    const callId = record.requireString("toolCallId");
    const name = record.string("toolName");
    const isFailure = record.boolean("isError");
    const result = record.requireJson("content");
    const lacks = isFailure === undefined ? { lacks: "isError" } : {};
    const fields = { ...source, ...lacks, rest: record.rest() };
    const message = messageEvent(session, "tool", { id, timestamp, source: fields });
    const part = { id: positionId(0), callId, name, isFailure, result };
    return [message, toolResultPart(message, { ...part, provenance: "injected" })];
  };
}

function readTurn(record: SourceRecord, role: "user" | "assistant"): Draft {
  return ({ session, id, timestamp, loop, isFirst }, source) => {
    record.milliseconds("timestamp");
    const provenanceOf =
      role === "user"
        ? provenanceOfBlocks(record, { loopId: loop.loopId, isFirst })
        : () => "conversational" as const;
    const blocks = record.records("content") ?? [];
    const fields = { ...source, rest: record.rest() };
    const message: MessageEvent = messageEvent(session, role, { id, timestamp, source: fields });
    const parts = blocks.map((block, index) =>
      readBlock(message, block, index, provenanceOf(block, index)),
    );
    return [message, ...parts];
  };
}
