import { type SessionStore, stillRowless } from "@pond/sessions";
import { isDamage } from "@pond/sessions/rows";
import { fillHeads, rebuildWindows } from "@pond/sessions/search";
import { isNotNull, type Store } from "@pond/substrate";
import { copyRange, type RowCounts } from "./copy-range.ts";
import { hangAnew } from "./hang-anew.ts";
import { compareText } from "./key-order.ts";
import { leaveOutNames } from "./left-names.ts";
import { namesApart } from "./names-apart.ts";
import { findRows } from "./places.ts";
import type { Watch } from "./progress.ts";
import { rangesOf } from "./ranges.ts";
import type { SessionNames } from "./session-names.ts";
import { copiedColumns } from "./tables.ts";
import { Target } from "./target.ts";

/** How a copy is made. */
export type CopyOptions = Watch & {
  /** Stamps the rows that say where a message has moved to. Default: the time it is. */
  readonly now?: (() => Date) | undefined;
};

/** What a copy did. */
export type CopyReport = {
  /** By table. */
  readonly tables: Readonly<Record<string, RowCounts>>;
  /**
   * Messages of which each store shows another state and nothing tells which is the later, or that
   * have parts of another: what is there stays.
   */
  readonly differing: number;
  /**
   * Ids of sessions with a damaged row: where it is the target's, search does not find what they got,
   * and where it is the other's, it was left out; of those with a message that has lost its parts; and
   * of those that were left out because their own row is not there.
   */
  readonly damaged: readonly string[];
  /** Vectors left out, because those of the two stores are not equally long. */
  readonly vectorsLeftOut: number;
};

/**
 * Copies every session of a store that another one lacks, and what it lacks of those it has, by
 * insert-if-absent: no row that is there is overwritten. A message that both have gets a later state
 * only where the other store went on from the one that is shown. Broken off at any point it leaves no
 * session in part, and the same call goes on with what is left.
 *
 * @throws {SubstrateError} where one of the stores fails.
 */
export async function copySessions(
  { store: from }: SessionStore,
  target: SessionStore,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const { store: to } = target;
  const { now = () => new Date() } = options;
  await Promise.all([from.refresh(), to.refresh()]);
  const vectors = await prepareVectors(from, to);
  const before: Before = { inserted: {}, left: new Map(), occupied: new Set() };
  for (;;) {
    const named = await namesApart(from, to, before.occupied);
    const { names } = named;
    const at = BigInt(now().getTime()) * 1000n;
    await leaveOutNames(from, named, to, before.left, at);
    // Before what was said of them later is told from what is there.
    await hangAnew(from, named, to, before.left);
    const report = await copyNamed(from, target, { ...options, now, names, before, vectors });
    if (report) return report;
    await to.refresh();
  }
}

/** What was done by names that another process had for other sessions meanwhile. */
type Before = {
  /** Rows, by table. */
  readonly inserted: Record<string, number>;
  /** Names that sessions had then, by their ids. */
  readonly left: Map<string, Set<string>>;
  /** Names under which messages of other sessions stand, whose own rows may still come. */
  readonly occupied: Set<string>;
};

type NamedCopy = CopyOptions & {
  readonly now: () => Date;
  readonly names: SessionNames;
  readonly before: Before;
  readonly vectors: Awaited<ReturnType<typeof prepareVectors>>;
};

/** @returns Undefined where another process has stored other sessions by some of these names. */
async function copyNamed(
  from: Store,
  target: SessionStore,
  { now, onProgress, signal, names, before, vectors }: NamedCopy,
): Promise<CopyReport | undefined> {
  const { store: to } = target;
  const { isWithVectors, vectorsLeftOut } = vectors;
  const places = await findRows(from, { names });
  const known = await Target.look(to, (sessionId) => places.has("sessions", sessionId));
  const ranges = rangesOf(places);
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
  const onLeft = (table: string, rows: number): void => {
    before.inserted[table] = (before.inserted[table] ?? 0) + rows;
  };
  const tables: Record<string, RowCounts> = {};
  const damaged = new Set(await stillRowless(from, places.rowlessIds()));
  let differing = 0;
  for (const range of ranges) {
    const options = { columnsOf, now, signal, onRows, onLeft, occupied: before.occupied };
    const copied = await copyRange({ store: from, places, names }, known, range, options);
    if (copied === undefined) {
      for (const [name, { inserted }] of Object.entries(tables)) onLeft(name, inserted);
      for (const name of range.sessionIds) {
        const id = names.idOf(name);
        before.left.set(id, (before.left.get(id) ?? new Set()).add(name));
      }
      return undefined;
    }
    for (const sessionId of copied.damaged) damaged.add(sessionId);
    for (const sessionId of copied.mixed) {
      signal?.throwIfAborted();
      // Windows are made again from what is stored: what cannot be read is no reason to stop.
      await rebuildWindows(target, sessionId).catch((error: unknown) => {
        if (!isDamage(error)) throw error;
        damaged.add(sessionId);
      });
    }
    for (const [name, counts] of copied.tables) tables[name] = sumOf(tables[name], counts);
    differing += copied.differing;
    await to.flush();
  }
  for (const [name, rows] of Object.entries(before.inserted)) {
    const { inserted, present } = tables[name] ?? { inserted: 0, present: 0 };
    tables[name] = { inserted: inserted + rows, present: Math.max(0, present - rows) };
  }
  // Also where nothing was lacking: a copy that broke off may have left them out.
  await fillHeads(target, signal);
  return { tables, differing, damaged: [...damaged].sort(compareText), vectorsLeftOut };
}

function sumOf(before: RowCounts | undefined, counts: RowCounts): RowCounts {
  return {
    inserted: (before?.inserted ?? 0) + counts.inserted,
    present: (before?.present ?? 0) + counts.present,
  };
}

/** Vectors of another length are taken over by a store that has no messages yet, and by no other. */
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
