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
  readonly #failed: Map<SessionLog, unknown> = new Map();
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
    for (const other of this.#failed.keys()) if (other.session.id === id) this.#giveUp(other);
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
    await this.#rounds;
    if (this.#failed.size === 0) return;
    for (const log of this.#failed.keys()) this.note(log);
    await this.#rounds;
    const thrown = [...this.#failed.values()];
    for (const log of this.#failed.keys()) {
      this.#told.add(log);
      if (this.#handedOut.has(log)) this.#giveUp(log);
    }
    if (thrown.length > 1) throw new AggregateError(thrown, "sessions were not saved");
    if (thrown.length > 0) throw thrown[0];
  }

  async #save(sink: SessionSink): Promise<void> {
    const logs = [...this.#changed];
    this.#changed.clear();
    for (const log of logs) {
      // What it grew by while others were saved is saved with it.
      this.#changed.delete(log);
      try {
        await sink.save(log.content());
        this.#failed.delete(log);
        this.#told.delete(log);
      } catch (error) {
        this.#failed.set(log, error);
      }
    }
  }

  #giveUp(log: SessionLog): void {
    this.#failed.delete(log);
    this.#unsaved.add(log.session.id);
  }
}
