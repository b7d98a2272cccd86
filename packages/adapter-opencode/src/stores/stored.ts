import type { FaultEvent } from "@pond/canonical";
import type { RecordCount, SourceRecord } from "@pond/canonical/adapter";

/** The kind of store that held a session. */
export type Store = "export" | "tree" | "database";

/** The shape of its records: 1 up to 1.x, 2 from 2.0 on. */
export type Schema = 1 | 2;

/**
 * One record of a store, completed to what the client would export: with the store's own ids, which
 * are in a path or a column.
 */
export type Stored = {
  readonly record: SourceRecord;
  /** What the store holds beside the record, and where its body differed from the completed one. */
  readonly row: SourceRecord | undefined;
};

/** A message with its parts, in order. */
export type StoredMessage = Stored & {
  readonly kind: "message";
  readonly schema: Schema;
  readonly parts: readonly Stored[];
  /** How many records it was made of: itself and its parts. */
  readonly records: number;
  /** True if only its parts could be read; a fault names the message itself. */
  readonly isCut?: boolean;
};

/** A list that the client keeps beside the log of a session, such as its to-dos. */
export type StoredSide = {
  readonly kind: "side";
  readonly name: string;
  /** Its only field, `value`, holds what the store has. */
  readonly record: SourceRecord;
};

/** A session as one store holds it. */
export type StoredSession = Stored & {
  readonly store: Store;
  readonly schema: Schema;
  /** Where a native restore puts it: below the client's folder, `/`-separated. */
  readonly path: string;
  /** The working directory of its project, for a session that names none. */
  readonly worktree: () => SourceRecord | undefined;
  /** Where other sessions of its project were run, if no file names the project's directory. */
  readonly siblingPaths?: () => Iterable<SourceRecord>;
  /** False for an export, in which nothing changes any more. */
  readonly isLive: boolean;
  /** The newest time in the store, in milliseconds. */
  readonly newestMs: number;
  /** In order. Lazy, because a session may be large. */
  readonly messages: (count?: RecordCount) => Iterable<StoredMessage | FaultEvent>;
  readonly sides: (count?: RecordCount) => Iterable<StoredSide | FaultEvent>;
  /** True if only its messages could be read: its record is its id, and a fault names the file. */
  readonly isCut?: boolean;
  /** What of its own record could not be read as it is stored, although the rest is kept. */
  readonly faults?: readonly FaultEvent[];
  /** The session's record of 2.x, if a 1.x session continued there. */
  readonly continued?: Continued;
  /** True if turns of 1.x and of 2.x are side by side in a session with one record. */
  readonly isMixed?: boolean;
};

/** What 2.x keeps about a session that began in 1.x. */
export type Continued = Stored & {
  /** The first message of 1.x that was taken back there before it continued. */
  readonly without?: string | undefined;
};

/** When the client last changed the session itself, in milliseconds; 0 if it does not say. */
export function updatedOf({ record }: StoredSession): number {
  const updated = record.record("time")?.peek("updated");
  return typeof updated === "number" ? updated : 0;
}
