import { hash } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileChunks, PackedEntries, readLines } from "@pond/canonical/adapter";
import { type AddedAt, type HeldMessages, makeFolder } from "@pond/sessions";
import type { Fault } from "./fault.ts";

/**
 * How far a session goes: the time of its last message, in milliseconds; how many messages it has;
 * how many parts and characters of text. Older versions did not note the last one.
 */
export type Extent = readonly [newestMs: number, messages: number, size?: number];

/** What this machine saw of one session when it last read it. */
export type SeenSession = {
  readonly fingerprint: string;
  /** Its id in the store; absent if no session had begun in it. */
  readonly sessionId?: string;
  /** What the store showed of the session then. */
  readonly held?: HeldMessages;
  /**
   * Up to when rows of it were stored when it was not an older copy, or 0. Older versions noted it
   * only while it was one.
   */
  readonly agreedAt?: number;
  /** The largest extent that was seen here: a client may delete messages, or lose some. */
  readonly extent?: Extent;
  /**
   * True if it was missing when its source was listed: deleted, under another key now, or out of
   * reach.
   */
  readonly isGone?: boolean;
  /** True if nothing of it could be stored. */
  readonly hasFailed?: boolean;
  /** True if nothing of it could be read, and nobody has to do anything about that. */
  readonly isUnread?: boolean;
  /** When it was read, in milliseconds, if records were left for later. */
  readonly pendingSinceMs?: number;
  /**
   * The state at that time of what should have told where it descends from; only if not everything
   * was known.
   */
  readonly parentState?: string;
  readonly faults?: readonly Fault[];
  /** True if nobody has to do anything about the faults, and a sync has reported them. */
  readonly isLeftover?: boolean;
  /** How many of the faults are like that, if not all are. */
  readonly leftovers?: number;
  /** How many more faults it had than are kept. */
  readonly omittedFaults?: number;
};

/** The tables that sessions are written to; the others are made from these. */
export const watchedTables = ["sessions", "messages", "parts"] as const;
export type WatchedTable = (typeof watchedTables)[number] & keyof AddedAt;

/** A row that was added to a table, by its session and the time that was stored with it. */
export type AddedRow = {
  readonly table: WatchedTable;
  readonly sessionId: string;
  readonly atMicros: number;
};

type RowCounts = Readonly<Record<WatchedTable, number>>;

/** What the store holds now, as far as it tells whether a table was set back. */
export type StoredRows = {
  readonly rows: RowCounts;
  holds(row: AddedRow): Promise<boolean>;
};

/** A session by its key, and what was seen of it. */
export type Entry = readonly [
  key: string,
  fingerprint: string,
  rest?: Omit<SeenSession, "fingerprint">,
];

/** What a state file says about its one source, besides the sessions. */
type SeenHead = {
  readonly software?: unknown;
  /** The source; absent in files of older versions. */
  readonly path?: string;
  /** True if it was ever read without being asked for by its path. */
  readonly isUsual?: boolean;
  readonly storedMessages: number;
  /** Absent in files of older versions. */
  readonly storedRows?: RowCounts;
  /** The last row of each table that came from this source; absent in files of older versions. */
  readonly lastRows?: readonly AddedRow[];
  /** Places of leftovers that a sync has reported. */
  readonly told?: readonly string[];
};

/** What a state file says about its one source. */
export type SeenFile = SeenHead & { readonly sessions: PackedEntries<Entry> };

const version = 1;

/** What a file may not be called, and what stands for it. */
const forbiddenInNames = /[%/\\\p{Cc}]/gu;

/** The file for one source of one store, in `directory` itself also for a client called `@acme/loom`. */
export function seenFile(directory: string, source: { adapter: string; path: string }): string {
  const adapter = source.adapter.toWellFormed().replaceAll(forbiddenInNames, encodeURIComponent);
  return join(directory, `${adapter}-${hash("sha256", source.path).slice(0, 16)}.json`);
}

/** The content of a state file; undefined if it is missing or cannot be read. */
export async function readSeenFile(file: string): Promise<SeenFile | undefined> {
  try {
    return await readSeen(file);
  } catch {
    return undefined;
  }
}

/**
 * False for a store in which a table was set back (a restored backup, a healed torn table) and
 * about which the file therefore says nothing: it holds fewer rows than when the file was written,
 * or lacks the last one that was added. Checked for each table, because each can be set back by
 * itself.
 */
export async function matchesStore(seen: SeenHead, stored: StoredRows): Promise<boolean> {
  if (!matchesCounts(seen, stored)) return false;
  for (const row of seen.lastRows ?? []) if (!(await stored.holds(row))) return false;
  return true;
}

/** The same as {@link matchesStore}, as far as counts tell. */
export function matchesCounts(
  { storedMessages, storedRows }: SeenHead,
  { rows }: StoredRows,
): boolean {
  const noted = storedRows ?? { sessions: 0, messages: storedMessages, parts: 0 };
  return watchedTables.every((table) => noted[table] <= rows[table]);
}

