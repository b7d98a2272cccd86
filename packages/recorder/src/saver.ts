import type { SessionContent } from "@pond/canonical/adapter";
import type { SessionLog } from "./session-log.ts";

/** Where sessions go. A session is handed over whole; what was there before is a part of it. */
export type SessionSink = {
  /** Settles when everything of the session is kept. Doing it again changes nothing. */
  save(content: SessionContent): Promise<void>;
};

/**
 * Hands sessions to a sink, one at a time, and again when they grew meanwhile. What failed is kept
 * for the next time somebody asks whether all is saved.
 */
export class Saver {
  readonly #sink: SessionSink | undefined;
  readonly #changed: Set<SessionLog> = new Set();
  /** What a round that is under way took. */
  #saving: readonly SessionLog[] = [];
  /** Logs that are tried again. */
  readonly #failed: Set<SessionLog> = new Set();
  /** What the last save of a log threw. */
  readonly #errors: WeakMap<SessionLog, unknown> = new WeakMap();
  /** Which log has taken the place of one, with all it holds. */
  readonly #successors: WeakMap<SessionLog, SessionLog> = new WeakMap();
  /** Logs whose failure was thrown. */
  readonly #told: WeakSet<SessionLog> = new WeakSet();
  readonly #handedOut: WeakSet<SessionLog> = new WeakSet();
  /** Sessions that were handed out and are not saved. */
  readonly #unsaved: Set<string> = new Set();
  /** Settles with the last round that is to be. */
  #rounds: Promise<void> = Promise.resolve();

  constructor(sink: SessionSink | undefined) {
    this.#sink = sink;
  }

  /** Says that a session grew; it is saved after this turn of the event loop. */
  note(log: SessionLog): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    // A round takes all that changes before it begins.
    if (this.#changed.size === 0) this.#rounds = this.#rounds.then(() => this.#save(sink));
    this.#changed.add(log);
  }

  /** Says that a session was taken up: what failed of it before is what the sink has, or given up. */
  resumed(log: SessionLog): void {
    const { id } = log.session;
    for (const other of this.#failed) if (other.session.id === id) this.#giveUp(other);
    for (const other of [...this.#saving, ...this.#changed]) {
      if (other.session.id === id && holds(log, other)) this.#successors.set(other, log);
    }
    if (this.#unsaved.delete(id)) this.note(log);
  }

  /** Says that a session was handed out: what fails of it is thrown once, and tried no more. */
  handedOut(log: SessionLog): void {
    this.#handedOut.add(log);
    if (this.#told.has(log) && this.#failed.has(log)) this.#giveUp(log);
  }

  /**
   * Waits until all that was noted is saved; what failed is tried once more. What is noted later has
   * another to wait for it.
   *
   * @throws What the sink threw, or an `AggregateError` where several sessions failed.
   */
  async settled(): Promise<void> {
    // Who asked before is told first, and what was handed out is given up then.
    const asked = new Set(this.#failed);
    await this.#rounds;
    const failed = [...this.#failed];
    for (const log of failed) this.note(log);
    if (failed.length > 0) await this.#rounds;
    for (const log of [...failed, ...this.#failed]) asked.add(log);
    const thrown = [...asked].flatMap((log) => {
      return this.#errors.has(log) ? [this.#errors.get(log)] : [];
    });
    for (const log of this.#failed) {
      this.#told.add(log);
      if (this.#handedOut.has(log)) this.#giveUp(log);
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
        this.#told.delete(log);
      } catch (error) {
        // Tried again behind the log that goes on from it, it would be at odds with that.
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

/** True where all messages of a log are in another one too. */
function holds(log: SessionLog, other: SessionLog): boolean {
  const ids = new Set(log.content().messages.map(({ id }) => id));
  return other.content().messages.every(({ id }) => ids.has(id));
}
