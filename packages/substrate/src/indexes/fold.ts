import type { Table as LanceTable } from "@lancedb/lancedb";
import type { IndexDeclaration, TableDeclaration } from "../declaration.ts";
import { isOffsetOverflow } from "../engine/native-errors.ts";
import { retry } from "../engine/retry.ts";
import { columnsWithNulls } from "../engine/schema.ts";
import { untilAborted } from "../engine/until-aborted.ts";
import { StorageUnavailableError } from "../errors.ts";
import { type RewriteProgress, replaceNulls } from "../write/replace-nulls.ts";
import { isClockAhead } from "./clock.ts";
import { healthOf, type IndexHealth, type TableHealth } from "./health.ts";
import { createIndexes } from "./indexes.ts";
import { dropLostIndexes, refresh } from "./lost-indexes.ts";
import { supersededBytes } from "./superseded.ts";
import { isTagged } from "./tagged.ts";
import { missingTextIndexes } from "./text-indexes.ts";
import { areUnindexedTextsLonger } from "./unindexed-texts.ts";
import { countVectors, vectorIndexesToRetrain } from "./vector-indexes.ts";

/** How thorough a fold is. */
export type FoldOptions = {
  /** Folds regardless of the thresholds. */
  readonly isForced?: boolean;
  /**
   * Versions made longer ago than this are removed, except for the newest: a process that still
   * reads one loses its files. Default: 10 minutes.
   */
  readonly retentionMs?: number;
  /** Leaves indexes that are missing or far behind to a later fold. */
  readonly shouldDeferNewIndexes?: boolean;
  /** Called with the progress of rewriting what an earlier version stored, if that is necessary. */
  readonly onRewrite?: ((progress: RewriteProgress) => void) | undefined;
  /** Takes effect within a second; the engine still completes what it is doing. */
  readonly signal?: AbortSignal | undefined;
};

/** What a fold did to one table. */
export type FoldOutcome = {
  readonly table: string;
  /**
   * Columns whose index was made over all rows: for the first time, or because it was far behind.
   */
  readonly created: readonly string[];
  /**
   * Columns whose vectors no index can be trained on, such as all zeros; absent if there are none.
   */
  readonly untrained?: readonly string[];
  /** True if fragments were compacted and indexes brought up to date. */
  readonly isFolded: boolean;
};

/** For how long the files of an older version are kept for those who read it. */
export const defaultRetentionMs = 600_000;

const defaults = {
  isForced: false,
  retentionMs: defaultRetentionMs,
  shouldDeferNewIndexes: false,
} as const;

const thresholds = {
  // Text indexes are made over all rows, so they wait until enough rows are not indexed; until then
  // those are searched flat (13 ms per thousand rows).
  unindexedRows: 1_000,
  unindexedShare: 0.05,
  unindexedRowsAtMost: 3_000,
  // A few long texts take as long as many short ones. If all are long, indexing them again does, too.
  bytesPerUnindexedText: 2_048,
  unindexedBytesShare: 0.005,
  // A condition changes the score of rows outside the index, the more the larger their share; and
  // few texts are indexed again in less than a second.
  unindexedTextsShare: 0.1,
  // Each fragment slows every scan and grows every manifest. The larger the table, the more a
  // rewrite costs and the less its manifests matter.
  fragments: 24,
  fragmentsAtMost: 200,
  // A rewrite leaves up to 16 for each way to do it, in a table that may be small.
  fragmentsMended: 8,
  bytesPerFragment: 1024 * 1024,
  // Versions take room, too, if rows are replaced while fragments stay few.
  supersededBytes: 512 * 1024,
  supersededShare: 0.5,
} as const;

/** The place of a table. */
export type FoldPlace = {
  /** The location of the store. */
  readonly location: string;
  /** The folder of the table, if it is in one. */
  readonly home: string | undefined;
  /** Called before anything is written; see {@link Store.proveWritable}. */
  readonly proveWritable: () => Promise<void>;
};

/**
 * Maintains indexes, separately from every write (`lance-index-maintenance`) and only where it pays
 * off.
 */
