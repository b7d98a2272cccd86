import type { ImportCounts, SyncProgress } from "./progress.ts";

// Reporting each message would cost more than reading some of them.
const messagesPerReport = 250;

type Counts = { -readonly [Name in keyof ImportCounts]: ImportCounts[Name] };

/** What is going to be read of one source. */
type Work = {
  readonly source: { readonly adapter: string };
  readonly changed: { readonly length: number; readonly bytes: number };
};

/** Adds up what an import has done and reports it. */
export class Tracker {
  readonly #all = zeroCounts();
  readonly #byAdapter = new Map<string, Counts>();
  readonly #onProgress: (progress: SyncProgress) => void;

  /** Reports at once what every adapter has to do. */
  constructor(works: readonly Work[], onProgress: (progress: SyncProgress) => void) {
    this.#onProgress = onProgress;
    for (const { source, changed } of works) {
      if (changed.length === 0) continue;
      const { bytes } = changed;
      for (const counts of [this.#all, this.#of(source.adapter)]) {
        counts.sessionsTotal += changed.length;
        counts.bytesTotal += bytes;
      }
    }
    for (const adapter of this.#byAdapter.keys()) this.#report(adapter);
  }

  message(adapter: string): void {
    this.#of(adapter).messagesRead += 1;
    this.#all.messagesRead += 1;
    if (this.#all.messagesRead % messagesPerReport === 0) this.#report(adapter);
  }

  /** Notes that one session is read. */
  finish(adapter: string, bytes: number): void {
    for (const counts of [this.#all, this.#of(adapter)]) {
      counts.sessionsDone += 1;
      counts.bytesDone += bytes;
    }
    this.#report(adapter);
  }

  #of(adapter: string): Counts {
    const known = this.#byAdapter.get(adapter) ?? zeroCounts();
    this.#byAdapter.set(adapter, known);
    return known;
  }

  #report(adapter: string): void {
    const ofAdapter = { ...this.#of(adapter) };
    this.#onProgress({ stage: "import", adapter, ...this.#all, ofAdapter });
  }
}

function zeroCounts(): Counts {
  return { sessionsDone: 0, sessionsTotal: 0, bytesDone: 0, bytesTotal: 0, messagesRead: 0 };
}
