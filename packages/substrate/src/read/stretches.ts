import { open } from "node:fs/promises";
import { messagesIn, numberIn } from "../engine/protocol-buffers.ts";
import { manifestsOf } from "../integrity/heal.ts";
import { type NamedFile, namedFiles } from "../integrity/manifest-files.ts";
import { versionOf } from "../manifest-names.ts";

// The engine reads so many rows at once, whatever they weigh: for 180 MB of them it takes 600 MB. But
// where a page of a column holds some 8 MB, before they are compressed, it begins another. So rows are
// long where a batch of them meets many pages, and files tell at their ends how many rows each has.

/** Rows of a fragment, or of several, by where they lie. */
export type Stretch = {
  /** The row address of the first. */
  readonly from: bigint;
  /** That behind the last. */
  readonly to: bigint;
  /** How many of them are read at once; undefined where they are short. */
  readonly rowsAtOnce: number | undefined;
};

/** All rows of a version of a table, in their order. */
export type Stretches = { readonly version: number; readonly stretches: readonly Stretch[] };

/** What the engine reads at once of its own accord. */
const usualRows = 1024;
const fewerRows = [256, 64, 16, 4, 1] as const;
const rowsPerFragment = 1n << 32n;

/**
 * How the rows of a local table are read, so that a batch of long ones holds about a page of a column.
 *
 * @param home - Folder of the table.
 * @returns Undefined where all are short, as far as files tell, and where the manifest cannot be read.
 */
export async function stretchesOf(home: string): Promise<Stretches | undefined> {
  try {
    const [manifest] = await manifestsOf(home);
    if (manifest === undefined) return undefined;
    const { fragments } = await namedFiles(home, manifest);
    const stretches: Stretch[] = [];
    for (const [fragment, files] of fragments) {
      for (const stretch of await stretchesIn(fragment, files)) add(stretches, stretch);
    }
    const isLong = stretches.some(({ rowsAtOnce }) => rowsAtOnce !== undefined);
    return isLong ? { version: versionOf(manifest), stretches } : undefined;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
}

/** What is torn, or what the system or Node does not let us read: the engine tells of it. */
function isUnreadable(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && "code" in error);
}

/**
 * How the rows of one fragment are read, to the last that it could have.
 *
 * @param files - Those that hold its columns. Where one cannot be read, its rows are taken for short.
 */
export async function stretchesIn(
  fragment: number,
  files: readonly NamedFile[],
): Promise<Stretch[]> {
  const columns = await Promise.all(files.map(({ path }) => pageEnds(path))).catch((error) => {
    if (!isUnreadable(error)) throw error;
    return [];
  });
  const first = BigInt(fragment) * rowsPerFragment;
  const stretches: Stretch[] = [];
  const own = [...stretchesAmong(columns.flat())];
  for (const [at, { from, rowsAtOnce }] of own.entries()) {
    const to = own[at + 1]?.from ?? Number(rowsPerFragment);
    add(stretches, { from: first + BigInt(from), to: first + BigInt(to), rowsAtOnce });
  }
  return stretches;
}

/** Adds a stretch, to the last where that is read alike and nothing lies between them. */
function add(stretches: Stretch[], stretch: Stretch): void {
  const last = stretches.at(-1);
  const isMore = last?.to === stretch.from && last.rowsAtOnce === stretch.rowsAtOnce;
  if (isMore) stretches[stretches.length - 1] = { ...last, to: stretch.to };
  else stretches.push(stretch);
}

/** Stretches of a fragment, of each column of which it is known where pages end. */
function* stretchesAmong(
  columns: readonly (readonly number[])[],
): Generator<Pick<Stretch, "rowsAtOnce"> & { readonly from: number }> {
  const rows = Math.max(0, ...columns.map((ends) => ends.at(-1) ?? 0));
  const next = columns.map(() => 0);
  let from = 0;
  do {
    // So many rows meet no more than two pages.
    let fitting = Number.POSITIVE_INFINITY;
    for (const [column, ends] of columns.entries()) {
      let at = next[column] ?? 0;
      while (at < ends.length && (ends[at] ?? 0) <= from) at += 1;
      next[column] = at;
      if (at + 2 < ends.length) fitting = Math.min(fitting, (ends[at + 1] ?? 0) - from);
    }
    const isLong = fitting < usualRows;
    yield { from, rowsAtOnce: isLong ? fewerRows.find((each) => each <= fitting / 2) : undefined };
    from += fitting;
  } while (from < rows);
}

// Fields of the messages of the Lance format.
const columnMetadata = { pages: 2 } as const;
const page = { length: 3 } as const;
// The footer: where columns are described, where it says where, two more, how many columns there are,
// the format's version, "LANC".
const footer = { bytes: 40, places: 8, columns: 28 } as const;
const placeBytes = 16;
// A hundred for each page, so that is 320 GB of rows; what a stranger made is not to take long.
const mostBytes = 4 * 1024 * 1024;

/** Where the pages of each column of a file end, in rows; none for a file of no columns. */
async function pageEnds(path: string): Promise<number[][]> {
  if (!path.endsWith(".lance")) return [];
  await using file = await open(path);
  const { size } = await file.stat();
  const end = Buffer.alloc(footer.bytes);
  await file.read(end, 0, footer.bytes, Math.max(0, size - footer.bytes));
  const from = Number(end.readBigUInt64LE(0));
  if (from > size || size - from > mostBytes) throw new RangeError(`${path} has no such end`);
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
