import { type JsonValue, type Micros, recordCountOf } from "@pond/canonical";
import {
  type Extracted,
  openRecord,
  type RecordOutcome,
  type SourceRecord,
} from "@pond/canonical/adapter";
import { type LogOptions, readLog } from "./read-log.ts";

/** What a session says about itself, gathered from the first records that say it. */
export type Head = {
  /** The first time in file order, which need not be the earliest. */
  readonly createdAt?: Extracted<Micros>;
  /** The directory in which it was started. */
  readonly project?: Extracted<string>;
  /** The same directory as plain text, for comparisons. */
  readonly directory?: string;
  /** The id in its records; an agent's records have that of the main session. */
  readonly recordedId?: string;
  /**
   * True if a record belongs to this client: by an id in the client's form, or by what it has
   * instead.
   */
  readonly isOwn: boolean;
  /** True if a record is a row of a conversation rather than a note. */
  readonly hasRows: boolean;
  /** The session it was forked from, and the last record copied from there. */
  readonly fork?: {
    readonly session: Extracted<string>;
    readonly message: Extracted<string>;
    /** The id of that session as plain text, for comparisons. */
    readonly sessionId: string;
    /** The id that the last copied record has here, for comparisons. */
    readonly uuid: JsonValue | undefined;
  };
  /** The last record of the parent's that an agent was given as its context. */
  readonly contextEnd?: Extracted<string>;
  /** True if damage precedes its own rows: the last copied record may have been there. */
  readonly isCutDamaged: boolean;
  /** True after the first row that was not copied. */
  readonly hasOwnRows: boolean;
  /** True if no later record can add anything. */
  readonly isComplete: boolean;
};

const emptyHead: Head = {
  isOwn: false,
  hasRows: false,
  isCutDamaged: false,
  hasOwnRows: false,
  isComplete: false,
};

/** What the records of a log say, in order, as far as it is needed. `known` is what others said. */
export function headOf(entries: Iterable<RecordOutcome>, known: Head = emptyHead): Head {
  let head = known;
  for (const entry of entries) {
    if (head.isComplete) break;
    if (entry.kind === "record") head = withRecord(head, entry.record);
    else if (isLostRecord(entry) && !head.hasOwnRows) head = { ...head, isCutDamaged: true };
  }
  return head;
}

/** True for something that was a record. What is still being written may yet become one. */
function isLostRecord(entry: RecordOutcome): boolean {
  return entry.kind === "fault" && recordCountOf(entry) > 0;
}

/**
 * Reads a log until everything is known. A fork is read to the end of what it copied, because only
 * the last copied record is the cut-point.
 */
export async function readHead(file: string, options: LogOptions): Promise<Head> {
  let head = headOf([]);
  for await (const entries of readLog(file, { ...options, chunkBytes: 16 * 1024 })) {
    head = headOf(entries, head);
    if (head.isComplete) break;
  }
  return head;
}

function withRecord(head: Head, record: SourceRecord): Head {
  const fields = copyHeadFields(record);
  const createdAt = head.createdAt ?? fields.timestamp("timestamp");
  const project = head.project ?? (record.peek("cwd") === "" ? undefined : fields.string("cwd"));
  const cwd = record.peek("cwd");
  const directory = head.directory ?? (project && typeof cwd === "string" ? cwd : undefined);
  const recorded = record.peek("sessionId");
  const isId = typeof recorded === "string" && recorded !== "" && recorded.isWellFormed();
  const recordedId = head.recordedId ?? (isId ? recorded : undefined);
  const isRow = record.peek("uuid") !== undefined;
  const copied = forkOf(fields, record.peek("uuid"));
  const fork = copied ?? head.fork;
  const isContext = record.peek("type") === "fork-context-ref";
  const contextEnd = head.contextEnd ?? (isContext ? fields.id("parentLastUuid") : undefined);
  const isPastFork = copied === undefined && isRow;
  // The damage came after the cut if this row follows the last copied one.
  const isPastCut =
    copied !== undefined ||
    (isPastFork && !head.hasOwnRows && head.fork?.uuid === (record.peek("parentUuid") ?? null));
  return {
    ...(createdAt && { createdAt }),
    ...(project && { project }),
    ...(directory !== undefined && { directory }),
    ...(recordedId && { recordedId }),
    ...(fork && { fork }),
    ...(contextEnd && { contextEnd }),
    hasRows: head.hasRows || isRow,
    isCutDamaged: head.isCutDamaged && !isPastCut,
    hasOwnRows: head.hasOwnRows || isPastFork,
    isOwn: head.isOwn || isRow || recordedId !== undefined || isOwnWithoutId(record),
    isComplete: Boolean(isPastFork && createdAt && project && recordedId),
  };
}

/**
 * What the client writes without the id of a record or a session, and what distinguishes it from
 * other clients' records.
 */
const idlessTypes = new Map<JsonValue | undefined, string>([
  ["summary", "leafUuid"],
  ["file-history-snapshot", "messageId"],
  ["file-history-delta", "messageId"],
  ["teleported-from", "remoteSessionId"],
]);

function isOwnWithoutId(record: SourceRecord): boolean {
  const mark = idlessTypes.get(record.peek("type"));
  return mark !== undefined && record.peek(mark) !== undefined;
}

/**
 * The same fields in a record of their own: what is taken here still has to be read from the
 * original.
 */
function copyHeadFields(record: SourceRecord): SourceRecord {
  const fields = headFields.map((key) => [key, record.peek(key)]);
  return openRecord(record.at, Object.fromEntries(fields));
}

const headFields = ["timestamp", "cwd", "forkedFrom", "parentLastUuid"];

function forkOf(fields: SourceRecord, uuid: JsonValue | undefined): Head["fork"] {
  const from = fields.record("forkedFrom");
  const [session, message] = [from?.id("sessionId"), from?.id("messageUuid")];
  const sessionId = from?.peek("sessionId");
  if (!session || !message || typeof sessionId !== "string") return undefined;
  return { session, message, sessionId, uuid };
}
