import { type CanonicalEvent, tryParseObject } from "@pond/canonical";
import type { SourceRecord } from "@pond/canonical/adapter";
import { readCarrier } from "./carrier.ts";
import { type Envelope, type Reading, takeEnvelope } from "./envelope.ts";
import { isTypedInResult } from "./typed-in-result.ts";
import { type Typed, typedMessage } from "./typed-message.ts";

/** A prompt that a human typed, and the record that queued it. */
type Queued = Typed & {
  readonly envelope: Envelope;
  /** In milliseconds. */
  readonly at: number;
};

/** What is known, at one record of a session, about the prompts typed while the model works. */
export class PromptQueue {
  /** First in, first out. Undefined stands for something that no human typed. */
  #waiting: (Queued | undefined)[] = [];
  #removed: { readonly prompt: Queued; readonly at: number }[] = [];
  /** The last prompt taken out, for a record of its own that has not come yet. */
  #dequeued: Queued | undefined;
  #hasResults = false;
  /** What was waiting when results came: it goes to the model together with them. */
  #due: readonly Queued[] = [];
  /** The API's id of the answer that was written last. */
  #answer: unknown;

  /** Undefined for something that no human typed. */
  add(prompt: Queued | undefined): void {
    if (prompt && this.#waiting.some((other) => isDuplicate(prompt, other))) return;
    // A busy client puts back what it took out.
    if (prompt?.raw === this.#dequeued?.raw) this.#dequeued = undefined;
    // What is queued after a prompt that has not gone anywhere yet may be that prompt, edited.
    if (prompt && !this.#hasResults) this.#removed = [];
    this.#waiting.push(prompt);
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
  }

  /** Takes out the first, or all. Only removed prompts may go to the model from here. */
  take(operation: "dequeue" | "remove" | "popAll", at: number): void {
    if (operation !== "remove") this.#restoreTasks(at);
    if (operation === "popAll") this.#waiting.length = 0;
    const prompt = this.#first();
    if (operation === "dequeue") this.#dequeued = prompt;
    if (operation !== "remove" || prompt === undefined) return;
    this.#removed.push({ prompt, at });
    if (this.#removed.length > maxWaiting) this.#removed.shift();
  }

  /**
   * If the queue would otherwise be empty, a prompt that was taken out and has no record yet was
   * put back.
   */
  #first(): Queued | undefined {
    if (this.#waiting.length > 0) return this.#waiting.shift();
    const prompt = this.#dequeued;
    this.#dequeued = undefined;
    return prompt;
  }

  /**
   * Where a turn ends, its tasks are removed, and at the same moment the next prompt is taken out.
   */
  #restoreTasks(at: number): void {
    const isTask = (removed: { readonly at: number }) => at - removed.at < momentMs;
    this.#waiting.unshift(...this.#removed.filter(isTask).map(({ prompt }) => prompt));
    this.#removed = this.#removed.filter((removed) => !isTask(removed));
  }

  /** Learns from a user's record and its events. */
  noteUserRecord(record: SourceRecord, events: readonly CanonicalEvent[]): void {
    const end = events.findIndex(
      (event) => event.kind === "message" && isTypedInResult(event.message),
    );
    // What was said in a result was no prompt, and takes none out.
    const typed = events
      .slice(0, end < 0 ? events.length : end)
      .flatMap((event) =>
        event.kind === "part" && event.part.provenance === "conversational" ? [event.part] : [],
      );
    if (typed.length > 0) {
      this.#removed = [];
      const text = typed.map((part) => (part.type === "text" ? part.text : "")).join("");
      this.#skipTo(text, timeOf(record));
    }
    if (this.#hasResults) return;
    this.#hasResults = events.some(
      (event) => event.kind === "message" && event.message.role === "tool",
    );
    if (this.#hasResults) this.#due = this.#waiting.filter((prompt) => prompt !== undefined);
  }

  /** If a prompt has a record although it was not at the front, those before it are gone, too. */
  #skipTo(typed: string, time: number): void {
    const isNext = this.#dequeued?.raw === typed;
    // A prompt queued a moment ago was not taken out after others, because the client was idle.
    const isTyped = (prompt: Queued | undefined) =>
      prompt?.raw === typed && (!isNext || time - prompt.at < momentMs);
    this.#waiting.splice(0, this.#waiting.findIndex(isTyped) + 1);
    this.#dequeued = undefined;
  }

  /**
   * The prompts that the model answers now: they go to it together with results of tools.
   *
   * @param answer - The API's id of what the model says, if it has one.
   */
  takeAnswered(answer: unknown): readonly Queued[] {
    const isNew = answer === undefined || answer !== this.#answer;
    this.#answer = answer;
    // An answer is written while it streams: a prompt waits for the results of the tool that it
    // calls.
    if (!this.#hasResults) return [];
    const prompts = this.#removed.map(({ prompt }) => prompt);
    this.#removed = [];
    this.#hasResults = false;
    return isNew ? [...prompts, ...this.#takeDue()] : prompts;
  }

  /**
   * The client leaves none of these in the queue, although the log does not say that they were
   * taken out.
   */
  #takeDue(): readonly Queued[] {
    const prompts = this.#due.filter((prompt) => this.#waiting.includes(prompt));
    this.#waiting = this.#waiting.filter((each) => each === undefined || !prompts.includes(each));
    return prompts;
  }
}

/** In milliseconds; shorter than any answer of a model. */
const momentMs = 100;

/** True if the client wrote a line again that it could not write completely. */
function isDuplicate({ raw, at }: Queued, other: Queued | undefined): boolean {
  return raw === other?.raw && at === other.at;
}

/** More than a human queues; a log may lack every removal. */
const maxWaiting = 100;

/** An operation on the queue, carried whole. The prompt in it is said where it is answered. */
export function readQueueOperation(record: SourceRecord, reading: Reading): CanonicalEvent[] {
  const envelope = takeEnvelope(record, reading);
  const operation = record.peek("operation");
  if (operation === "enqueue" && !isTaskNotice(record.peek("content"))) {
    reading.queue.add(queuedPrompt(record, envelope));
  }
  if (operation === "dequeue" || operation === "remove" || operation === "popAll") {
    reading.queue.take(operation, timeOf(record));
  }
  return readCarrier(record, reading, envelope);
}

/** True for what the client queues about its tasks; all prompts before it are taken out first. */
function isTaskNotice(content: unknown): boolean {
  if (typeof content !== "string") return false;
  if (taskTags.some((tag) => content.startsWith(tag))) return true;
  const task = content.startsWith("{") ? tryParseObject(content) : undefined;
  return typeof task?.["task_id"] === "string" && typeof task["task_type"] === "string";
}

// Older builds had one for shells and one for agents.
const taskTags: readonly string[] = [
  "<task-notification>",
  "<bash-notification>",
  "<agent-notification>",
];

function queuedPrompt(record: SourceRecord, envelope: Envelope): Queued | undefined {
  const raw = record.peek("content");
  // Commands wait in the same queue.
  if (typeof raw !== "string" || raw === "" || /^[</]/.test(raw)) return undefined;
  return { envelope, text: record.requireString("content"), raw, at: timeOf(record) };
}

function timeOf(record: SourceRecord): number {
  const time = record.peek("timestamp");
  return typeof time === "string" ? Date.parse(time) : Number.NaN;
}

/** The prompts that the model answers with this record and that have no record of their own. */
export function readAnsweredPrompts(
  record: SourceRecord,
  answer: unknown,
  reading: Reading,
): CanonicalEvent[] {
  const prompts = reading.queue.takeAnswered(answer);
  if (!isQueueOnlyBuild(record)) return [];
  return prompts.flatMap((prompt) => typedMessage(prompt.envelope, [prompt], reading));
}

/** True for builds that wrote a queued prompt only into the queue; later ones attach it. */
function isQueueOnlyBuild(record: SourceRecord): boolean {
  const version = record.peek("version");
  const build = typeof version === "string" ? /^2\.1\.(\d+)$/.exec(version)?.[1] : undefined;
  return build !== undefined && Number(build) <= 92;
}
