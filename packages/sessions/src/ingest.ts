import type { ReadEvent, Session } from "@pond/canonical";
import { Batch, storedMessages } from "./batch.ts";
import { Intake } from "./intake.ts";
import type { IngestOutcome, SessionHooks } from "./outcome.ts";
import { type Change, liveMessages, ordinalGap, reconcile } from "./reconcile.ts";
import { revisionRow, tombstoneRow } from "./revisions.ts";
import type { SessionStore } from "./session-store.ts";
import { changedWindows } from "./window-rows.ts";

export type IngestOptions = {
  /** Name of this machine, kept with each session. */
  readonly host: string;
  readonly now: () => Date;
  /** How much is gathered before it is committed. Two batches are held at most. */
  readonly maxBatchBytes?: number;
};

const defaultMaxBatchBytes = 32 * 1024 * 1024;

type Known = { readonly sourceAgent: string; readonly project: string };

/** Takes sessions one after the other and stores them in large commits. */
export class Ingest {
  readonly #sessions: SessionStore;
  readonly #host: string;
  readonly #now: () => Date;
  readonly #maxBatchBytes: number;
  #known: Map<string, Known> | undefined;
  #batch: Batch;
  #writing: Promise<void> = Promise.resolve();
  #lastMicros = 0n;

  constructor(sessions: SessionStore, options: IngestOptions) {
    this.#sessions = sessions;
    this.#host = options.host;
    this.#now = options.now;
    this.#maxBatchBytes = options.maxBatchBytes ?? defaultMaxBatchBytes;
    this.#batch = this.#nextBatch();
  }

  /**
   * Takes the events of one session. What is wrong with it is in its outcome; only a store that
   * cannot be written to throws.
   */
  async session(events: AsyncIterable<ReadEvent>, hooks: SessionHooks): Promise<void> {
    this.#known ??= await this.#knownSessions();
    const intake = new Intake(hooks);
    for await (const event of events) {
      if (event.kind === "fault") intake.outcome.faults += 1;
      else if (event.kind === "pending") intake.outcome.pending += 1;
      else if (!intake.accept(event)) break;
      else if (event.kind === "session") await this.#open(intake, event.session);
      if (event.kind === "message") await this.#drain(intake);
    }
    intake.close();
    await this.#drain(intake);
    if (intake.live) await this.#finishKnown(intake, intake.live);
    else if (intake.session) this.#finishNew(intake, intake.session);
    this.#batch.finish(intake);
    if (this.#batch.bytes >= this.#maxBatchBytes) await this.#rotate();
  }

  /** Commits what is left. Call it also after a failure, to keep what was read. */
  async finish(): Promise<void> {
    await this.#rotate();
    await this.#writing;
  }

  async #open(intake: Intake, session: Session): Promise<void> {
    // The same session from a second source: what came from the first must be there to compare.
    if (this.#batch.holds(session.id)) await this.#rotate();
    await this.#settled(session.id);
    const { id: sessionId, source_agent: sourceAgent, project } = session;
    const known = this.#known?.get(sessionId);
    const { store } = this.#sessions;
    const live = known && liveMessages(await storedMessages(store, sessionId));
    // Labels are denormalised onto messages, so the first ones stay (spec 7.6).
    intake.open(session, { sessionId, sourceAgent, project, ...known }, live);
    intake.outcome.rejected =
      known !== undefined && (known.project !== project || known.sourceAgent !== sourceAgent);
  }

  /** Messages of a new session go straight on; those of a huge one in several batches. */
  async #drain(intake: Intake): Promise<void> {
    for (const message of intake.take()) {
      const ordinal = BigInt(intake.position++) * ordinalGap;
      this.#batch.addNew(intake, message, ordinal);
      this.#batch.addWindows(intake.labels, intake.windows.take());
      if (this.#batch.bytes >= this.#maxBatchBytes) await this.#rotate();
    }
  }

  #finishNew(intake: Intake, session: Session): void {
    intake.windows.close();
    this.#batch.addWindows(intake.labels, intake.windows.take());
    this.#batch.addSession(session, this.#host);
    const { source_agent: sourceAgent, project } = session;
    this.#known?.set(session.id, { sourceAgent, project });
  }

