import { messageOf, type Session } from "@pond/canonical";
import { and, eq, oneOf, type Row, type Store } from "@pond/substrate";
import { lastOrdinal } from "../revisions/place-between.ts";
import {
  type Change,
  type Incoming,
  type LiveMessage,
  liveMessages,
  reconcile,
} from "../revisions/reconcile.ts";
import { revisionRow, tombstoneRow } from "../revisions/revisions.ts";
import {
  type SessionState,
  sessionDigest,
  sessionRevisionRow,
} from "../revisions/session-revisions.ts";
import type { FoundMessage } from "../revisions/stored-messages.ts";
import { readableOptions } from "../rows/from-rows.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { bagOf } from "../rows/option-bag.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import { appendedWindows } from "../search/appended-windows.ts";
import { sessionWindows } from "../search/session-windows.ts";
import { changedWindows } from "../search/window-rows.ts";
import { type Window, type WindowPiece, windowPiece } from "../search/windows.ts";
import type { Batch } from "./batch.ts";
import { absentParts, type DamagedMessage } from "./damaged.ts";
import type { Gathered } from "./gathered.ts";
import { digestOfIds, type Held, heldNow, type Place } from "./place.ts";
import type { SessionWriter } from "./session-writer.ts";

/** What the store holds of a session. */
export type Known = {
  readonly live: Map<string, LiveMessage>;
  readonly state: SessionState;
  /** Numbers of the rows, by id. */
  readonly rows: ReadonlyMap<string, bigint>;
  /** Ids of the rows that have a text to search. */
  readonly searchable: readonly string[];
  /** Messages that other clients have in sessions of their own that have the same id. */
  readonly idsOfOthers: ReadonlySet<string>;
  /** Messages that are not what was written, by id. Their digest in `live` equals none. */
  readonly damaged?: ReadonlyMap<string, DamagedMessage> | undefined;
  /** When the newest of the rows was added. */
  readonly addedAt: number;
  /** What was shown when this place of it was read the last time, as the rows say now. */
  readonly shownThen: readonly string[];
};

/**
 * Writes what became of a session that is stored: new messages, and carriers for those that
 * changed, moved or disappeared. Of messages stored as they are it keeps the digest only.
 */
export class KnownSession implements SessionWriter {
  heldBytes = 0;
  readonly #store: Store;
  readonly #session: Session;
  readonly #gathered: Gathered;
  readonly #live: Map<string, LiveMessage>;
  readonly #state: SessionState;
  readonly #rows: ReadonlyMap<string, bigint>;
  readonly #searchable: readonly string[];
  readonly #idsOfOthers: ReadonlySet<string>;
  readonly #damaged: ReadonlyMap<string, DamagedMessage>;
  readonly #addedAt: number;
  /** Ids of what was shown before. */
  readonly #before: readonly string[];
  readonly #shownThen: readonly string[];
  readonly #seen: Incoming[] = [];
  readonly #pieces: WindowPiece[] = [];
  /** Messages that the store does not hold so, by position. */
  readonly #changed: Map<number, PreparedMessage> = new Map();
  /** Behind all that was there before. */
  readonly #tail: bigint;
  #isFlushed = false;
  #isSourceSame = true;

  constructor(store: Store, session: Session, gathered: Gathered, known: Known) {
    const { live, state, rows, searchable, idsOfOthers, damaged = new Map() } = known;
    this.#store = store;
    this.#session = session;
    this.#gathered = gathered;
    this.#live = live;
    this.#state = state;
    this.#rows = rows;
    this.#searchable = searchable;
    this.#idsOfOthers = idsOfOthers;
    this.#damaged = damaged;
    this.#addedAt = known.addedAt;
    this.#before = shownIn(live);
    this.#shownThen = known.shownThen;
    this.#tail = lastOrdinal(live);
  }

