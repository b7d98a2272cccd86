import { fromRfc3339, type Message, type Micros, type Session, toRfc3339 } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { withContinuation } from "./continuation.ts";
import type { MessageDraft } from "./drafts.ts";
import { InvalidEventError, NotResumableError } from "./errors.ts";
import type {
  AgentEnd,
  AgentEvent,
  AgentStart,
  MessageAddition,
  SpawnRef,
  StoredEvent,
} from "./events.ts";
import {
  type Entry,
  eventCarrier,
  eventKey,
  hasEventKey,
  headOf,
  loopEventKey,
  messageId,
  repeatCarrier,
} from "./log-entry.ts";
import type { LoopState, SessionState } from "./loop-state.ts";
import { LoopTree } from "./loop-tree.ts";
import { additionTo, UnmatchedMessages } from "./match-messages.ts";
import type { SessionRecord } from "./record.ts";
import { RepeatDetector } from "./repeat-detector.ts";
import { openSession, recordOf, type SessionInit } from "./session-head.ts";
import { eventOfMessage, missingField } from "./stored-event.ts";
import { toMessage } from "./to-message.ts";

type Timed<Each> = Each extends unknown ? Each & { readonly timestamp: string } : never;

/** An event with its time and with what the recorder knows about it. */
export type TimedEvent = Timed<
  Exclude<AgentEvent, AgentStart> | (AgentStart & { readonly agent_id: string })
>;

/**
 * One session as a log that only grows. Each event is one canonical message, and the state of its
 * loops follows from these messages alone. So a session can be read back and continued.
 */
export class SessionLog {
  readonly session: Session;
  readonly #writer: string;
  readonly #tree: LoopTree;
  readonly #messages: Message[] = [];
  readonly #repeats: RepeatDetector = new RepeatDetector();
  #newest: Micros;

  private constructor(session: Session, record: SessionState, head: Message, writer: string) {
    this.session = session;
    this.#writer = writer;
    this.#tree = new LoopTree(record);
    this.#messages.push(head);
    this.#newest = head.timestamp;
  }

  /** @throws {ValidationError} if the values do not make a valid session. */
  static open(init: SessionInit): SessionLog {
    const { session, head } = openSession(init);
    return SessionLog.resume({ session, messages: [head] }, init.writer);
  }

  /**
   * @param writer - The writer that continues it.
   * @throws {NotResumableError} if the content is not such a log, or something in it is missing.
   */
  static resume(
    { session, messages: [head, ...messages] }: SessionContent,
    writer: string,
  ): SessionLog {
    const record = recordOf(session, head);
    if (head === undefined || record === undefined) {
      throw new NotResumableError(session.id, "it was not recorded by @pond/recorder");
    }
    // What a pond notes about a session does not belong to it.
    const { pond: _, ...options } = session.options;
    const log = new SessionLog({ ...session, options }, record, head, writer);
    for (const message of messages) {
      try {
        log.#replay(message);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new NotResumableError(session.id, reason, { cause: error });
      }
    }
    return log;
  }

  get record(): SessionRecord {
    return this.#tree.record;
  }

  /** The newest time in it. */
  get newest(): Micros {
    return this.#newest;
  }

  /** All of it so far. Later events only add to it. */
  content(): SessionContent {
    return { session: this.session, messages: [...this.#messages] };
  }

  loop(loopId: string): LoopState | undefined {
    return this.#tree.loop(loopId);
  }

  /** Loops that are registered or running. */
  openLoops(): readonly LoopState[] {
    return this.#tree.openLoops();
  }

  /**
   * Records an event. If it throws, nothing of the event was recorded.
   *
   * @returns The messages that were said in it.
   * @throws {IllegalTransitionError | InvalidEventError | ValidationError | TypeError}
   */
  append(event: TimedEvent): readonly Message[] {
    const entries = this.#entriesOf(event);
    for (const entry of entries) this.#commit(entry);
    return entries.flatMap(({ event: kept }) => (kept.type === "MessageEnd" ? [kept.message] : []));
  }

  /** Notes which call of the parent spawned this session. */
  nameSpawn(ref: SpawnRef, timestamp: string): void {
    const { id } = this.session;
    this.#commit(
      this.#carrierEntry({ type: "SpawnNamed", session_id: id, parent_spawn_ref: ref, timestamp }),
    );
  }

  #replay(message: Message): void {
    // Another writer opened it too.
    if (headOf(message)) {
      this.#addMessage(message);
      return;
    }
    const event = eventOfMessage(message);
    if (event === undefined)
      throw new InvalidEventError("message", `${message.id} is not an event`);
    this.#tree.check(event);
    const sequence = "loop_id" in event ? this.#tree.nextSequence(event.loop_id) : 0;
    if (!hasEventKey(eventKey(event, sequence), message)) {
      throw new InvalidEventError(event.type, `what comes before ${message.id} is missing`);
    }
    this.#commit({ event, message });
  }

