import {
  type ClosedState,
  IllegalTransitionError,
  InvalidEventError,
  SessionClosedError,
} from "./errors.ts";
import type { LoopRecord } from "./record.ts";
import type { SessionLog, TimedEvent } from "./session-log.ts";

/** The sessions of a recorder: which are open, which are over, and which loop is in which. */
export class Sessions {
  readonly #open: Map<string, SessionLog> = new Map();
  readonly #completed: Map<string, SessionLog> = new Map();
  /** Ids that no new session may have. */
  readonly #closed: Map<string, ClosedState> = new Map();
  /**
   * Loop ids are unique in a recorder, because nothing else tells which loop an event belongs to.
   */
  readonly #loops: Map<string, SessionLog> = new Map();

  /** The sessions that are not over, in the order in which they were opened. */
  get open(): readonly SessionLog[] {
    return [...this.#open.values()];
  }

  get all(): readonly SessionLog[] {
    return [...this.#completed.values(), ...this.#open.values()];
  }

  find(sessionId: string): SessionLog | undefined {
    return this.#open.get(sessionId) ?? this.#completed.get(sessionId);
  }

  /** The session of a loop. */
  withLoop(loopId: string): SessionLog | undefined {
    return this.#loops.get(loopId);
  }

  /** @throws {IllegalTransitionError} if there is no such loop. */
  logOf(loopId: string, event: string): SessionLog {
    const log = this.#loops.get(loopId);
    if (log === undefined) throw new IllegalTransitionError(loopId, "Unknown", event);
    return log;
  }

  loop(loopId: string): LoopRecord | undefined {
    return this.#loops.get(loopId)?.loop(loopId)?.record;
  }

  /** The first loop of the session that a call spawned. */
  spawnedBy(loopId: string, callId: string): string | undefined {
    const child = this.all.find(({ record: { parent_spawn_ref: ref } }) => {
      return ref?.parent_loop_id === loopId && ref.tool_call_id === callId;
    });
    return child?.record.loops[0]?.loop_id;
  }

  /**
   * Notes in a spawned session which call spawned it, once its parent says so.
   *
   * @returns That session; undefined if the event says nothing new.
   */
  nameSpawn(event: TimedEvent, { session: { id } }: SessionLog): SessionLog | undefined {
    if (event.type !== "ToolExecutionEnd" || event.child_session_id === undefined) return undefined;
    const { loop_id: parent_loop_id, tool_call_id, tool_name, timestamp } = event;
    const child = this.find(event.child_session_id);
    const ref = child?.record.parent_spawn_ref;
    if (ref?.parent_session_id !== id || ref.tool_call_id !== undefined) return undefined;
    const call = { parent_session_id: id, parent_loop_id, tool_call_id, tool_name };
    child?.nameSpawn(call, timestamp);
    return child;
  }

  /**
   * The session in which loops are to be registered; undefined if it has not been opened yet.
   *
   * @throws {SessionClosedError} if it takes no more loops.
   * @throws {IllegalTransitionError} if another session has such a loop.
   */
  sessionForLoops(
    sessionId: string,
    loopIds: readonly string[],
    event: string,
  ): SessionLog | undefined {
    for (const id of loopIds) {
      const status = this.loop(id)?.status;
      if (status !== undefined && this.#loops.get(id)?.session.id !== sessionId) {
        throw new IllegalTransitionError(id, status, event);
      }
    }
    const closed = this.#closed.get(sessionId);
    if (closed !== undefined) throw new SessionClosedError(sessionId, closed);
    return this.#open.get(sessionId);
  }

  add(log: SessionLog): void {
    this.#open.set(log.session.id, log);
  }

  /** Notes the loops that an event registered. */
  addLoops(log: SessionLog, loopIds: readonly string[]): void {
    for (const id of loopIds) this.#loops.set(id, log);
  }

  reject(sessionId: string): void {
    this.#closed.set(sessionId, "rejected");
  }

  /** Ends a session. */
  complete(log: SessionLog): void {
    const { id } = log.session;
    this.#open.delete(id);
    this.#completed.set(id, log);
    this.#closed.set(id, "flushed");
  }

  /** Returns the sessions that are over, and forgets them. */
  drain(): readonly SessionLog[] {
    const logs = [...this.#completed.values()];
    for (const { session, record } of logs) {
      this.#completed.delete(session.id);
      this.#closed.set(session.id, "drained");
      for (const { loop_id } of record.loops) this.#loops.delete(loop_id);
    }
    return logs;
  }

  /** @throws {SessionClosedError | InvalidEventError} */
  resume(log: SessionLog): void {
    const { id } = log.session;
    if (this.#open.has(id)) throw new SessionClosedError(id, "open");
    const loopIds = log.record.loops.map(({ loop_id }) => loop_id);
    for (const loopId of loopIds) {
      const other = this.#loops.get(loopId)?.session.id ?? id;
      if (other !== id) throw new InvalidEventError("resume", `${loopId} is a loop of ${other}`);
    }
    this.#completed.delete(id);
    this.#closed.delete(id);
    this.#open.set(id, log);
    this.addLoops(log, loopIds);
  }
}
