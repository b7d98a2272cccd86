import type { SessionContent } from "@pond/canonical/adapter";
import { countKept, keptSoFar } from "./kept-so-far.ts";
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
  #running: Promise<void> | undefined;

  constructor(sink: SessionSink | undefined) {
    this.#sink = sink;
  }

  /** Says that a session grew; it is saved after this turn of the event loop. */
  note(log: SessionLog): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    for (const other of this.#failed.keys()) if (isPartOf(other, log)) this.#failed.delete(other);
    this.#changed.add(log);
    this.#running ??= this.#run(sink);
  }

  /**
   * Waits until all that was noted is saved; what failed is tried once more.
   *
   * @throws What the sink threw, or an `AggregateError` where several sessions failed.
   */
  async settled(): Promise<void> {
    await this.#running;
    for (const log of this.#failed.keys()) this.note(log);
    await this.#running;
    const [first, ...others] = this.#failed.values();
    if (others.length > 0) throw new AggregateError([first, ...others], "sessions were not saved");
    if (this.#failed.size > 0) throw first;
  }

  async #run(sink: SessionSink): Promise<void> {
    await Promise.resolve();
    for (const log of this.#changed) {
      this.#changed.delete(log);
      try {
        await sink.save(log.content());
        this.#failed.delete(log);
      } catch (error) {
        this.#failed.set(log, error);
      }
    }
    this.#running = undefined;
  }
}

/** True where a session was taken up from the other log: with it all of that is saved. */
function isPartOf(other: SessionLog, log: SessionLog): boolean {
  if (other === log || other.session.id !== log.session.id) return false;
  const content = other.content();
  return countKept(log.content(), keptSoFar(content, content.messages.length)) > 0;
}