  #entriesOf(event: TimedEvent): readonly Entry[] {
    if (fromRfc3339(event.timestamp) === undefined) {
      throw new InvalidEventError(event.type, `${event.timestamp} is not an RFC 3339 time`);
    }
    switch (event.type) {
      case "AgentStart":
        return [
          this.#carrierEntry(withContinuation(event, (id) => this.#tree.loop(id) !== undefined)),
        ];
      case "AgentEnd":
        return this.#endEntries(event);
      case "MessageEnd": {
        const loop = this.#tree.loopFor(event);
        const isFirst =
          event.message.role === "user" &&
          loop.record.messages.every(({ role }) => role !== "user");
        const place = { sequence: loop.nextSequence, isFirst };
        return [this.#messageEntry(loop, event.message, { time: event.timestamp, ...place })];
      }
      default:
        return [this.#carrierEntry(event)];
    }
  }

  /** Messages that the end names and that were not recorded yet come first. */
  #endEntries({ messages, ...end }: Timed<AgentEnd>): readonly Entry[] {
    const loop = this.#tree.loopFor(end);
    const unmatched = new UnmatchedMessages(messages ? loop.said.values() : []);
    const added: Entry[] = [];
    const additions: MessageAddition[] = [];
    const first = messages?.findIndex(({ role }) => role === "user");
    const ids = messages?.map((draft, index) => {
      const sequence = loop.nextSequence + added.length;
      const entry = this.#messageEntry(loop, draft, {
        time: end.timestamp,
        sequence,
        isFirst: index === first,
      });
      const same = unmatched.takeMatch(entry.said, draft);
      if (same === undefined) {
        added.push(entry);
        return entry.said.id;
      }
      const addition = additionTo(same, entry.said, draft);
      if (addition) additions.push(addition);
      return same.id;
    });
    const event = {
      ...end,
      messages: ids ?? [...loop.said.keys()],
      ...(additions.length > 0 && { additions }),
    };
    return [...added, this.#carrierEntry(event, added.length)];
  }

  #messageEntry(
    loop: LoopState,
    draft: MessageDraft,
    { time, sequence, isFirst }: MessagePosition,
  ): Entry & { readonly said: Message } {
    const { loop_id } = loop.record;
    const at = draft.timestamp ?? time;
    const micros = fromRfc3339(at);
    if (micros === undefined)
      throw new InvalidEventError("MessageEnd", `${at} is not an RFC 3339 time`);
    const turn = loop.turnIndex;
    const message = toMessage(draft, {
      id: messageId(loopEventKey(loop_id, sequence), this.#writer),
      sessionId: this.session.id,
      timestamp: micros,
      source: { loop: loop_id, ...(turn !== undefined && { turn }) },
      isTask: isFirst && this.#isSpawned(loop),
    });
    const isRepeat = this.#repeats.isRepeat(message, loop_id);
    return {
      // In the form in which it is read back from the message.
      event: { type: "MessageEnd", loop_id, timestamp: toRfc3339(micros), message },
      message: isRepeat ? repeatCarrier(message) : message,
      said: message,
    };
  }

  /** True for the loop that another agent gave a task to. What it is told later may be typed. */
  #isSpawned({ record: { parent_loop_id: parent } }: LoopState): boolean {
    return parent !== undefined && this.#tree.loop(parent) === undefined;
  }

  /** @param added - How many events of its loop come before it and are not recorded yet. */
  #carrierEntry(event: StoredEvent, added = 0): Entry {
    const missing = missingField(event);
    if (missing !== undefined) throw new InvalidEventError(event.type, missing);
    this.#tree.check(event);
    const sequence = "loop_id" in event ? this.#tree.nextSequence(event.loop_id) + added : 0;
    const id = messageId(eventKey(event, sequence), this.#writer);
    const message = eventCarrier(this.session.id, id, event);
    // The copy is kept, because the agent goes on with its own.
    return { event: eventOfMessage(message) ?? event, message };
  }

  #commit({ event, message }: Entry): void {
    this.#addMessage(message);
    this.#tree.apply(event);
    if (event.type === "MessageEnd") this.#repeats.add(event.message, event.loop_id);
  }

  #addMessage(message: Message): void {
    this.#messages.push(message);
    if (message.timestamp > this.#newest) this.#newest = message.timestamp;
  }
}

/** Where in its loop something is said. */
type MessagePosition = {
  readonly time: string;
  readonly sequence: number;
  /** True if nothing was said before in the role of the user. */
  readonly isFirst: boolean;
};