  add(message: PreparedMessage): void {
    const { header } = message;
    const digest = this.#digestOf(message);
    if (this.#live.get(header.id)?.digest !== digest) {
      this.#changed.set(this.#seen.length, message);
      this.heldBytes += message.bytes;
    }
    this.#seen.push({ id: header.id, digest, timestamp: header.timestamp });
    const piece = windowPiece(message);
    const { text, title, isBoundary } = piece;
    if (text !== null || title !== undefined || isBoundary) this.#pieces.push(piece);
  }

  /** What the source lacks of a message by now was stored, if it was stored (`session-durable-copy`). */
  #digestOf({ header: { id }, digest, isLacking }: PreparedMessage): string {
    const isKept = isLacking && !this.#damaged.has(id);
    return (isKept && this.#live.get(id)?.digest) || digest;
  }

  /**
   * Writes what changed so far, to keep memory bounded: new messages where they belong as far as
   * that is known yet. What is in the way is moved when the whole order is known. One change waits
   * for the windows: where this breaks off before them, the next read finds it and makes them anew.
   */
  async flush(batch: Batch): Promise<void> {
    if (this.#changed.size === 0) return;
    const isNewest = this.#gathered.place?.isNewest() ?? true;
    const mayRevise = await this.#mayRevise();
    const ordinals = this.#newPlaces();
    // Not all is read: it may yet prove the newest.
    const writable = [...this.#changed].filter(
      ([, { header }]) => isNewest || !this.#live.has(header.id),
    );
    // New messages at the end alone would not show that the windows of others are to be made.
    const waiting =
      writable.findLast(([, { header }]) => this.#live.has(header.id)) ?? writable.at(-1);
    for (const each of writable) {
      if (each === waiting) continue;
      const [position, { header, digest }] = each;
      const { id, timestamp } = header;
      const previous = this.#live.get(id);
      const ordinal = ordinals.get(position) ?? previous?.ordinal ?? 0n;
      if (previous === undefined) {
        this.#apply(batch, { kind: "insert", position, ordinal });
        this.#live.set(id, { id, ordinal, timestamp, digest, revision: 0n, rowId: id });
        this.#changed.delete(position);
        continue;
      }
      const change = { kind: "revise", position, ordinal, previous } as const;
      // Else it is deferred in the end, and its value is not needed.
      if (mayRevise) this.#live.set(id, this.#apply(batch, change) ?? previous);
      this.#changed.delete(position);
    }
    this.#isFlushed = true;
    this.heldBytes = 0;
  }

  /** Once the source has changed, all is deferred: values that were put off are not held any more. */
  async #mayRevise(): Promise<boolean> {
    this.#isSourceSame &&= await this.#gathered.hooks.isUnchanged();
    return this.#isSourceSame;
  }

  /** Places for what has none, by position. */
  #newPlaces(): Map<number, bigint> {
    const [first = 0] = this.#changed.keys();
    // With the one before, which has its place.
    const from = Math.max(0, first - 1);
    const atFirst = this.#gathered.place ? "beginning" : "part";
    const reach = from === 0 ? atFirst : "middle";
    const seen = this.#seen.slice(from);
    const places = new Map<number, bigint>();
    for (const change of reconcile(this.#live, seen, { mayRemove: false, reach })) {
      if (change.kind === "insert" || (change.kind === "revise" && change.previous.digest === null))
        places.set(from + change.position, change.ordinal);
    }
    return places;
  }

  async finish(batch: Batch, isWhole: boolean): Promise<void> {
    const { outcome, place } = this.#gathered;
    const seen = new Set(this.#seen.map(({ id }) => id));
    const isNewest = place?.isNewest() ?? true;
    const others = this.#others(seen);
    const reach = place ? "whole" : "part";
    const all = reconcile(this.#live, this.#seen, { mayRemove: isWhole, reach });
    const allowed = all.filter((each) =>
      // What is kept in a session of its own was put into this one by mistake.
      each.kind === "remove"
        ? (isNewest && !others.has(each.previous.id)) || this.#idsOfOthers.has(each.previous.id)
        : isNewest || this.#isMissing(each),
    );
    const changes = await withoutSideFiles(this.#store, this.#session.id, allowed);
    // Asked after the stored rows were loaded: a process that stored a later state of the source
    // had read it before, and then the source is no longer what this one read.
    const isOther = isNewest && sessionDigest(this.#session) !== this.#state.digest;
    const mayRevise =
      (!isOther && changes.every(({ kind }) => kind === "insert")) || (await this.#mayRevise());
    if (isOther && mayRevise) this.#reviseSession(batch);
    else if (isOther) outcome.deferred += 1;
    const made = mayRevise ? changes : changes.filter(({ kind }) => kind === "insert");
    outcome.deferred += changes.length - made.length;
    const ordinals = new Map<string, bigint>();
    for (const change of made) {
      this.#apply(batch, change);
      if (change.kind === "remove") this.#live.delete(change.previous.id);
      else ordinals.set(this.#seen[change.position]?.id ?? "", change.ordinal);
    }
    if (place) {
      const shown = [...shownIn(this.#live), ...ordinals.keys()];
      const addedAt = Math.max(this.#addedAt, Number(outcome.added_at ?? 0n));
      outcome.held = heldNow(shown, others, addedAt);
    }
    if (made.length === 0 && !this.#isFlushed) return;
    const isShown = isNewest && mayRevise;
    batch.addWindows(this.#gathered, await this.#windowsOf(made, ordinals, isShown));
  }

  /** What is shown though this source lacks it and is not known to have held it. */
  #others(seen: ReadonlySet<string>): Set<string> {
    const lacking = this.#before.filter((id) => !seen.has(id));
    if (lacking.length === 0) return new Set();
    const held = this.#gathered.place?.held;
    if (held === "all") return new Set();
    const ids = held ? this.#idsHeld(held) : new Set();
    return new Set(lacking.filter((id) => !ids.has(id)));
  }

  /** What this place held when it was read the last time, where the rows still tell. */
  #idsHeld(held: Held): Set<string> {
    if (held.digest !== digestOfIds(this.#shownThen)) return new Set();
    const others = new Set(held.others);
    return new Set(this.#shownThen.filter((id) => !others.has(id)));
  }

  /** True for what the store lacks: a message, or what was written of one that is damaged. */
  #isMissing(change: Exclude<Change, { readonly kind: "remove" }>): boolean {
    if (change.kind === "insert") return true;
    const written = this.#damaged.get(change.previous.id)?.row["digest"];
    return change.kind === "revise" && written === this.#seen[change.position]?.digest;
  }

  /**
   * The windows to write, now that these changes were made.
   *
   * @param isShown - What was read is what is shown now; else it is only where it is new.
   */
  async #windowsOf(
    changes: readonly Change[],
    ordinals: ReadonlyMap<string, bigint>,
    isShown: boolean,
  ): Promise<Window[]> {
    const { labels } = this.#gathered;
    if (!this.#isFlushed && changes.every((each) => isAppended(each, this.#tail))) {
      // The titles of a session that an earlier version stored have no windows yet.
      const added = this.#pieces.filter(({ id, title }) => ordinals.has(id) || title !== undefined);
      const known = { live: this.#live, rows: this.#rows, searchable: this.#searchable };
      const windows = await appendedWindows(this.#store, labels, known, added);
      if (windows !== undefined) return windows;
    }
    const pieces = isShown ? this.#pieces : this.#pieces.filter(({ id }) => !this.#rows.has(id));
    const windows = await sessionWindows(
      this.#store,
      labels,
      pieces,
      (id) => ordinals.get(id) ?? this.#live.get(id)?.ordinal ?? 0n,
      isShown ? this.#retained() : this.#before,
    );
    return changedWindows(this.#store, labels, windows);
  }

  #reviseSession(batch: Batch): void {
    const { labels, outcome } = this.#gathered;
    const row = sessionRevisionRow(labels, this.#state, this.#session, batch.ingestedAt);
    batch.addCarrier(this.#gathered, row);
    outcome.revisions += 1;
  }

  /** Messages that are shown though this read did not have them. */
  #retained(): string[] {
    const seen = new Set(this.#seen.map(({ id }) => id));
    return shownIn(this.#live).filter((id) => !seen.has(id));
  }

  /** @returns What the message is then, where it was stored before. */
  #apply(batch: Batch, change: Change): LiveMessage | undefined {
    const { labels, outcome } = this.#gathered;
    const { ingestedAt } = batch;
    if (change.kind === "remove") {
      const { created_at: timestamp } = this.#session;
      const row = tombstoneRow(labels, change.previous, timestamp, ingestedAt);
      batch.addCarrier(this.#gathered, row);
      outcome.tombstones += 1;
      return undefined;
    }
    const message = this.#changed.get(change.position);
    if (change.kind === "insert") {
      if (message) batch.addMessage(this.#gathered, message, change.ordinal);
      return undefined;
    }
    const seen = this.#seen[change.position];
    if (seen === undefined) return undefined;
    const { previous, ordinal } = change;
    const damaged = message && this.#damaged.get(previous.id);
    // What was written is what the source still says; else it is a revision like others.
    const isMended = damaged?.row["digest"] === seen.digest;
    if (isMended) outcome.mended += 1;
    const absent = damaged && absentParts(damaged, message);
    if (absent && ordinal === previous.ordinal) {
      batch.addAbsentParts(this.#gathered, message, absent);
      return { ...previous, digest: seen.digest };
    }
    const value = message && messageOf(message.header, message.parts);
    const state = { ...seen, ordinal, message: value, isMended };
    const row = revisionRow(labels, previous, state, ingestedAt);
    batch.addCarrier(this.#gathered, row);
    outcome.revisions += 1;
    const { digest } = seen;
    const revision = previous.revision + 1n;
    return { ...previous, ordinal, digest, revision, rowId: String(row["id"]) };
  }
}

/**
 * Without the removal of files that a client keeps beside a log: it deletes those by their age, while
 * the session goes on (`session-durable-copy`).
 */
async function withoutSideFiles(
  store: Store,
  sessionId: string,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const removed = changes.flatMap((each) => (each.kind === "remove" ? [each.previous.id] : []));
  const sideFiles = new Set<string>();
  for (const ids of idChunks(removed)) {
    const where = and(eq("session_id", sessionId), oneOf("id", ids));
    const rows = await store.table("messages").rows({ columns: ["id", "options"], where });
    for (const row of rows) {
      if (isSideFile(row)) sideFiles.add(String(row["id"]));
    }
  }
  return changes.filter((each) => each.kind !== "remove" || !sideFiles.has(each.previous.id));
}

function isSideFile(row: Row): boolean {
  return bagOf(readableOptions(row) ?? {}, "source")["sidecar"] !== undefined;
}

/** When the newest row was added, in microseconds: a number, exact for centuries. */
export function newestOf(rows: readonly FoundMessage[]): number {
  return rows.reduce((newest, { ingestedAt }) => Math.max(newest, Number(ingestedAt)), 0);
}

/** What was shown when a place was read the last time, where it is known to have held any of it. */
export function shownWhenRead(rows: readonly FoundMessage[], place: Place | undefined): string[] {
  const held = place?.held;
  if (held === undefined || held === "all") return [];
  return shownIn(liveMessages(rows.filter(({ ingestedAt }) => ingestedAt <= held.addedAt)));
}

/** Ids of the messages that no tombstone covers. */
function shownIn(live: ReadonlyMap<string, LiveMessage>): string[] {
  return [...live.values()].flatMap(({ id, digest }) => (digest === null ? [] : [id]));
}

/** True for a message that comes behind all that were there. */
function isAppended(change: Change, tail: bigint): boolean {
  return change.kind === "insert" && change.ordinal > tail;
}
