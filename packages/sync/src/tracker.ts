import type { SyncProgress } from "./progress.ts";

// Telling each message would cost more than reading some of them.
const messagesBetween = 250;

/** Adds up what an import has done and tells it. */
export class Tracker {
  readonly #totals: { readonly sessionsTotal: number; readonly bytesTotal: number };
  readonly #tell: (progress: SyncProgress) => void;
  #sessionsDone = 0;
  #bytesDone = 0;
  #messagesRead = 0;

  constructor(
    totals: { readonly sessionsTotal: number; readonly bytesTotal: number },
    tell: (progress: SyncProgress) => void,
  ) {
    this.#totals = totals;
    this.#tell = tell;
  }

  message(adapter: string): void {
    this.#messagesRead += 1;
    if (this.#messagesRead % messagesBetween === 0) this.#report(adapter);
  }

  /** One session is read. */
  finish(adapter: string, bytes: number): void {
    this.#sessionsDone += 1;
    this.#bytesDone += bytes;
    this.#report(adapter);
  }

  #report(adapter: string): void {
    const { sessionsTotal, bytesTotal } = this.#totals;
    this.#tell({
      stage: "import",
      adapter,
      sessionsDone: this.#sessionsDone,
      sessionsTotal,
      bytesDone: this.#bytesDone,
      bytesTotal,
      messagesRead: this.#messagesRead,
    });
  }
}
