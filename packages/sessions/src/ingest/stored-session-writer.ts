import { messageOf, type Session } from "@pond/canonical";
import type { Store } from "@pond/substrate";
import {
  type Change,
  type IncomingMessage,
  type LiveMessage,
  reconcile,
  sessionItself,
} from "../revisions/reconcile.ts";
import { revisionRow, tombstoneRow } from "../revisions/revisions.ts";
import { sessionDigest, sessionRevisionRow } from "../revisions/session-revisions.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import { allowedChanges, idsHeldElsewhere } from "./allowed-changes.ts";
import type { Batch } from "./batch.ts";
import { missingPartPositions } from "./damaged.ts";
import type { IncomingSession } from "./incoming-session.ts";
import { type SessionSnapshot, shownIn } from "./session-snapshot.ts";
import type { SessionWriter } from "./session-writer.ts";
import { heldAfterRead } from "./source-place.ts";
import { storedOptions } from "./stored-options.ts";
import { WindowUpdate } from "./window-update.ts";

const doubtfulAtOnce = 250;

/**
 * Writes what became of a stored session: new messages, and carriers for those that changed, moved
 * or disappeared. For messages that are stored as they are, it keeps only the digest.
 */
export class StoredSessionWriter implements SessionWriter {
  heldBytes = 0;
  readonly #store: Store;
  readonly #session: Session;
  readonly #incoming: IncomingSession;
  readonly #snapshot: SessionSnapshot;
  readonly #windows: WindowUpdate;
  readonly #seen: IncomingMessage[] = [];
  /** Messages that the store does not hold in this form, by position. */
  #changed: Map<number, PreparedMessage> = new Map();
  /** Messages that lack something that the store may hold, by position. */
  readonly #doubtful: Map<number, PreparedMessage> = new Map();
  #isFlushed = false;
  /** True if a value was read that was replaced since this place agreed with the store. */
  #isBehind = false;
  /** The time of the last message that was read. */
  #newest = 0n;
  #isSourceSame = true;

  constructor(
    store: Store,
    session: Session,
    incoming: IncomingSession,
    snapshot: SessionSnapshot,
  ) {
    this.#store = store;
    this.#session = session;
    this.#incoming = incoming;
    this.#snapshot = snapshot;
    this.#windows = new WindowUpdate(store, snapshot);
    this.#note(sessionItself, sessionDigest(session));
  }

  add(message: PreparedMessage): void {
    const { header } = message;
    const digest = this.#digestOf(message);
    const stored = this.#snapshot.live.get(header.id);
    if (header.timestamp > this.#newest) this.#newest = header.timestamp;
    if (message.isStoredComplete && digest !== message.digest) {
      this.#doubtful.set(this.#seen.length, message);
      this.heldBytes += message.bytes;
      this.#seen.push({ id: header.id, digest, timestamp: header.timestamp });
      return;
    }
    if (stored?.digest === digest) {
      // The stored values themselves: for 190,000 messages a second copy takes 37 MB.
      const { id, digest, timestamp } = stored;
      this.#seen.push({ id, digest, timestamp });
    } else {
      this.#changed.set(this.#seen.length, message);
      this.heldBytes += message.bytes;
      this.#seen.push({ id: header.id, digest, timestamp: header.timestamp });
    }
    this.#note(header.id, digest);
    this.#windows.add(message, stored?.digest === digest);
  }

  #note(id: string, digest: string): void {
    this.#noteReplaced(this.#snapshot.former.get(id)?.get(digest));
  }