/** A state file to be written, with its sessions as the texts of their entries. */
export type WrittenSeen = SeenHead & { readonly sessions: Iterable<string> };

/** Writes the file whole or not at all. */
export async function writeSeenFile(file: string, seen: WrittenSeen): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await makeFolder(dirname(file));
  try {
    await writeChunks(temporary, chunksOf(seen));
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** By its handle: Bun 1.4 ends a file with NULs if it is given a path and chunks. */
async function writeChunks(path: string, chunks: Iterable<string>): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(chunks);
  } finally {
    await file.close();
  }
}

// For a hundred thousand sessions, the whole text takes 30 MB. So it is written and read in
// chunks, and each entry has a line of its own.
const entriesPerChunk = 1_000;
// Longer than nearly any such line. A file with a longer one is read as one text, as is what older
// versions wrote all in one line.
const maxLineBytes = 16 * 1024 * 1024;
const opening = '"sessions":[';
const closing = "]}";

/** The text of a file, in chunks. */
function* chunksOf({ sessions, ...rest }: WrittenSeen): Generator<string> {
  yield `${JSON.stringify({ version, ...rest }).slice(0, -1)},${opening}`;
  let chunk: string[] = [];
  let before = "\n";
  for (const entry of sessions) {
    chunk.push(entry);
    if (chunk.length < entriesPerChunk) continue;
    yield before + chunk.join(",\n");
    before = ",\n";
    chunk = [];
  }
  if (chunk.length > 0) yield before + chunk.join(",\n");
  yield `\n${closing}`;
}

async function readSeen(file: string): Promise<SeenFile | undefined> {
  let head: SeenHead | undefined;
  let isWhole = false;
  const sessions = new PackedEntries<Entry>();
  for await (const lines of readLines(fileChunks(file), { maxLineBytes })) {
    for (const { text } of lines) {
      const isPlain = text !== undefined && (head !== undefined || text.endsWith(opening));
      if (!isPlain) return parseWhole(await readFile(file, "utf8"));
      if (head === undefined) {
        const seen: unknown = JSON.parse(text + closing);
        if (!isSeenFile(seen)) return undefined;
        head = seen;
      } else if (text === closing) isWhole = true;
      else {
        const entry: unknown = JSON.parse(text.endsWith(",") ? text.slice(0, -1) : text);
        if (!isEntry(entry)) return undefined;
        sessions.set(entry);
      }
    }
  }
  return head && isWhole ? { ...head, sessions } : undefined;
}

function parseWhole(text: string): SeenFile | undefined {
  const seen: unknown = JSON.parse(text);
  if (!isSeenFile(seen)) return undefined;
  const sessions = new PackedEntries<Entry>();
  for (const entry of seen.sessions) sessions.set(entry);
  return { ...seen, sessions };
}

function isSeenFile(value: unknown): value is SeenHead & { readonly sessions: readonly Entry[] } {
  if (typeof value !== "object" || value === null) return false;
  if (!("version" in value) || value.version !== version) return false;
  if (!("storedMessages" in value) || typeof value.storedMessages !== "number") return false;
  if ("path" in value && typeof value.path !== "string") return false;
  if ("isUsual" in value && typeof value.isUsual !== "boolean") return false;
  if ("storedRows" in value && !isRowCounts(value.storedRows)) return false;
  if ("lastRows" in value && !isAddedRows(value.lastRows)) return false;
  if ("told" in value && !Array.isArray(value.told)) return false;
  return "sessions" in value && Array.isArray(value.sessions) && value.sessions.every(isEntry);
}

function isRowCounts(value: unknown): value is RowCounts {
  if (typeof value !== "object" || value === null) return false;
  const counts = new Map(Object.entries(value));
  return watchedTables.every((table) => Number.isSafeInteger(counts.get(table)));
}

function isAddedRows(value: unknown): value is readonly AddedRow[] {
  return Array.isArray(value) && value.every(isAddedRow);
}

function isAddedRow(value: unknown): value is AddedRow {
  if (typeof value !== "object" || value === null) return false;
  if (!("table" in value) || !watchedTables.some((table) => table === value.table)) return false;
  const isNamed = "sessionId" in value && typeof value.sessionId === "string";
  return isNamed && "atMicros" in value && Number.isSafeInteger(value.atMicros);
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value)) return false;
  const [key, fingerprint, rest] = value;
  return typeof key === "string" && typeof fingerprint === "string" && isRest(rest);
}

function isRest(rest: unknown): boolean {
  if (rest === undefined) return true;
  if (typeof rest !== "object" || rest === null) return false;
  return !("extent" in rest) || isExtent(rest.extent);
}

function isExtent(value: unknown): value is Extent {
  return Array.isArray(value) && value.length >= 2 && value.every(Number.isFinite);
}