export async function fold(
  table: TableDeclaration,
  handle: LanceTable,
  place: FoldPlace,
  flush: () => Promise<void>,
  wishes: FoldOptions = {},
): Promise<FoldOutcome> {
  const { signal, onRewrite } = wishes;
  const foldNow = (isChanged: boolean): Promise<FoldOutcome> =>
    foldWithoutNulls(table, handle, place, flush, { ...wishes, isChanged });
  // Done first, because making an index or joining fragments reads many rows at once.
  const schema = await retry({ table: table.name, location: place.location }, () =>
    handle.schema(),
  );
  if (columnsWithNulls(schema, table).length > 0) await place.proveWritable();
  const nulls = await replaceNulls(table, handle, place.location, { signal, onRewrite });
  if (nulls === "later") return { table: table.name, created: [], isFolded: false };
  try {
    return await foldNow(nulls === "replaced");
  } catch (error) {
    if (!isOffsetOverflow(error)) throw error;
    // A process of an earlier version that was open all along has stored some since.
    const doubted = { isDoubted: true, signal, onRewrite };
    const late = await replaceNulls(table, handle, place.location, doubted);
    if (late !== "replaced") throw error;
    return foldNow(true);
  }
}

async function foldWithoutNulls(
  table: TableDeclaration,
  handle: LanceTable,
  { location, home, proveWritable }: FoldPlace,
  flush: () => Promise<void>,
  wishes: FoldOptions & { readonly isChanged: boolean },
): Promise<FoldOutcome> {
  const { isForced, retentionMs, shouldDeferNewIndexes, isChanged, signal } = {
    ...defaults,
    ...wishes,
  };
  const cutoff = (): Date => new Date(Date.now() - retentionMs);
  const options = { signal, refresh: () => refresh(table, handle) };
  const place = { table: table.name, location };
  // Indexes that are being made may be of columns that another process has just renewed.
  const checkIndexes = (): Promise<void> =>
    retry(place, () => dropLostIndexes(table, handle), { refresh: () => handle.checkoutLatest() });
  const optimize = async (cleanupOlderThan: Date): Promise<void> => {
    const run = (): Promise<unknown> => handle.optimize({ cleanupOlderThan });
    await untilAborted(() => retry(place, run, options), signal);
    await checkIndexes();
  };

  const readHealth = (): Promise<TableHealth> =>
    retry(place, () => healthOf(table, handle), options);

  const health = await readHealth();
  if (health.rows === 0) return { table: table.name, created: [], isFolded: false };
  const isAnyTagged = (): Promise<boolean> => retry(place, () => isTagged(handle), options);
  const isWorthCleaning = async (): Promise<boolean> =>
    home !== undefined &&
    (await supersededBytes(home, cutoff().getTime())) >=
      Math.max(thresholds.supersededBytes, health.bytes * thresholds.supersededShare) &&
    !(await isAnyTagged());
  const isScattered = isChanged && health.fragments > thresholds.fragmentsMended;
  const isCompacting = isForced || isScattered || isFragmented(health) || (await isWorthCleaning());
  const missing = shouldDeferNewIndexes
    ? []
    : await retry(
        place,
        () => indexesToMake(table, handle, health, { isForced, isCompacting }),
        options,
      );
  if (missing.length > 0) await proveWritable();
  const untrained = await createIndexes(table, handle, location, missing, { signal });
  const made = missing.map(({ column }) => column).filter((column) => !untrained.includes(column));
  await checkIndexes();
  const isFolded = isCompacting || hasLongTail(await readHealth());
  if (isFolded) {
    await proveWritable();
    if (home !== undefined && (await isClockAhead(home))) throw clockAheadError(location);
    await optimize(new Date(0));
  }
  if (isFolded || isChanged || made.length > 0) await flush();
  // Cleaned separately and last: the files that it removes are what a power cut would fall back on.
  if (isFolded && !(await isAnyTagged())) await optimize(cutoff());
  const outcome = { table: table.name, created: made, isFolded };
  return untrained.length > 0 ? { ...outcome, untrained } : outcome;
}

