import type { MessageEvent, ReadEvent } from "@pond/canonical";
import {
  ContentIds,
  openRecord,
  type RecordOutcome,
  reasonOf,
  type SourceRecord,
  sessionEvent,
} from "@pond/canonical/adapter";
import { fault, isReadError } from "./faults.ts";
import { headOf, isComplete, readHead } from "./head.ts";
import { origin } from "./origin.ts";
import { type ReadOptions, readEntries } from "./read-file.ts";
import { type Reading, RecordIds } from "./records/envelope.ts";
import { OpenAnswer } from "./records/event.ts";
import { Goals } from "./records/goals.ts";
import { readNames } from "./records/name.ts";
import { readRecord } from "./records/record.ts";
import type { ThreadNames } from "./thread-names.ts";
import type { Thread, ThreadFile } from "./threads.ts";

/**
 * The events of one thread: its session, then the records of its files in order, with the thread's
 * names placed among them by time. A file that a revert began follows the one it continues; what it
 * reverts stays.
 */
export async function* readSession(
  { files }: Thread,
  names: ThreadNames,
  { count, ...options }: ReadOptions,
): AsyncIterable<ReadEvent> {
  await names.refresh();
  let reading: Reading | undefined;
  let isOpened = false;
  for (const file of files) {
    let records = 0;
    let reason = notAttributable;
    try {
      for await (const entries of readEntries(file, { ...options, count })) {
        if (!isOpened) {
          isOpened = true;
          reading = await openReading(files, names, entries, { ...options, count });
          if (reading) yield reading.session;
        }
        for (const entry of entries) {
          if (entry.kind !== "record") yield entry;
          else if (reading) {
            if (records === 0) beginFile(reading, entry.record, file, files[0]);
            else for (const event of readNames(reading, entry.record)) yield event;
            for (const event of readRecord(entry.record, reading)) {
              yield isUncertain(event, reading) ? { ...event, isIncomplete: true } : event;
            }
          } else reason = printedRunReason(entry.record) ?? reason;
          if (entry.kind === "record") records++;
        }
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isReadError(error)) throw error;
      yield fault(file.file, reasonOf(error), error);
    }
    // Dropped rather than given an invented project or time.
    if (reading === undefined && records > 0) {
      yield { ...fault(file.file, reason), records };
    }
  }
  if (reading) for (const event of readNames(reading)) yield event;
}

/**
 * True for a message in the user's place if the thread's header, which says whose it is, is lost.
 */
function isUncertain(event: ReadEvent, { session }: Reading): event is MessageEvent {
  return (
    session.unresolved !== undefined && event.kind === "message" && event.message.role === "user"
  );
}

function beginFile(
  reading: Reading,
  header: SourceRecord,
  file: ThreadFile,
  first: ThreadFile | undefined,
): void {
  const { rollout } = file.name;
  if (rollout !== undefined) {
    reading.ids = new RecordIds(rollout);
    reading.goals.revert(header);
  }
  // The session says where the first file is; for a later file, its first record does.
  if (file !== first) reading.path = place(file, "path");
}

const notAttributable =
  "no record holds an id, a working directory and a time: not ingested (`model-project-non-empty`)";

/**
 * Why the client's printed output becomes no session, by its first record; undefined for any other
 * record.
 */
function printedRunReason(record: SourceRecord): string | undefined {
  const id = record.peek("thread_id");
  if (record.peek("type") !== "thread.started" || typeof id !== "string") return undefined;
  return `output of \`codex exec --json\`, not a session file: not ingested; the session itself is the file below sessions/ named for ${id}, where it was kept`;
}

/** What is known before the first record; undefined if the thread cannot become a session. */
async function openReading(
  files: readonly ThreadFile[],
  names: ThreadNames,
  entries: readonly RecordOutcome[],
  { count, ...options }: ReadOptions,
): Promise<Reading | undefined> {
  const [first] = files;
  const begin = headOf(entries, first?.name.thread);
  // The rest may say what the first chunk does not.
  const head = isComplete(begin) ? begin : await readHead(files, options);
  // The file name comes first: the header may be damaged, so that one copied by a fork is left.
  const id = (first && place(first, "thread")) ?? head.meta?.id;
  const createdAt = head.meta?.createdAt ?? head.firstTime;
  const directory = head.meta?.project ?? head.project ?? head.firstDirectory;
  // A conversation is too valuable to be dropped for lack of a directory.
  const project = directory ?? head.repository;
  if (id === undefined || createdAt === undefined || project === undefined) return undefined;
  const session = sessionEvent({
    id,
    parentSessionId: head.meta?.parent,
    sourceAgent: origin,
    createdAt,
    project,
    // Its header named the parent, if it had any.
    unresolved: head.meta === undefined ? "parent" : undefined,
    // Another client must not take a fork for an agent of its parent.
    source: {
      path: first && place(first, "path"),
      relation: head.meta?.isFork ? "fork" : undefined,
    },
  });
  const ids = new RecordIds();
  const author = head.meta?.author ?? "human";
  return {
    session,
    anchor: createdAt,
    author,
    names: [...names.of(first?.name.thread)],
    nameIds: new ContentIds(),
    count,
    historyStart: head.meta?.historyStart,
    ids,
    toolNames: new Map(),
    questions: new Set(),
    answer: new OpenAnswer(),
    goals: new Goals(),
    rules: undefined,
    path: undefined,
  };
}

/** What the place of a file says, as a record to extract from. */
function place({ file, path, name }: ThreadFile, key: "path" | "thread") {
  const at = { adapter: origin, uri: file, record: "path" };
  return openRecord(at, { path, thread: name.thread ?? null }).string(key);
}
