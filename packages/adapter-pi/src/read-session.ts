import { basename, dirname } from "node:path";
import type { CanonicalEvent, MessageEvent, Micros, ReadEvent } from "@pond/canonical";
import { SourceFault } from "@pond/canonical";
import {
  type Extracted,
  fileFault,
  isSystemError,
  openRecord,
  type RecordCount,
  reasonOf,
  type SourceRecord,
  sessionEvent,
} from "@pond/canonical/adapter";
import type { Dialect } from "./dialect.ts";
import type { Directories } from "./directories.ts";
import type { SessionFiles } from "./discover.ts";
import { type Head, isHeader, type LogOptions, readHead, readLog } from "./head.ts";
import type { ImportedPrompts } from "./imported.ts";
import { descentOf } from "./lineage.ts";
import type { LogIndex } from "./log-index.ts";
import { EntryNormalizer, type NormalizedEntry } from "./migration.ts";
import type { OriginEntries } from "./origin-entries.ts";
import { AgentTask } from "./provenance.ts";
import { readArtifact, readBlob } from "./records/artifact.ts";
import { Blobs, blobHashesOf } from "./records/blobs.ts";
import { readEntry } from "./records/entry.ts";
import { EntryIds } from "./records/entry-ids.ts";
import { readHeader } from "./records/header.ts";
import type { Reading } from "./records/reading.ts";

/** Where a session is read from. */
export type Source = {
  readonly logs: LogIndex;
  /** The content of logs that others were cut from. */
  readonly origins: OriginEntries;
  /** The directories that the sessions of each folder worked in. */
  readonly directories: Directories;
  readonly dialect: Dialect;
  /** Folders of the files that logs refer to by their hash; none for a client without them. */
  readonly blobs: readonly string[];
  /** How to cut prompts that the client imported from others. */
  readonly prompts: ImportedPrompts;
  readonly options: LogOptions;
};

/**
 * The events of one session: the session itself, its log in file order with the whole tree, and the
 * files that belong to it. It is one generator without delegation, because either would make every
 * event wait for more promises.
 */
export async function* readSession(files: SessionFiles, from: Source): AsyncIterable<ReadEvent> {
  const { count, ...options } = from.options;
  // Only records that are read for good are counted, not those looked at to decide how.
  const source = { ...from, options };
  const { dialect } = source;
  try {
    const head = await readHead(files.file, dialect, options);
    if (head.kind === "none") {
      count?.add(head.records);
      yield* head.problems;
      return;
    }
    const reading = await openReading(files, head, source);
    if (reading instanceof SourceFault) {
      count?.add(1);
      yield { kind: "fault", fault: reading };
      return;
    }
    yield reading.session;
    if (head.lost) yield head.lost;
    let isPastHeader = false;
    let title: SourceRecord | undefined;
    // What precedes the header was migrated by nobody: the clients refuse such a file.
    const plain = { ...reading.era, isBornV1: false, isMigrated: false };
    const before: Reading = { ...reading, era: plain, normalizer: new EntryNormalizer(plain) };
    for await (const batch of readLog(files.file, dialect, { ...options, count })) {
      for (const event of batch) {
        if (event.kind !== "record") {
          yield event;
          continue;
        }
        const { record } = event;
        reading.blobs.note(record);
        if (!isPastHeader && isHeader(record)) {
          isPastHeader = true;
          yield readHeader(record, title, head.links, reading);
        } else if (!isPastHeader && title === undefined && record.peek("type") === "title") {
          title = record;
        } else {
          const place = isPastHeader ? reading : before;
          // A title that is not right before the header is an entry like any other.
          for (const entry of isPastHeader || !title ? [record] : [title, record]) {
            for (const one of readWithBlobs(place.normalizer.normalize(entry), place)) yield one;
          }
          if (!isPastHeader) title = undefined;
        }
        for (const fault of reading.blobs.faults()) yield fault;
      }
    }
    // In a log whose header is lost, no header follows.
    if (title && !isPastHeader) {
      for (const one of readWithBlobs(before.normalizer.normalize(title), before)) yield one;
    }
    for (const sidecar of files.sidecars) {
      const kept = readArtifact(sidecar, reading);
      // A record that is gone again does not count.
      if (kept.length > 0) count?.add(1);
      for (const one of kept) yield one;
    }
    for (const one of readUnattachedBlobs(reading, count)) yield one;
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!isSystemError(error)) throw error;
    yield fileFault(dialect.origin, files.file, reasonOf(error), error);
  }
}

