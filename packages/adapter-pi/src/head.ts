import { basename } from "node:path";
import {
  type FaultEvent,
  type JsonObject,
  type JsonValue,
  type PendingEvent,
  SourceFault,
} from "@pond/canonical";
import {
  fileChunks,
  fileFault,
  isLeftAlone,
  type LineOptions,
  openRecord,
  RecordCount,
  type RecordOutcome,
  readRecords,
  type SourceRecord,
} from "@pond/canonical/adapter";
import type { Dialect } from "./dialect.ts";
import { archivedSuffix, idInName, timeInName } from "./layout.ts";
import { assumedVersion, EntryNormalizer, type Era, eraOf, hookRoleOf } from "./migration.ts";
import { unpack } from "./unpack.ts";

export type LogOptions = LineOptions & {
  readonly signal?: AbortSignal | undefined;
  readonly count?: RecordCount | undefined;
};

/** What has to be known about a log before its first entry is read. */
export type Head = {
  readonly kind: "head";
  /** For a log whose header is lost: what its name says. */
  readonly header: SourceRecord;
  /** Set for a log without a header. */
  readonly lost?: FaultEvent;
  readonly era: Era;
  /**
   * For a session begun in version 1: what a migration writes, and parents that no client reads, by
   * the entry's position in the log. It is kept with the header, so that the entries are the same
   * before and after.
   */
  readonly links: JsonObject | undefined;
};

/** The records of a log, one batch per chunk. */
export function readLog(
  file: string,
  { origin }: Dialect,
  options: LogOptions,
  chunkBytes?: number,
): AsyncGenerator<readonly RecordOutcome[]> {
  const source = { adapter: origin, uri: file };
  const all = { ...options, isLeftAlone: () => isLeftAlone(file) };
  if (file.endsWith(archivedSuffix)) return readArchived(source, all);
  return readRecords(fileChunks(file, chunkBytes), source, all);
}

/** The records of a compressed log, as far as it can be unpacked. */
async function* readArchived(
  source: { readonly adapter: string; readonly uri: string },
  options: LogOptions & { readonly isLeftAlone: () => boolean },
): AsyncGenerator<readonly RecordOutcome[]> {
  try {
    yield* readRecords(unpack(source.uri, source.adapter), source, options);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    yield [{ kind: "fault", fault: error, records: 0 }];
  }
}

/** True for the header of a session. */
export function isHeader(record: SourceRecord): boolean {
  const id = record.peek("id");
  const isId = typeof id === "string" && id !== "" && id.isWellFormed();
  return record.peek("type") === "session" && isId;
}

/** Why a log is not a session. */
type NoHead = {
  readonly kind: "none";
  readonly problems: readonly (FaultEvent | PendingEvent)[];
  /** How many records were looked at; the problems report each of them. */
  readonly records: number;
};

/**
 * Reads a log up to the record after its header, or to the end if it was begun in version 1. A log
 * with damage in place of its header is a session if its name and its entries are a session's; what
 * is wrong with it is reported.
 */
export async function readHead(
  file: string,
  dialect: Dialect,
  options: LogOptions,
): Promise<Head | NoHead> {
  const problems = new Problems(file, dialect);
  let head: Omit<Head, "links"> | undefined;
  let normalizer: EntryNormalizer | undefined;
  let isOther = false;
  let isLost = false;
  const count = new RecordCount();
  const links: { [position: string]: JsonValue } = {};
  for await (const batch of readLog(file, dialect, { ...options, count }, headChunkBytes)) {
    for (const event of batch) {
      if (event.kind !== "record") {
        problems.add(event);
        continue;
      }
      const { record } = event;
      if (normalizer) {
        const { links: own } = normalizer.normalize(record);
        if (own) links[normalizer.position] = own;
      } else if (head) {
        if (!isRunEvent(record)) return { ...head, links: undefined };
        return noHead(problems, count, fileFault(dialect.origin, file, runOutputReason(dialect)));
      } else if (isHeader(record)) {
        const era = eraOf(record);
        head = { kind: "head", header: record, era };
        if (era.isBornV1) normalizer = new EntryNormalizer(era);
      } else if (isVersion4(record)) {
        return noHead(problems, count, fileFault(dialect.origin, file, version4Reason));
      } else {
        // Entries may precede a header that is still to come, but damage in its place may not.
        isLost ||= !isOther && problems.hasAny && isEntry(record);
        isOther ||= record.peek("type") !== "title";
      }
    }
  }
  if (head) return { ...head, links: Object.keys(links).length > 0 ? links : undefined };
  const named = isLost ? headFromName(file, dialect) : undefined;
  if (named) return named;
  if (isOther) return noHead(problems, count, fileFault(dialect.origin, file, noHeader));
  return noHead(problems, count, notBegun(file, dialect));
}