  async #finishKnown(intake: Intake, live: NonNullable<Intake["live"]>): Promise<void> {
    const { outcome, hooks, labels } = intake;
    const isWhole = outcome.faults === 0 && outcome.status !== "failed";
    const changes = reconcile(live, intake.seen, { mayRemove: isWhole && hooks.seenBefore });
    const isOnlyNew = changes.every(({ kind }) => kind === "insert");
    // Asked after the stored rows were loaded: a process that stored a later state of the source
    // had read it before, and then the source is no longer what this one read.
    const mayRevise = isOnlyNew || (await hooks.isUnchanged());
    for (const change of changes) {
      if (change.kind === "insert" || mayRevise) this.#apply(intake, change);
      else outcome.deferred += 1;
    }
    if (outcome.status !== "failed") outcome.status = statusOf(outcome);
    if (changes.length === 0) return;
    intake.windows.close();
    const windows = intake.windows.take();
    this.#batch.addWindows(labels, await changedWindows(this.#sessions.store, labels, windows));
  }

  #apply(intake: Intake, change: Change): void {
    const { labels, outcome } = intake;
    const { ingestedAt } = this.#batch;
    if (change.kind === "remove") {
      const timestamp = intake.session?.created_at ?? ingestedAt;
      this.#batch.addCarrier(tombstoneRow(labels, change.previous, timestamp, ingestedAt));
      outcome.tombstones += 1;
      return;
    }
    const message = intake.changed.get(change.position);
    if (change.kind === "insert") {
      if (message) this.#batch.addMessage(intake, message, change.ordinal);
      return;
    }
    const seen = intake.seen[change.position];
    if (seen === undefined) return;
    const { previous, ordinal } = change;
    const state = { ...seen, ordinal, message };
    this.#batch.addCarrier(revisionRow(labels, previous, state, ingestedAt));
    outcome.revisions += 1;
  }

  /** Waits where the session's rows may still be on their way. */
  async #settled(sessionId: string): Promise<void> {
    if (this.#known?.has(sessionId)) await this.#writing;
  }

  /** Starts writing the batch; at most one is being written while the next is gathered. */
  async #rotate(): Promise<void> {
    await this.#writing;
    const batch = this.#batch;
    this.#batch = this.#nextBatch();
    this.#writing = batch.write(this.#sessions.store);
    // The failure is thrown by whoever awaits it next; it must not end the process before.
    this.#writing.catch(() => undefined);
  }

  /** Every batch has a time of its own. */
  #nextBatch(): Batch {
    const now = BigInt(this.#now().getTime()) * 1000n;
    this.#lastMicros = now > this.#lastMicros ? now : this.#lastMicros + 1n;
    return new Batch(this.#lastMicros);
  }

  async #knownSessions(): Promise<Map<string, Known>> {
    const known = new Map<string, Known>();
    const columns = ["id", "source_agent", "project"];
    for await (const rows of this.#sessions.store.table("sessions").scan({ columns })) {
      for (const row of rows) {
        const { id, source_agent: sourceAgent, project } = row;
        known.set(String(id), { sourceAgent: String(sourceAgent), project: String(project) });
      }
    }
    return known;
  }
}

function statusOf(outcome: IngestOutcome): IngestOutcome["status"] {
  if (outcome.messages_added > 0) return "grown";
  return outcome.revisions + outcome.tombstones > 0 ? "revised" : "unchanged";
}

/** Takes sessions into the store. */
export function createIngest(sessions: SessionStore, options: IngestOptions): Ingest {
  return new Ingest(sessions, options);
}
