import { randomBytes, randomUUID } from "node:crypto";
import type { Message } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { completeEvent, registeredLoops } from "./complete-event.ts";
import { CurrentSession } from "./current-session.ts";
import { IllegalTransitionError, InvalidEventError, SessionClosedError } from "./errors.ts";
import type { AgentEvent } from "./events.ts";
import { LoopHandle, type ToolCall } from "./loop-handle.ts";
import { type LoopOptions, type SpawnOptions, startOf } from "./loop-options.ts";
import { type OpeningEvent, sessionInit } from "./opening.ts";
import type { RecorderOptions } from "./options.ts";
import { ParallelGroupHandle, type ParallelOptions } from "./parallel-handle.ts";
import type { LoopRecord, SessionRecord } from "./record.ts";
import { Saver } from "./saver.ts";
import { SessionLog, type TimedEvent } from "./session-log.ts";
import { Sessions } from "./sessions.ts";

/** Makes a recorder. It writes nothing and reads no clock before it is used. */
export function createRecorder(options: RecorderOptions): Recorder {
  return new Recorder(options);
}

/**
 * Records what an agent does, as it does it, as canonical sessions.
 *
 * An event that cannot happen throws and leaves everything as it was. Report events through the
 * handles of {@link loop}, or directly through {@link record}.
 */
class Recorder {
  readonly #options: RecorderOptions;
  readonly #now: () => Date;
  readonly #newSessionId: () => string;
  readonly #writer: string;
  readonly #sessions: Sessions = new Sessions();
  readonly #current: CurrentSession;
  readonly #saver: Saver;

  constructor(options: RecorderOptions) {
    const { now = () => new Date(), newSessionId = randomUUID, rotation, sink } = options;
    this.#options = options;
    this.#now = now;
    this.#newSessionId = newSessionId;
    this.#writer = options.writer ?? randomBytes(6).toString("hex");
    this.#current = new CurrentSession(rotation?.inactivitySeconds, now, newSessionId);
    this.#saver = new Saver(sink);
  }

  /** Begins a loop. */
  loop(options: LoopOptions = {}): LoopHandle {
    const session_id = this.#sessionFor(options);
    const loop_id = options.loopId ?? this.#loopId(session_id, this.#nextNumber(session_id));
    this.record(startOf(options, { session_id, loop_id }));
    return new LoopHandle(this, loop_id);
  }

  /**
   * Begins a loop, runs `work` and ends the loop: as `Completed`, or as `Aborted` with what was
   * thrown.
   *
   * @throws What `work` throws.
   */
  async run<T>(options: LoopOptions, work: (loop: LoopHandle) => T | Promise<T>): Promise<T> {
    const loop = this.loop(options);
    // It may have been ended, flushed or drained in the meantime.
    const isRunning = () => this.loopRecord(loop.loopId)?.status === "Running";
    try {
      const result = await work(loop);
      if (isRunning()) loop.end();
      return result;
    } catch (error) {
      if (isRunning()) loop.abort(String(error));
      throw error;
    }
  }

