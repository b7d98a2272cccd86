import { type CanonicalEvent, parsedObject } from "@pond/canonical";
import {
  type Extracted,
  messageEvent,
  positionId,
  type SourceRecord,
  secondId,
} from "@pond/canonical/adapter";
import { readCarrier } from "./carrier.ts";
import { type Envelope, type Reading, takeEnvelope } from "./envelope.ts";
import { draftText } from "./text.ts";

/** A prompt that a human typed, and the record that queued it. */
type Queued = {
  readonly envelope: Envelope;
  readonly text: Extracted<string>;
  readonly raw: string;
};

/** What is known of the prompts typed while the model works, at one record of a session. */
export class PromptQueue {
  /** First come, first out. Undefined stands for what no human typed. */
  readonly #waiting: (Queued | undefined)[] = [];
  #removed: { readonly prompt: Queued; readonly at: number }[] = [];
  /** What was taken out last, for a record of its own. */
  #dequeued: Queued | undefined;
  #hasResults = false;

  /** Undefined for what no human typed. */
  add(prompt: Queued | undefined): void {
    // What is queued behind a prompt that went nowhere yet may be that prompt, edited.
    if (prompt && !this.#hasResults) this.#removed = [];
    this.#waiting.push(prompt);
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
  }

  /** Takes out the first, or all; only what is removed may go to the model from here. */
  take(operation: "dequeue" | "remove" | "popAll", at: number): void {
    if (operation !== "remove") this.#giveBack(at);
    if (operation === "popAll") this.#waiting.length = 0;
    const prompt = this.#waiting.shift();
    if (operation === "dequeue") this.#dequeued = prompt;
    if (operation !== "remove" || prompt === undefined) return;
    this.#removed.push({ prompt, at });
    if (this.#removed.length > maxWaiting) this.#removed.shift();
  }

  /** Where a turn ends its tasks are removed, and in the same moment the next prompt is taken out. */
  #giveBack(at: number): void {
    const isTask = (removed: { readonly at: number }) => at - removed.at < moment;
    this.#waiting.unshift(...this.#removed.filter(isTask).map(({ prompt }) => prompt));
    this.#removed = this.#removed.filter((removed) => !isTask(removed));
  }

  /** Learns from the events of a user's record. */
  learn(events: readonly CanonicalEvent[]): void {
    const typed = events.flatMap((event) =>
      event.kind === "part" && event.part.provenance === "conversational" ? [event.part] : [],
    );
    if (typed.length > 0) {
      this.#removed = [];
      this.#skipTo(typed.map((part) => (part.type === "text" ? part.text : "")).join(""));
    }
    this.#hasResults ||= events.some(
      (event) => event.kind === "message" && event.message.role === "tool",
    );
  }

  /** Where a prompt has a record though it was not at the front, those before it are gone, too. */
  #skipTo(typed: string): void {
    const isNext = this.#dequeued?.raw === typed;
    const at = isNext ? -1 : this.#waiting.findIndex((prompt) => prompt?.raw === typed);
    this.#waiting.splice(0, at + 1);
    this.#dequeued = undefined;
  }

  /** The prompts that the model answers now: such a one goes to it along with results of tools. */
  answered(): readonly Queued[] {
    // An answer is written as it streams: a prompt waits for the results of the tool it calls.
    if (!this.#hasResults) return [];
    const prompts = this.#removed.map(({ prompt }) => prompt);
    this.#removed = [];
    this.#hasResults = false;
    return prompts;
  }
}

/** In milliseconds; shorter than any answer of a model. */
const moment = 100;

/** More than a human queues; a log may tell of none that was taken out. */
const maxWaiting = 100;

/** An operation on the queue, carried whole; the prompt in it is said where it is answered. */
export function readQueueOperation(record: SourceRecord, reading: Reading): CanonicalEvent[] {
  const envelope = takeEnvelope(record, reading);
  const operation = record.peek("operation");
  if (operation === "enqueue" && !isOfTask(record.peek("content"))) {
    reading.queue.add(queued(record, envelope));
  }
  if (operation === "dequeue" || operation === "remove" || operation === "popAll") {
    reading.queue.take(operation, Date.parse(String(record.peek("timestamp"))));
  }
  return readCarrier(record, reading, envelope);
}

/** True for what the client queues about its tasks; all prompts are taken out before it. */
function isOfTask(content: unknown): boolean {
  if (typeof content !== "string") return false;
  if (taskTags.some((tag) => content.startsWith(tag))) return true;
  const task = content.startsWith("{") ? parsedObject(content) : undefined;
  return typeof task?.["task_id"] === "string" && typeof task["task_type"] === "string";
}

// Older builds had one for shells and one for agents.
const taskTags: readonly string[] = [
  "<task-notification>",
  "<bash-notification>",
  "<agent-notification>",
];

function queued(record: SourceRecord, envelope: Envelope): Queued | undefined {
  const raw = record.peek("content");
  // Commands wait in the same queue.
  if (typeof raw !== "string" || raw === "" || /^[</]/.test(raw)) return undefined;
  return { envelope, text: record.requireString("content"), raw };
}

/** The prompts that the model answers with this record, and that no record of their own keeps. */
export function readAnsweredPrompts(record: SourceRecord, reading: Reading): CanonicalEvent[] {
  const prompts = reading.queue.answered();
  if (!keepsNoPrompt(record)) return [];
  return prompts.flatMap(({ envelope: { id, timestamp }, text, raw }) => {
    const message = messageEvent(reading.session, "user", {
      id: secondId(id, "text"),
      timestamp,
      source: { continues: id },
      records: 0,
    });
    const speaker = { injectedAs: undefined, isHumanTurn: true };
    const drafts = draftText(text, raw, speaker, undefined);
    return [message, ...drafts.map((draft, index) => draft(message, positionId(index)))];
  });
}

/** True for the builds that wrote a queued prompt nowhere but into the queue; later ones attach it. */
function keepsNoPrompt(record: SourceRecord): boolean {
  const version = record.peek("version");
  const build = typeof version === "string" ? /^2\.1\.(\d+)$/.exec(version)?.[1] : undefined;
  return build !== undefined && Number(build) <= 92;
}