  /** Before its source lacked something, what was read may have been any of the former values. */
  #noteAllFormer(id: string): void {
    for (const replacedAt of this.#snapshot.former.get(id)?.values() ?? []) {
      this.#noteReplaced(replacedAt);
    }
  }

  #noteReplaced(at: number | undefined): void {
    const agreedAt = this.#incoming.place?.agreedAt;
    if (agreedAt !== undefined && at !== undefined && at > agreedAt) this.#isBehind = true;
  }

  /** True for a copy from before what is stored, on this machine or another. */
  #isOlder(): boolean {
    const { newest } = this.#snapshot;
    const hasNeverAgreed = this.#incoming.place?.agreedAt === 0 && !this.#snapshot.isVerified;
    // In a session that comes for the first time, nobody edited a value back.
    return this.#isBehind && (hasNeverAgreed ? this.#newest <= newest : this.#newest < newest);
  }

  #isNewest(): boolean {
    return (this.#incoming.place?.isNewest() ?? true) && !this.#isOlder();
  }

  /**
   * What the source now lacks of a message counts as stored, if it was stored
   * (`session-durable-copy`).
   */
  #digestOf({ header: { id }, digest, isIncomplete }: PreparedMessage): string {
    const isKept = isIncomplete && !this.#snapshot.damaged.has(id);
    return (isKept && this.#snapshot.live.get(id)?.digest) || digest;
  }

  /**
   * Looks up which of the messages that lack something the store holds whole: those stay as they
   * are.
   */
  async #settleDoubtful(): Promise<void> {
    if (this.#doubtful.size === 0) return;
    const doubtful = [...this.#doubtful];
    this.#doubtful.clear();
    while (doubtful.length > 0) {
      const some = doubtful.splice(0, doubtfulAtOnce);
      const ids = some.map(([, { header }]) => header.id);
      const stored = await storedOptions(
        this.#store,
        this.#session.id,
        ids,
        this.#snapshot.valueCarriers,
      );
      for (const [position, message] of some) {
        const { id, timestamp } = message.header;
        const value = stored.get(id);
        // Something unreadable may hold it.
        const isKept = value === undefined || message.isStoredComplete?.(value) === true;
        const digest = isKept ? this.#digestOf(message) : message.digest;
        this.#seen[position] = { id, digest, timestamp };
        if (isKept) this.#note(id, digest);
        else {
          this.#changed.set(position, message);
          this.#noteAllFormer(id);
        }
        this.#windows.addLate(message, isKept);
      }
    }
    this.#changed = new Map([...this.#changed].sort(([left], [right]) => left - right));
  }

  /**
   * Writes the changes so far, to limit memory: new messages where they belong as far as that is
   * known yet. What is in the way is moved when the whole order is known. One change waits for the
   * windows: if this breaks off before them, the next read finds it and makes them anew.
   */
  async flush(batch: Batch): Promise<void> {
    await this.#settleDoubtful();
    this.heldBytes = 0;
    if (this.#changed.size === 0) return;
    const { live } = this.#snapshot;
    const isNewest = this.#isNewest();
    const mayRevise = await this.#mayRevise();
    const ordinals = this.#newOrdinals();
    // Not everything is read: it may yet prove to be the newest.
    const writable = [...this.#changed].filter(
      ([, { header }]) => isNewest || !live.has(header.id),
    );
    // New messages at the end alone would not show that the windows of others have to be made.
    const waiting = writable.findLast(([, { header }]) => live.has(header.id)) ?? writable.at(-1);
    for (const each of writable) {
      if (each === waiting) continue;
      const [position, { header, digest }] = each;
      const { id, timestamp } = header;
      const previous = live.get(id);
      const ordinal = ordinals.get(position) ?? previous?.ordinal ?? 0n;
      if (previous === undefined) {
        this.#apply(batch, { kind: "insert", position, ordinal });
        live.set(id, { id, ordinal, timestamp, digest, revision: 0n, rowId: id });
        this.#changed.delete(position);
        continue;
      }
      const change = { kind: "revise", position, ordinal, previous } as const;
      // Otherwise it is deferred in the end, and its value is not needed.
      if (mayRevise) live.set(id, this.#apply(batch, change) ?? previous);
      this.#changed.delete(position);
    }
    this.#isFlushed = true;
  }

  /**
   * Once the source has changed, everything is deferred: values that were deferred are not held any
   * more.
   */
  async #mayRevise(): Promise<boolean> {
    this.#isSourceSame &&= await this.#incoming.hooks.isUnchanged();
    return this.#isSourceSame;
  }

  /** Places for the messages without one, by position. */
  #newOrdinals(): Map<number, bigint> {
    const [first = 0] = this.#changed.keys();
    // Together with the one before, which has its place.
    const from = Math.max(0, first - 1);
    const atFirst = this.#incoming.place ? "beginning" : "part";
    const coverage = from === 0 ? atFirst : "middle";
    const seen = this.#seen.slice(from);
    const places = new Map<number, bigint>();
    for (const change of reconcile(this.#snapshot.live, seen, { mayRemove: false, coverage })) {
      if (change.kind === "insert" || (change.kind === "revise" && change.previous.digest === null))
        places.set(from + change.position, change.ordinal);
    }
    return places;
  }

  async finish(batch: Batch, isWhole: boolean): Promise<void> {
    await this.#settleDoubtful();
    const { outcome, place } = this.#incoming;
    const { live, addedAt } = this.#snapshot;
    const seen = new Set(this.#seen.map(({ id }) => id));
    const isNewest = this.#isNewest();
    const heldElsewhere = idsHeldElsewhere(this.#snapshot, place, seen);
    const coverage = place ? "whole" : "part";
    const all = reconcile(live, this.#seen, { mayRemove: isWhole, coverage });
    const read = { snapshot: this.#snapshot, seen: this.#seen, heldElsewhere, isNewest };
    const changes = await allowedChanges(this.#store, this.#session.id, all, read);
    // Checked after the stored rows were loaded: a process that stored a later state of the source
    // had read it before, and then the source is no longer what was read here.
    const isOther = isNewest && sessionDigest(this.#session) !== this.#snapshot.state.digest;
    const mayRevise =
      (!isOther && changes.every(({ kind }) => kind === "insert")) || (await this.#mayRevise());
    if (isOther && mayRevise) this.#reviseSession(batch);
    else if (isOther) outcome.deferred += 1;
    const made = mayRevise ? changes : changes.filter(({ kind }) => kind === "insert");
    outcome.deferred += changes.length - made.length;
    const ordinals = new Map<string, bigint>();
    for (const change of made) {
      this.#apply(batch, change);
      if (change.kind === "remove") live.delete(change.previous.id);
      else ordinals.set(this.#seen[change.position]?.id ?? "", change.ordinal);
    }
    if (place) {
      const shown = [...shownIn(live), ...ordinals.keys()];
      const now = Math.max(addedAt, Number(outcome.added_at.messages ?? 0n));
      outcome.held = heldAfterRead(shown, heldElsewhere, now);
      outcome.agreed_at = this.#isOlder() ? place.agreedAt : now;
    }
    if (made.length === 0 && !this.#isFlushed) return;
    const isShown = isNewest && mayRevise;
    const written = { changes: made, ordinals, seen, isShown, isFlushed: this.#isFlushed };
    batch.addWindows(
      this.#incoming,
      await this.#windows.windowsToWrite(this.#incoming.labels, written),
    );
  }

  #reviseSession(batch: Batch): void {
    const { labels, outcome } = this.#incoming;
    const row = sessionRevisionRow(labels, this.#snapshot.state, this.#session, batch.ingestedAt);
    batch.addCarrier(this.#incoming, row);
    outcome.revisions += 1;
  }

  /** @returns The new state of the message, if it was stored before. */
  #apply(batch: Batch, change: Change): LiveMessage | undefined {
    const { labels, outcome } = this.#incoming;
    const { ingestedAt } = batch;
    if (change.kind === "remove") {
      const { created_at: timestamp } = this.#session;
      const row = tombstoneRow(labels, change.previous, timestamp, ingestedAt);
      batch.addCarrier(this.#incoming, row);
      outcome.tombstones += 1;
      return undefined;
    }
    const message = this.#changed.get(change.position);
    if (change.kind === "insert") {
      if (message) batch.addMessage(this.#incoming, message, change.ordinal);
      return undefined;
    }
    const seen = this.#seen[change.position];
    if (seen === undefined) return undefined;
    const { previous, ordinal } = change;
    const damaged = message && this.#snapshot.damaged.get(previous.id);
    // What was written is what the source still says; otherwise it is a revision like others.
    const isMended = damaged?.row["digest"] === seen.digest;
    if (isMended) outcome.mended += 1;
    const absent = damaged && missingPartPositions(damaged, message);
    if (absent && ordinal === previous.ordinal) {
      batch.addAbsentParts(this.#incoming, message, absent);
      return { ...previous, digest: seen.digest };
    }
    const value = message && messageOf(message.header, message.parts);
    const state = { ...seen, ordinal, message: value, isMended };
    const row = revisionRow(labels, previous, state, ingestedAt);
    batch.addCarrier(this.#incoming, row);
    outcome.revisions += 1;
    const { digest } = seen;
    const revision = previous.revision + 1n;
    return { ...previous, ordinal, digest, revision, rowId: String(row["id"]) };
  }
}
