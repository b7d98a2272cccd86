import type { SessionContent } from "@pond/canonical/adapter";
import type { SessionLog } from "./session-log.ts";

/**
 * The place where sessions are saved. A session is handed over whole, including what was saved
 * before.
 */
export type SessionSink = {
  /** Settles when everything of the session is saved. Repeating it changes nothing. */
  save(content: SessionContent): Promise<void>;
};

/**
 * Hands sessions to a sink, one at a time, and again if they grew in the meantime. A session that
 * failed is tried again the next time somebody asks whether everything is saved.
 */
export class Saver {
  readonly #sink: SessionSink | undefined;
  readonly #changed: Set<SessionLog> = new Set();
  /** The logs that the current round took. */
  #saving: readonly SessionLog[] = [];
  /** Logs to try again. */
  readonly #failed: Set<SessionLog> = new Set();
  /** What the last save of a log threw. */
  readonly #errors: WeakMap<SessionLog, unknown> = new WeakMap();
  /** The log that replaced another one and holds everything of it. */
  readonly #successors: WeakMap<SessionLog, SessionLog> = new WeakMap();
  /** Logs whose failure was thrown. */
  readonly #reported: WeakSet<SessionLog> = new WeakSet();
  readonly #drained: WeakSet<SessionLog> = new WeakSet();
  /** Sessions that were drained and are not saved. */
  readonly #unsaved: Set<string> = new Set();
  /** Settles with the last scheduled round. */
  #rounds: Promise<void> = Promise.resolve();

  constructor(sink: SessionSink | undefined) {
    this.#sink = sink;
  }

  /** Notes that a session grew. It is saved after this turn of the event loop. */
  markChanged(log: SessionLog): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    // A round takes everything that changes before it begins.
    if (this.#changed.size === 0) this.#rounds = this.#rounds.then(() => this.#save(sink));
    this.#changed.add(log);
  }

  /**
   * Notes that a session was resumed: what failed of it before is either in the sink or given up.
   */
  markResumed(log: SessionLog): void {
    const { id } = log.session;
    for (const other of this.#failed) if (other.session.id === id) this.#giveUp(other);
    for (const other of [...this.#saving, ...this.#changed]) {
      if (other.session.id === id && containsAll(log, other)) this.#successors.set(other, log);
    }
    if (this.#unsaved.delete(id)) this.markChanged(log);
  }

  /** Notes that a session was drained: a failure is then thrown once, and not tried again. */
  markDrained(log: SessionLog): void {
    this.#drained.add(log);
    if (this.#reported.has(log) && this.#failed.has(log)) this.#giveUp(log);
  }

  /**
   * Waits until everything noted so far is saved; what failed is tried once more. What is noted
   * later needs another call.
   *
   * @throws What the sink threw, or an `AggregateError` if several sessions failed.
   */
  async waitUntilSaved(): Promise<void> {
    // Earlier callers are told first, and drained sessions are given up then.
    const watched = new Set(this.#failed);
    await this.#rounds;
    const failed = [...this.#failed];
    for (const log of failed) this.markChanged(log);
    if (failed.length > 0) await this.#rounds;
    for (const log of [...failed, ...this.#failed]) watched.add(log);
    const thrown = [...watched].flatMap((log) => {
      return this.#errors.has(log) ? [this.#errors.get(log)] : [];
    });
    for (const log of this.#failed) {
      this.#reported.add(log);
      if (this.#drained.has(log)) this.#giveUp(log);
    }
    if (thrown.length > 1) throw new AggregateError(thrown, "sessions were not saved");
    if (thrown.length > 0) throw thrown[0];
  }

  async #save(sink: SessionSink): Promise<void> {
    this.#saving = [...this.#changed];
    this.#changed.clear();
    for (const log of this.#saving) {
      // What it grew by while others were saved is saved with it.
      this.#changed.delete(log);
      try {
        await sink.save(log.content());
        this.#failed.delete(log);
        this.#errors.delete(log);
        this.#reported.delete(log);
      } catch (error) {
        // If the old log were tried again after its successor, it would be in conflict with that.
        const failed = this.#successors.get(log) ?? log;
        this.#failed.add(failed);
        this.#errors.set(failed, error);
      }
    }
    this.#saving = [];
  }

  #giveUp(log: SessionLog): void {
    this.#failed.delete(log);
    this.#unsaved.add(log.session.id);
  }
}

/** True if all messages of a log are in another one too. */
function containsAll(log: SessionLog, other: SessionLog): boolean {
  const ids = new Set(log.content().messages.map(({ id }) => id));
  return other.content().messages.every(({ id }) => ids.has(id));
}