function clockAheadError(location: string): StorageUnavailableError {
  const reason = `the clock here, at ${new Date().toISOString()}, is more than a day ahead of the one that dates its files: nothing was cleaned up, as files that others are writing would seem abandoned. Set the clock; nothing else has to be done`;
  return new StorageUnavailableError(location, reason);
}

/**
 * Missing indexes, and those to be made again over all rows: that reads one column, where extending
 * them would rewrite every row. A forced fold also gives text indexes the positions they lack. Any
 * fold retrains worn vector indexes.
 *
 * @param isCompacting - Fragments are joined next, which happens in one step if every index covers
 * all of them.
 */
async function indexesToMake(
  table: TableDeclaration,
  handle: LanceTable,
  health: TableHealth,
  { isForced, isCompacting }: { readonly isForced: boolean; readonly isCompacting: boolean },
): Promise<IndexDeclaration[]> {
  const missing: IndexDeclaration[] = [];
  const isDue = isCompacting || hasLongTail(health);
  const lacking: IndexDeclaration[] = [
    ...(isForced ? await missingTextIndexes(table, handle) : []),
    ...(await vectorIndexesToRetrain(table, handle, { isDue })),
  ];
  const maxTextBytes = Math.max(
    maxUnindexedRows(health.rows) * thresholds.bytesPerUnindexedText,
    health.bytes * thresholds.unindexedBytesShare,
  );
  for (const index of table.indexes) {
    const known = health.indexes.find(({ column }) => column === index.column);
    const isMade = known !== undefined && !lacking.includes(index);
    if (isMade && !(await isBehind(index, known, handle, { isDue, maxTextBytes }))) continue;
    if (index.kind === "vector" && !(await isWorthTraining(table, handle, index))) continue;
    missing.push(index);
  }
  return missing;
}

async function isBehind(
  { kind }: IndexDeclaration,
  known: IndexHealth,
  handle: LanceTable,
  { isDue, maxTextBytes }: { readonly isDue: boolean; readonly maxTextBytes: number },
): Promise<boolean> {
  const { indexedRows, unindexedRows } = known;
  // Training one takes longer than extending it.
  if (kind === "vector") {
    return unindexedRows > indexedRows && unindexedRows >= thresholds.unindexedRows;
  }
  if (isDue) return unindexedRows > 0;
  if (kind !== "full-text") return false;
  return (
    unindexedRows > indexedRows * thresholds.unindexedTextsShare ||
    (await areUnindexedTextsLonger(maxTextBytes, known, handle))
  );
}

async function isWorthTraining(
  table: TableDeclaration,
  handle: LanceTable,
  index: IndexDeclaration & { readonly kind: "vector" },
): Promise<boolean> {
  if ((await handle.countRows()) < index.minRows) return false;
  return (await countVectors(table, handle, index.column)) >= index.minRows;
}

/** True if so many rows lie outside of an index that they slow its queries. */
function hasLongTail({ rows, indexes }: TableHealth): boolean {
  const tail = Math.max(0, ...indexes.map(({ unindexedRows }) => unindexedRows));
  return tail >= maxUnindexedRows(rows);
}

function maxUnindexedRows(rows: number): number {
  const { unindexedRows, unindexedShare, unindexedRowsAtMost } = thresholds;
  return Math.max(unindexedRows, Math.min(rows * unindexedShare, unindexedRowsAtMost));
}

/**
 * True if fragments should be joined: 20 slow a search by a third, and 100 double it. The larger
 * the table, the more it takes; if its indexes are made again anyway, few are enough.
 */
function isFragmented(health: TableHealth): boolean {
  const { bytes, fragments } = health;
  if (fragments < thresholds.fragments) return false;
  const most = Math.min(bytes / thresholds.bytesPerFragment, thresholds.fragmentsAtMost);
  // The rows of a first import do not count as lagging, and it ends sooner if they stay.
  const grown = health.indexes.filter(
    ({ indexedRows, unindexedRows }) => indexedRows > unindexedRows,
  );
  return fragments >= most || hasLongTail({ ...health, indexes: grown });
}
