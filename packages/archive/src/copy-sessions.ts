import { type SessionStore, stillWithoutSessionRow } from "@pond/sessions";
import { isDamage, noteWriter } from "@pond/sessions/rows";
import { fillHeads, rebuildWindows } from "@pond/sessions/search";
import { isNotNull, type Store } from "@pond/substrate";
import { copyRange, type RowCounts } from "./copy-range.ts";
import { compareText } from "./key-order.ts";
import { removeNameLeftovers } from "./name-conflicts.ts";
import { nameSessions } from "./name-sessions.ts";
import type { ProgressOptions } from "./progress.ts";
import { rangesOf } from "./ranges.ts";
import { reattachRenamed } from "./reattach-renamed.ts";
import { locateRows } from "./row-locations.ts";
import type { SessionNames } from "./session-names.ts";
import { copiedColumns } from "./tables.ts";
import { Target } from "./target.ts";

/** Options of a copy. */
export type CopyOptions = ProgressOptions & {
  /** The time of the rows that say where a message has moved. Default: the current time. */
  readonly now?: (() => Date) | undefined;
};

/** The outcome of a copy. */
export type CopyReport = {
  /** Rows by table. */
  readonly tables: Readonly<Record<string, RowCounts>>;
  /**
   * Messages that each store shows in another state, where nothing tells which is later, or that
   * have parts of another message. What is there stays.
   */
  readonly differing: number;
  /**
   * Ids of three kinds of sessions: those with a damaged row (if it is the target's, search does
   * not find what they got; if it is the source's, it was left out); those with a message that has
   * lost its parts; and those that were left out because their own row is missing.
   */
  readonly damaged: readonly string[];
  /** Vectors that were left out, because the vectors of the two stores differ in length. */
  readonly vectorsLeftOut: number;
};

/**
 * Copies every session of a store that another one lacks, and what it lacks of the sessions it has.
 * Rows are inserted if they are absent: no existing row is overwritten. A message that both stores
 * have gets a later state only if the source store continued from the state that is shown. If the
 * copy breaks off, at any point, no session is in part there, and the same call copies the rest.
 *
 * @throws {SubstrateError} if one of the stores fails.
 */
export async function copySessions(
  { store: from }: SessionStore,
  target: SessionStore,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const { store: to } = target;
  const { now = () => new Date() } = options;
  noteWriter(to);
  await Promise.all([from.refresh(), to.refresh()]);
  const vectors = await prepareVectors(from, to);
  const earlier: EarlierAttempts = { inserted: {}, formerNames: new Map(), occupied: new Set() };
  for (;;) {
    const named = await nameSessions(from, to, earlier.occupied);
    const { names } = named;
    const at = BigInt(now().getTime()) * 1000n;
    await removeNameLeftovers(from, named, to, earlier.formerNames, at);
    // Before later statements about them are read from the target.
    await reattachRenamed(from, named, to, earlier.formerNames);
    const report = await copyNamed(from, target, { ...options, now, names, earlier, vectors });
    if (report) return report;
    await to.refresh();
  }
}

/** What was done under names that another process took for other sessions in the meantime. */
type EarlierAttempts = {
  /** Rows, by table. */
  readonly inserted: Record<string, number>;
  /** Names that sessions had then, by their ids. */
  readonly formerNames: Map<string, Set<string>>;
  /** Names with messages of other sessions, whose own rows may still arrive. */
  readonly occupied: Set<string>;
};

type NamedCopy = CopyOptions & {
  readonly now: () => Date;
  readonly names: SessionNames;
  readonly earlier: EarlierAttempts;
  readonly vectors: Awaited<ReturnType<typeof prepareVectors>>;
};

/** @returns Undefined if another process has stored other sessions under some of these names. */
async function copyNamed(
  from: Store,
  target: SessionStore,
  { now, onProgress, signal, names, earlier, vectors }: NamedCopy,
): Promise<CopyReport | undefined> {
  const { store: to } = target;
  const { isWithVectors, vectorsLeftOut } = vectors;
  const locations = await locateRows(from, { names });
  const known = await Target.locate(to, (sessionId) => locations.has("sessions", sessionId));
  const ranges = rangesOf(locations);
  const columnsOf = (table: string): string[] =>
    copiedColumns(to.table(table).declaration).filter(
      (name) => isWithVectors || !to.table(table).declaration.columns[name]?.isDerived,
    );
  const total = ranges.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  const onRows = (rows: number): void => {
    done += rows;
    onProgress?.({ step: "copy", done, total: Math.max(done, total) });
  };
  const onAbandoned = (table: string, rows: number): void => {
    earlier.inserted[table] = (earlier.inserted[table] ?? 0) + rows;
  };
  const tables: Record<string, RowCounts> = {};
  const damaged = new Set(await stillWithoutSessionRow(from, locations.idsWithoutSessionRow()));
  let differing = 0;
  for (const range of ranges) {
    const options = { columnsOf, now, signal, onRows, onAbandoned, occupied: earlier.occupied };
    const copied = await copyRange({ store: from, locations, names }, known, range, options);
    if (copied === undefined) {
      for (const [name, { inserted }] of Object.entries(tables)) onAbandoned(name, inserted);
      for (const name of range.sessionIds) {
        const id = names.idOf(name);
        earlier.formerNames.set(id, (earlier.formerNames.get(id) ?? new Set()).add(name));
      }
      return undefined;
    }
    for (const sessionId of copied.damaged) damaged.add(sessionId);
    for (const sessionId of copied.mixed) {
      signal?.throwIfAborted();
      // Windows are made again from what is stored; something unreadable is no reason to stop.
      await rebuildWindows(target, sessionId).catch((error: unknown) => {
        if (!isDamage(error)) throw error;
        damaged.add(sessionId);
      });
    }
    for (const [name, counts] of copied.tables) tables[name] = sumOf(tables[name], counts);
    differing += copied.differing;
    await to.flush();
  }
  for (const [name, rows] of Object.entries(earlier.inserted)) {
    const { inserted, present } = tables[name] ?? { inserted: 0, present: 0 };
    tables[name] = { inserted: inserted + rows, present: Math.max(0, present - rows) };
  }
  // Even if nothing was missing: a copy that broke off may have left them out.
  await fillHeads(target, signal);
  return { tables, differing, damaged: [...damaged].sort(compareText), vectorsLeftOut };
}

function sumOf(before: RowCounts | undefined, counts: RowCounts): RowCounts {
  return {
    inserted: (before?.inserted ?? 0) + counts.inserted,
    present: (before?.present ?? 0) + counts.present,
  };
}

/** A store without messages takes over vectors of another length; any other store does not. */
async function prepareVectors(
  from: Store,
  to: Store,
): Promise<{ readonly isWithVectors: boolean; readonly vectorsLeftOut: number }> {
  const [source, target] = [from.table("messages"), to.table("messages")];
  const vector = await source.vectorDimension("vector");
  if (vector === undefined || vector === (await target.vectorDimension("vector"))) {
    return { isWithVectors: true, vectorsLeftOut: 0 };
  }
  if ((await target.count()) === 0) {
    await target.renew({ vector: { vector }, embedding_model: "text" });
    return { isWithVectors: true, vectorsLeftOut: 0 };
  }
  const vectorsLeftOut = await source.count(isNotNull("embedding_model"));
  return { isWithVectors: false, vectorsLeftOut };
}