  /** Begins a sub-agent for a call of a loop: the first loop of a session of its own. */
  spawn(parentLoopId: string, call: ToolCall, options: SpawnOptions = {}): LoopHandle {
    const parent = this.#sessions.logOf(parentLoopId, "spawn");
    parent.loop(parentLoopId)?.check("ToolExecutionStart");
    const { sessionId: session_id = this.#newSessionId() } = options;
    // The id has phi-core's form: by it, phi-core's reader knows whose first message is a task.
    const loop_id =
      options.loopId ?? `${session_id}.${this.#writer}.sub.${this.#nextNumber(session_id)}`;
    this.record({
      ...startOf(options, { session_id, loop_id }),
      parent_loop_id: parentLoopId,
      parent_spawn_ref: {
        parent_session_id: parent.session.id,
        parent_loop_id: parentLoopId,
        tool_call_id: call.call_id,
        tool_name: call.name,
      },
    });
    return new LoopHandle(this, loop_id);
  }

  /** Registers loops that will run side by side, before any of them starts. */
  parallelGroup(options: ParallelOptions): ParallelGroupHandle {
    const session_id = this.#sessionFor(options);
    const first = this.#nextNumber(session_id);
    const loop_ids = Array.from({ length: options.branches }, (_, at) =>
      this.#loopId(session_id, first + at),
    );
    this.record({ type: "ParallelLoopStart", session_id, loop_ids });
    return new ParallelGroupHandle(this, { options, session_id, loop_ids, now: this.#now });
  }

  /** A handle of an existing loop: one of a resumed session, or one recorded as events. */
  attach(loopId: string): LoopHandle {
    if (this.loopRecord(loopId) === undefined) {
      throw new IllegalTransitionError(loopId, "Unknown", "attach");
    }
    return new LoopHandle(this, loopId);
  }

  /**
   * Records one event.
   *
   * @returns The messages that were said in it, as they are in its loop.
   * @throws {IllegalTransitionError} if it cannot happen in the current state of its loop.
   * @throws {InvalidEventError} if it contradicts itself or what was recorded.
   * @throws {SessionClosedError} if its session takes no more loops.
   */
  record(event: AgentEvent): readonly Message[] {
    const timed = completeEvent(event, {
      agent: this.#options.agent,
      timestamp: () => this.#now().toISOString(),
      sessionOf: (loopId) => this.#sessions.withLoop(loopId)?.session.id,
      spawnedBy: (loopId, callId) => this.#sessions.spawnedBy(loopId, callId),
    });
    const log = this.#logFor(timed);
    if (timed.type === "MessageUpdate" && this.#options.includeStreamingEvents !== true) {
      log.loop(timed.loop_id)?.check(timed.type);
      return [];
    }
    const messages = log.append(timed);
    this.#sessions.addLoops(log, registeredLoops(timed));
    this.#saver.markChanged(log);
    const child = this.#sessions.nameSpawn(timed, log);
    if (child) this.#saver.markChanged(child);
    return messages;
  }

  /** Makes the next loop that names no session begin a new one. @returns The id of that session. */
  rotate(): string {
    return this.#current.rotate();
  }

  /**
   * Continues a session where it was left, for example one that a store had when its process died.
   * Loops that were running are `Running`: {@link attach} continues one, {@link flush} gives it up.
   *
   * @throws {NotResumableError} if this package did not record it, or something is missing.
   * @throws {SessionClosedError} if it is open already.
   */
  resume(content: SessionContent): SessionRecord {
    const log = SessionLog.resume(content, this.#writer);
    this.#sessions.resume(log);
    this.#saver.markResumed(log);
    // A loop that does not name a sub-agent's session never begins in it.
    if (log.record.parent_spawn_ref === undefined) this.#current.set(log.session.id);
    return log.record;
  }

  /** A session that was not drained. It keeps changing. */
  session(sessionId: string): SessionRecord | undefined {
    return this.#sessions.find(sessionId)?.record;
  }

  /** All sessions that were not drained. */
  sessions(): readonly SessionRecord[] {
    return this.#sessions.all.map(({ record }) => record);
  }

  /** A loop of any session that was not drained. */
  loopRecord(loopId: string): LoopRecord | undefined {
    return this.#sessions.loop(loopId);
  }

  /** A session in the form in which pond keeps it, so far. Later recording only adds to it. */
  content(sessionId: string): SessionContent | undefined {
    return this.#sessions.find(sessionId)?.content();
  }

  /**
   * Waits until the sink has everything that was recorded. Loops go on. @throws What the sink
   * threw.
   */
  async checkpoint(): Promise<void> {
    await this.#saver.waitUntilSaved();
  }

  /**
   * Ends everything that is open: loops without an end become `Aborted`, and sessions are over.
   * Waits until the sink has them.
   *
   * @throws What `afterTask` or the sink threw, once everything else is done; an `AggregateError`
   * if that is more than one error.
   */
  async flush(): Promise<void> {
    const thrown: unknown[] = [];
    for (const log of this.#sessions.open) {
      for (const { record } of log.openLoops()) {
        this.record({ type: "LoopAborted", loop_id: record.loop_id });
      }
      this.#sessions.complete(log);
      try {
        this.#options.afterTask?.(log.record);
      } catch (error) {
        thrown.push(error);
      }
    }
    this.#current.set(undefined);
    await this.#saver.waitUntilSaved().catch((error: unknown) => thrown.push(error));
    if (thrown.length > 1) throw new AggregateError(thrown, "sessions did not end as they should");
    if (thrown.length > 0) throw thrown[0];
  }

  /** Hands out the sessions that were flushed, and forgets them. */
  drain(): readonly SessionContent[] {
    return this.#sessions.drain().map((log) => {
      this.#saver.markDrained(log);
      return log.content();
    });
  }

  #sessionFor({ sessionId, continues }: Pick<LoopOptions, "sessionId" | "continues">): string {
    const parent = continues === undefined ? undefined : this.#sessions.withLoop(continues);
    return sessionId ?? parent?.session.id ?? this.#current.next((id) => this.#sessions.find(id));
  }

  #nextNumber(sessionId: string): number {
    let number = (this.session(sessionId)?.loops.length ?? 0) + 1;
    while (this.loopRecord(this.#loopId(sessionId, number))) number += 1;
    return number;
  }

  #loopId(sessionId: string, number: number): string {
    return `${sessionId}.${this.#writer}.${number}`;
  }

  #logFor(event: TimedEvent): SessionLog {
    const { type } = event;
    if (type === "AgentStart" || type === "ParallelLoopStart") {
      const known = this.#sessions.sessionForLoops(event.session_id, registeredLoops(event), type);
      return known ?? this.#openSession(event);
    }
    if (type === "ParallelLoopEnd") {
      const log = this.#sessions.find(event.session_id);
      if (log === undefined) throw new InvalidEventError(type, `no session ${event.session_id}`);
      return log;
    }
    return this.#sessions.logOf(event.loop_id, type);
  }

  #openSession(event: OpeningEvent): SessionLog {
    const { session_id: sessionId } = event;
    const formation = this.#current.formationOf(sessionId);
    const init = sessionInit(event, this.#options, this.#writer, formation);
    // An event that throws must not open a session.
    SessionLog.open(init).append(event);
    const log = SessionLog.open(init);
    const answer: unknown = this.#options.beforeTask?.(log.record);
    if (answer instanceof Promise) {
      throw new TypeError("beforeTask: expected an answer at once, not a promise");
    }
    if (answer === false) {
      this.#sessions.reject(sessionId);
      throw new SessionClosedError(sessionId, "rejected");
    }
    this.#sessions.add(log);
    return log;
  }
}

export type { Recorder };