/** The events of an entry, which say if a file that belongs to its messages is gone. */
function readWithBlobs(entry: NormalizedEntry, reading: Reading): readonly CanonicalEvent[] {
  const events = readEntry(entry, reading);
  const failed = reading.blobs.failed();
  if (failed.size === 0) return events;
  const isStoredComplete: MessageEvent["isStoredComplete"] = ({ parts }) =>
    parts.flatMap(blobHashesOf).some((hash) => failed.has(hash));
  return events.map((each) =>
    each.kind === "message" ? { ...each, isIncomplete: true, isStoredComplete } : each,
  );
}

/** Files that the log refers to where no part can hold them. */
function* readUnattachedBlobs(
  reading: Reading,
  count: RecordCount | undefined,
): Generator<ReadEvent> {
  for (const [hash, at] of reading.blobs.unattached()) {
    const bytes = reading.blobs.read(hash, { at });
    if (bytes === undefined) continue;
    count?.add(1);
    yield* readBlob(hash, bytes, reading);
  }
  yield* reading.blobs.faults();
}

/** What is known before the first record; a fault if no session can be made of the log. */
async function openReading(
  files: SessionFiles,
  head: Head,
  { logs, origins, directories, dialect, blobs, prompts, options }: Source,
): Promise<Reading | SourceFault> {
  const { header } = head;
  const place = placeOf(files, header);
  const project = header.peek("cwd") === "" ? undefined : header.string("cwd");
  const anchor = header.timestamp("timestamp") ?? (await firstTime(files.file, dialect, options));
  // Only if its header is lost: one that names no directory may never have had any.
  const isInFolder = head.lost !== undefined && files.owner === undefined;
  const folderDirectory = isInFolder ? directories.of(dirname(files.file)) : undefined;
  const scope = project ?? folderDirectory ?? place.string("folder");
  if (anchor === undefined || scope === undefined) {
    const missing = anchor === undefined ? "time" : "working directory";
    return new SourceFault(header.at, `the session has no ${missing}: not ingested`);
  }
  const descent = await descentOf(files, head, { logs, origins, dialect, options });
  const { id, parent, cutPoint, relation, unresolved } = descent;
  const session = sessionEvent({
    id: id ?? header.requireString("id"),
    parentSessionId: parent,
    parentMessageId: cutPoint,
    sourceAgent: dialect.origin,
    createdAt: anchor,
    project: scope,
    // Its header named the origin, if it had any.
    unresolved: head.lost ? "parent" : unresolved,
    source: {
      path: place.requireString("path"),
      artifact: place.string("artifact"),
      copyOf: id && header.id("id"),
      relation,
    },
  });
  return {
    session,
    anchor,
    era: head.era,
    normalizer: new EntryNormalizer(head.era),
    ids: new EntryIds(),
    toolNames: new Map(),
    blobs: new Blobs(blobs),
    prompts,
    agent: dialect.hasAgents && files.owner && !relation ? new AgentTask() : undefined,
  };
}

/** What the place of a log says about its session, as a record to extract from. */
function placeOf({ file, key, owner }: SessionFiles, { at }: SourceRecord): SourceRecord {
  // If an old header has no directory, the folder still tells the sessions of one apart.
  const folder = basename(owner ? dirname(owner.folder) : dirname(file));
  const fields = { path: key, ...(folder !== "" && { folder }) };
  return openRecord(at, owner ? { ...fields, artifact: owner.path } : fields);
}

/** The first time of an entry, if the header has none. */
async function firstTime(
  file: string,
  dialect: Dialect,
  options: LogOptions,
): Promise<Extracted<Micros> | undefined> {
  for await (const batch of readLog(file, dialect, options)) {
    for (const event of batch) {
      const time = event.kind === "record" ? event.record.timestamp("timestamp") : undefined;
      if (time) return time;
    }
  }
  return undefined;
}
