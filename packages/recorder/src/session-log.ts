import { fromRfc3339, type Message, type Micros, type Session, toRfc3339 } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { withContinuation } from "./continuation.ts";
import { InvalidEventError, NotResumableError } from "./errors.ts";
import type { AgentEnd, AgentEvent, AgentStart, KeptEvent, SpawnRef } from "./events.ts";
import { keptEvent, missingIn } from "./kept-event.ts";
import { type Entry, entryId, eventCarrier, messageId, repeatCarrier } from "./log-entry.ts";
import type { LoopState, SessionState } from "./loop-state.ts";
import { LoopTree } from "./loop-tree.ts";
import type { SessionRecord } from "./record.ts";
import type { Said } from "./said.ts";
import { SaidBefore } from "./said-before.ts";
import { isNamedBy } from "./same-message.ts";
import { openSession, recordOf, type SessionInit } from "./session-head.ts";
import { toMessage } from "./to-message.ts";

type Timed<Each> = Each extends unknown ? Each & { readonly timestamp: string } : never;

/** An event with its time and what the recorder knows of it. */
export type TimedEvent = Timed<
  Exclude<AgentEvent, AgentStart> | (AgentStart & { readonly agent_id: string })
>;

/**
 * One session as a log that only grows: each event is one canonical message, and what is known of
 * its loops is what these messages come to. So a session that is read back can be gone on with.
 */
export class SessionLog {
  readonly session: Session;
  readonly #tree: LoopTree;
  readonly #messages: Message[] = [];
  readonly #said: SaidBefore = new SaidBefore();
  #newest: Micros;

  private constructor(session: Session, record: SessionState, head: Message) {
    this.session = session;
    this.#tree = new LoopTree(record);
    this.#messages.push(head);
    this.#newest = head.timestamp;
  }

  /** @throws {ValidationError} where the session would be none. */
  static open(init: SessionInit): SessionLog {
    const { session, head } = openSession(init);
    return SessionLog.resume({ session, messages: [head] });
  }

  /** @throws {NotResumableError} where the content is no such log, or something in it is missing. */
  static resume({ session, messages: [head, ...messages] }: SessionContent): SessionLog {
    const record = recordOf(session, head);
    if (head === undefined || record === undefined) {
      throw new NotResumableError(session.id, "it was not recorded by @pond/recorder");
    }
    // What a pond notes of a session is no part of it.
    const { pond: _, ...options } = session.options;
    const log = new SessionLog({ ...session, options }, record, head);
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

  /** All of it so far; what comes later only adds. */
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
   * Takes an event. Where it throws, nothing of it was taken.
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
      this.#carry({ type: "SpawnNamed", session_id: id, parent_spawn_ref: ref, timestamp }),
    );
  }

  #replay(message: Message): void {
    const event = keptEvent(message);
    if (event === undefined) throw new InvalidEventError("message", `${message.id} is no event`);
    this.#tree.check(event);
    const sequence = "loop_id" in event ? this.#tree.nextSequence(event.loop_id) : 0;
    if (entryId(event, sequence) !== message.id) {
      throw new InvalidEventError(event.type, `what comes before ${message.id} is missing`);
    }
    this.#commit({ event, message });
  }

  #entriesOf(event: TimedEvent): readonly Entry[] {
    if (fromRfc3339(event.timestamp) === undefined) {
      throw new InvalidEventError(event.type, `${event.timestamp} is no RFC 3339 time`);
    }
    switch (event.type) {
      case "AgentStart":
        return [this.#carry(withContinuation(event, (id) => this.#tree.loop(id) !== undefined))];
      case "AgentEnd":
        return this.#ended(event);
      case "MessageEnd": {
        const loop = this.#tree.loopFor(event);
        const place = { sequence: loop.nextSequence, isFirst: loop.said.size === 0 };
        return [this.#say(loop, event.message, { time: event.timestamp, ...place })];
      }
      default:
        return [this.#carry(event)];
    }
  }

  /** What the end names and was not recorded yet comes first. */
  #ended({ messages, ...end }: Timed<AgentEnd>): readonly Entry[] {
    const loop = this.#tree.loopFor(end);
    const recorded = [...loop.said.values()];
    const added: Entry[] = [];
    const ids = messages?.map((said, index) => {
      const sequence = loop.nextSequence + added.length;
      const entry = this.#say(loop, said, { time: end.timestamp, sequence, isFirst: index === 0 });
      const at = recorded.findIndex((each) => isNamedBy(each, entry.said, said.timestamp));
      const [same] = at < 0 ? [] : recorded.splice(at, 1);
      if (same === undefined) added.push(entry);
      return (same ?? entry.said).id;
    });
    const event = { ...end, messages: ids ?? recorded.map(({ id }) => id) };
    return [...added, this.#carry(event, added.length)];
  }

  #say(
    loop: LoopState,
    said: Said,
    { time, sequence, isFirst }: SaidPlace,
  ): Entry & { readonly said: Message } {
    const { loop_id } = loop.record;
    const at = said.timestamp ?? time;
    const micros = fromRfc3339(at);
    if (micros === undefined)
      throw new InvalidEventError("MessageEnd", `${at} is no RFC 3339 time`);
    const turn = loop.turnIndex;
    const message = toMessage(said, {
      id: messageId(loop_id, sequence),
      sessionId: this.session.id,
      timestamp: micros,
      source: { loop: loop_id, ...(turn !== undefined && { turn }) },
      isTask: isFirst && this.#isSpawned(loop),
    });
    const isRepeat = this.#said.isRepeat(message, loop_id);
    return {
      // As it is read back from the message.
      event: { type: "MessageEnd", loop_id, timestamp: toRfc3339(micros), message },
      message: isRepeat ? repeatCarrier(message) : message,
      said: message,
    };
  }

  /** True for the loop another agent gave a task to; what it is told later may be typed. */
  #isSpawned({ record: { parent_loop_id: parent } }: LoopState): boolean {
    return parent !== undefined && this.#tree.loop(parent) === undefined;
  }

  /** @param added - How many events of its loop come before it and are not taken yet. */
  #carry(event: KeptEvent, added = 0): Entry {
    const missing = missingIn(event);
    if (missing !== undefined) throw new InvalidEventError(event.type, missing);
    this.#tree.check(event);
    const sequence = "loop_id" in event ? this.#tree.nextSequence(event.loop_id) + added : 0;
    const message = eventCarrier(this.session.id, event, sequence);
    // What is kept is the copy: the agent goes on with its own.
    return { event: keptEvent(message) ?? event, message };
  }

  #commit({ event, message }: Entry): void {
    this.#messages.push(message);
    if (message.timestamp > this.#newest) this.#newest = message.timestamp;
    this.#tree.take(event);
    if (event.type === "MessageEnd") this.#said.note(event.message, event.loop_id);
  }
}

/** Where in its loop something is said. */
type SaidPlace = { readonly time: string; readonly sequence: number; readonly isFirst: boolean };