/** What a log is in which no session has begun. */
function notBegun(file: string, { origin }: Dialect): FaultEvent | PendingEvent {
  if (isLeftAlone(file)) return { ...fileFault(origin, file, neverBegun), isLeftover: true };
  return { kind: "pending", location: file, reason: "no header yet" };
}

/**
 * The head of a log whose header is lost, from its name, which has the id and the time, too; each
 * client names its logs like this. Entries with ids are not of version 1.
 */
function headFromName(file: string, { origin }: Dialect): Head | undefined {
  const name = basename(file);
  const id = idInName(name);
  if (id === undefined) return undefined;
  const timestamp = timeInName(name);
  const said = { id, ...(timestamp !== undefined && { timestamp }) };
  const header = openRecord({ adapter: origin, uri: file, record: "path" }, said);
  const era: Era = { isBornV1: false, isMigrated: false, hookRole: hookRoleOf(assumedVersion) };
  const lost: FaultEvent = { ...fileFault(origin, file, lostHeader), records: 0 };
  return { kind: "head", header, era, links: undefined, lost };
}

/** True for a record with an id and a time, as every entry has since version 2. */
function isEntry(record: SourceRecord): boolean {
  const [type, id] = [record.peek("type"), record.peek("id")];
  const isNamed = typeof type === "string" && typeof id === "string" && id !== "";
  return isNamed && record.timestamp("timestamp") !== undefined;
}

// Each takes some kilobytes, and a sync shows fewer of one file.
const maxProblems = 1_000;

/** The problems of a log; of very many the rest are one. */
class Problems {
  readonly #file: string;
  readonly #dialect: Dialect;
  readonly #first: (FaultEvent | PendingEvent)[] = [];
  #furtherRecords = 0;

  constructor(file: string, dialect: Dialect) {
    this.#file = file;
    this.#dialect = dialect;
  }

  get hasAny(): boolean {
    return this.#first.length > 0;
  }

  add(problem: FaultEvent | PendingEvent): void {
    if (this.#first.length < maxProblems) this.#first.push(problem);
    else this.#furtherRecords += problem.records ?? 1;
  }

  all(): readonly (FaultEvent | PendingEvent)[] {
    if (this.#furtherRecords === 0) return this.#first;
    const reason = `${this.#furtherRecords} more lines hold no record`;
    const further = fileFault(this.#dialect.origin, this.#file, reason);
    return [...this.#first, { ...further, records: this.#furtherRecords }];
  }
}

/** The last problem also counts for every record that has no problem itself. */
function noHead(
  found: Problems,
  { records = 0 }: RecordCount,
  last: FaultEvent | PendingEvent,
): NoHead {
  const others = found.all();
  const reported = others.reduce((sum, { records: own = 1 }) => sum + own, 0);
  const isNotBegun = last.kind === "pending" || last.isLeftover;
  const problems =
    isNotBegun && records === reported
      ? others
      : [...others, { ...last, records: records - reported }];
  return { kind: "none", problems, records };
}

/** Version 4 belongs to a library; its lines are entirely different. */
function isVersion4(record: SourceRecord): boolean {
  return record.peek("kind") === "header" && record.peek("version") === 4;
}

/**
 * True for what a client prints about a run, after the header of the session that it continues.
 * Entries have an id and a time, and none has such a name.
 */
function isRunEvent(record: SourceRecord): boolean {
  const type = record.peek("type");
  if (record.peek("id") !== undefined && record.peek("timestamp") !== undefined) return false;
  return typeof type === "string" && runEvent.test(type);
}

const runEvent = /_(?:start|update|end|changed|request)$|^notice$/;

const runOutputReason = ({ origin }: Dialect): string =>
  `output of \`${origin} --mode json\`, not a session file: not ingested`;

const version4Reason = "a session of version 4, which the client does not write: not ingested";
const lostHeader =
  "no record is the header of a session: what its name and its entries say stands for it";
const neverBegun = "it ends before the header of a session: nothing was said in it";
const noHeader = "no record is the header of a session: not ingested";

// The header is the first line, so little is read twice.
const headChunkBytes = 16 * 1024;
