import { recordCountOf } from "@pond/canonical";
import { measureFiles, type RecordOutcome } from "@pond/canonical/adapter";
import type { Dialect } from "./dialect.ts";
import { type LogOptions, readLog } from "./head.ts";

/** Tells whether an entry was copied from a log. */
export type Entries = {
  readonly ids: ReadonlySet<unknown>;
  /** False if some of them are damaged. */
  readonly isWhole: boolean;
  /** True if it cannot be read further. */
  readonly isBroken: boolean;
};

/** The entries of logs that others were cut from. */
export class OriginEntries {
  // Forks of one session, and agents that were translated with it, are read one after the other.
  #last: { readonly log: string; readonly state: string; readonly entries: Entries } | undefined;

  async of(log: string, dialect: Dialect, options: LogOptions): Promise<Entries> {
    const { fingerprint: state } = measureFiles(log, []);
    if (this.#last?.log === log && this.#last.state === state) return this.#last.entries;
    const entries = await entriesIn(log, dialect, options);
    this.#last = { log, state, entries };
    return entries;
  }
}

async function entriesIn(log: string, dialect: Dialect, options: LogOptions): Promise<Entries> {
  const ids = new Set<unknown>();
  let isWhole = true;
  for await (const batch of readLog(log, dialect, options)) {
    for (const event of batch) {
      if (isUnpackFault(event)) return { ids, isWhole, isBroken: true };
      if (event.kind === "record") ids.add(event.record.peek("id"));
      else if (recordCountOf(event) > 0) isWhole = false;
    }
  }
  return { ids, isWhole, isBroken: false };
}

/** True if an archived log cannot be unpacked further: what was copied after that is not known. */
export function isUnpackFault(event: RecordOutcome): boolean {
  return event.kind === "fault" && event.fault.details.record === "file";
}
