import type { CanonicalEvent, JsonValue } from "@pond/canonical";
import {
  messageEvent,
  objectOf,
  openRecord,
  type SourceRecord,
  suffixedId,
} from "@pond/canonical/adapter";
import { readCarrier } from "./carrier.ts";
import { type Draft, partEvents, textsOf } from "./content.ts";
import { type Envelope, type Reading, takeEnvelope } from "./envelope.ts";
import { agentMark } from "./message.ts";
import { draftText } from "./text.ts";

/** What the model said, from the event that shows it. */
type ShownMessage = { readonly envelope: Envelope; readonly drafts: readonly Draft[] };

/**
 * What the model has said in an answer, as known at one record of a thread. Clients up to 0.63
 * record the items of an answer once it is complete, and none of an interrupted one.
 */
export class OpenAnswer {
  #shown: ShownMessage[] = [];
  #lastItem: SourceRecord | undefined;
  /** How much of the beginning of a compaction was seen, as long as nothing else was. */
  #compactionStart: "turn" | "count" | undefined;
  #isUnprompted = false;

  /** True if the model speaks first in a turn and nothing shows it: it was told to summarize. */
  get isUnprompted(): boolean {
    return this.#isUnprompted;
  }

  /** Sees each record before it is read. */
  noteRecord(record: SourceRecord): void {
    const types = [record.peek("type"), objectOf(record.peek("payload"))["type"]];
    const kind = types.every((type) => typeof type === "string") ? types.join(" ") : "";
    this.#isUnprompted = this.#compactionStart === "count";
    if (kind === "event_msg task_started") this.#compactionStart = "turn";
    else if (this.#compactionStart === "turn") {
      this.#compactionStart = kind === "event_msg token_count" ? "count" : undefined;
    } else if (!allowedBeforeSummary.has(kind)) this.#compactionStart = undefined;
  }

  /** What was shown before an item has a record, too: they are recorded together. */
  record(item: SourceRecord): void {
    this.#shown = [];
    this.#lastItem = item;
  }

  addShown(message: string, shown: ShownMessage): void {
    // Some clients write the item first.
    if (this.#lastItem && isAnswer(this.#lastItem, message)) return;
    this.#shown.push(shown);
    if (this.#shown.length > maxShown) this.#shown.shift();
  }

  /** Ends the answer. Returns what was shown since the last item. */
  end(): readonly ShownMessage[] {
    const shown = this.#shown;
    this.#shown = [];
    return shown;
  }
}

/** What may stand between the token count that a compaction begins with and its summary. */
const allowedBeforeSummary: ReadonlySet<string> = new Set([
  "event_msg token_count",
  "event_msg agent_reasoning",
  "event_msg agent_reasoning_raw_content",
  "event_msg agent_reasoning_section_break",
  "response_item reasoning",
]);

/** More than a model says in one answer. */
const maxShown = 100;

function isAnswer(item: SourceRecord, text: string): boolean {
  return item.peek("role") === "assistant" && textsOf(item.peek("content")).join("") === text;
}

/**
 * Reads an event that shows how an answer goes on, or that a review begins. The event is carried
 * whole; what was said in an interrupted answer, or typed for the review, follows it. Undefined for
 * all other records.
 */
export function readEvent(record: SourceRecord, reading: Reading): CanonicalEvent[] | undefined {
  if (record.peek("type") !== "event_msg") return undefined;
  const event = record.record("payload");
  if (event === undefined) return undefined;
  switch (event.peek("type")) {
    case "agent_message":
      return readAgentMessage(record, event.peek("message"), reading);
    case "entered_review_mode":
      return readReview(record, event, reading);
    case "item_completed": {
      const item = event.record("item");
      const isReview = item?.peek("type") === "EnteredReviewMode";
      return isReview ? readReview(record, item, reading) : undefined;
    }
    case "thread_goal_updated":
      reading.goals.set(record, event);
      return undefined;
    case "token_count":
      // The answer is complete, and its items are recorded even if it is interrupted then.
      reading.answer.end();
      return undefined;
    case "turn_aborted":
      return [
        ...readCarrier(record, undefined, reading),
        ...reading.answer.end().flatMap((shown) => interruptedAnswer(shown, reading)),
      ];
    default:
      return undefined;
  }
}

function readAgentMessage(
  record: SourceRecord,
  message: JsonValue | undefined,
  reading: Reading,
): CanonicalEvent[] | undefined {
  if (typeof message !== "string" || message === "") return undefined;
  const envelope = takeEnvelope(record, undefined, reading);
  const place = { list: "message", block: undefined };
  // All other fields stay where they are, in the carrier.
  const said = openRecord(record.at, { message });
  const drafts = draftText(said, "message", { author: "model" }, place);
  if (drafts) reading.answer.addShown(message, { envelope, drafts });
  return readCarrier(record, undefined, reading, envelope);
}

function interruptedAnswer(shown: ShownMessage, reading: Reading): CanonicalEvent[] {
  return messageAfterEvent("assistant", shown, undefined, reading);
}

/** The review is a thread of its own, where the words of a human look like those of the client. */
function readReview(
  record: SourceRecord,
  review: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const { type, instructions } = objectOf(review.peek("target"));
  if (type !== "custom" || typeof instructions !== "string" || instructions === "")
    return undefined;
  const envelope = takeEnvelope(record, undefined, reading);
  const place = { list: "instructions", block: undefined };
  // All other fields stay where they are, in the carrier.
  const typed = openRecord(record.at, { instructions });
  const speaker = { author: reading.author, kind: "user.text" };
  const drafts = draftText(typed, "instructions", speaker, place) ?? [];
  return [
    ...readCarrier(record, undefined, reading, envelope),
    ...messageAfterEvent("user", { envelope, drafts }, agentMark(record, reading), reading),
  ];
}

function messageAfterEvent(
  role: "user" | "assistant",
  { envelope: { id, timestamp }, drafts }: ShownMessage,
  author: "agent" | undefined,
  reading: Reading,
): CanonicalEvent[] {
  const message = messageEvent(reading.session, role, {
    id: suffixedId(id, "text"),
    timestamp,
    // The event is restored from its carrier.
    source: { author, continues: "event" },
    records: 0,
  });
  return [message, ...partEvents(message, drafts)];
}
