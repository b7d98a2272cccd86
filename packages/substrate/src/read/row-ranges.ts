import { open } from "node:fs/promises";
import { messagesIn, numberIn } from "../engine/protocol-buffers.ts";
import { manifestsOf } from "../integrity/heal.ts";
import { type NamedFile, namedFiles } from "../integrity/manifest-files.ts";
import { versionOf } from "../manifest-names.ts";

// The engine reads a fixed number of rows at once, whatever their size: for 180 MB of them it takes
// 600 MB. But a page of a column ends once it holds about 8 MB before compression. So rows are long
// where a batch of them touches many pages, and the ends of files tell how many rows each page has.

/** Consecutive rows of one or several fragments. */
export type RowRange = {
  /** The row address of the first row. */
  readonly from: bigint;
  /** The row address after the last one. */
  readonly to: bigint;
  /** How many of them are read at once; undefined if they are short. */
  readonly rowsAtOnce: number | undefined;
};

/** All rows of a version of a table, in order. */
export type RowRanges = { readonly version: number; readonly ranges: readonly RowRange[] };

/** The number of rows that the engine reads at once by default. */
const defaultBatchRows = 1024;
const smallerBatchRows = [256, 64, 16, 4, 1] as const;
const rowsPerFragment = 1n << 32n;

/**
 * How the rows of a local table are to be read, so that a batch of long ones holds about a page of
 * a column.
 *
 * @param home - Folder of the table.
 * @returns Undefined if all are short, as far as files tell, or the manifest cannot be read.
 */
export async function rowRangesOf(home: string): Promise<RowRanges | undefined> {
  try {
    const [manifest] = await manifestsOf(home);
    if (manifest === undefined) return undefined;
    const { fragments } = await namedFiles(home, manifest);
    const ranges: RowRange[] = [];
    for (const [fragment, files] of fragments) {
      for (const range of await rowRangesOfFragment(fragment, files)) appendRange(ranges, range);
    }
    const isLong = ranges.some(({ rowsAtOnce }) => rowsAtOnce !== undefined);
    return isLong ? { version: versionOf(manifest), ranges } : undefined;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
}

/**
 * True for torn files, and for those that the system or Node does not let us read: the engine will
 * report them.
 */
function isUnreadable(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && "code" in error);
}

/**
 * How the rows of one fragment are to be read, up to the last that it could have.
 *
 * @param files - The files with its columns. If one cannot be read, its rows are taken for short.
 */
export async function rowRangesOfFragment(
  fragment: number,
  files: readonly NamedFile[],
): Promise<RowRange[]> {
  const columns = await Promise.all(files.map(({ path }) => pageEnds(path))).catch((error) => {
    if (!isUnreadable(error)) throw error;
    return [];
  });
  const first = BigInt(fragment) * rowsPerFragment;
  const ranges: RowRange[] = [];
  const own = [...rangesOfPages(columns.flat())];
  for (const [at, { from, rowsAtOnce }] of own.entries()) {
    const to = own[at + 1]?.from ?? Number(rowsPerFragment);
    appendRange(ranges, { from: first + BigInt(from), to: first + BigInt(to), rowsAtOnce });
  }
  return ranges;
}

/** Adds a range; extends the last one if that is read the same way and adjoins it. */
function appendRange(ranges: RowRange[], range: RowRange): void {
  const last = ranges.at(-1);
  const isMore = last?.to === range.from && last.rowsAtOnce === range.rowsAtOnce;
  if (isMore) ranges[ranges.length - 1] = { ...last, to: range.to };
  else ranges.push(range);
}

/** The ranges of a fragment, from the ends of the pages of each column. */
function* rangesOfPages(
  columns: readonly (readonly number[])[],
): Generator<Pick<RowRange, "rowsAtOnce"> & { readonly from: number }> {
  const rows = Math.max(0, ...columns.map((ends) => ends.at(-1) ?? 0));
  const next = columns.map(() => 0);
  let from = 0;
  do {
    // So many rows touch at most two pages.
    let fitting = Number.POSITIVE_INFINITY;
    for (const [column, ends] of columns.entries()) {
      let at = next[column] ?? 0;
      while (at < ends.length && (ends[at] ?? 0) <= from) at += 1;
      next[column] = at;
      if (at + 2 < ends.length) fitting = Math.min(fitting, (ends[at + 1] ?? 0) - from);
    }
    const isLong = fitting < defaultBatchRows;
    yield {
      from,
      rowsAtOnce: isLong ? smallerBatchRows.find((each) => each <= fitting / 2) : undefined,
    };
    from += fitting;
  } while (from < rows);
}

// Field numbers of the messages of the Lance format.
const columnMetadata = { pages: 2 } as const;
const page = { length: 3 } as const;
// The footer: where the columns are described, where the list of those places is, two more places,
// the number of columns, the version of the format, "LANC".
const footer = { bytes: 40, places: 8, columns: 28 } as const;
const placeBytes = 16;
// A page takes a hundred bytes, so this is enough for 320 GB of rows; a file made by a stranger
// must not take long.
const maxMetadataBytes = 4 * 1024 * 1024;

/** Where the pages of each column of a file end, in rows; empty for a file without columns. */
async function pageEnds(path: string): Promise<number[][]> {
  if (!path.endsWith(".lance")) return [];
  await using file = await open(path);
  const { size } = await file.stat();
  const end = Buffer.alloc(footer.bytes);
  await file.read(end, 0, footer.bytes, Math.max(0, size - footer.bytes));
  const from = Number(end.readBigUInt64LE(0));
  if (from > size || size - from > maxMetadataBytes)
    throw new RangeError(`${path} has no such end`);
  const bytes = Buffer.alloc(size - from);
  await file.read(bytes, 0, bytes.length, from);
  const places = Number(end.readBigUInt64LE(footer.places)) - from;
  const ends: number[][] = [];
  let left = bytes.length;
  for (let column = 0; column < end.readUInt32LE(footer.columns); column += 1) {
    const at = places + column * placeBytes;
    const start = Number(bytes.readBigUInt64LE(at)) - from;
    const length = Number(bytes.readBigUInt64LE(at + 8));
    left -= length;
    if (left < 0) throw new RangeError(`${path} has no such end`);
    const own: number[] = [];
    for (const each of messagesIn(bytes.subarray(start, start + length), columnMetadata.pages)) {
      const rows = numberIn(each, page.length) ?? 0;
      if (rows > 0) own.push((own.at(-1) ?? 0) + rows);
    }
    ends.push(own);
  }
  return ends;
}
