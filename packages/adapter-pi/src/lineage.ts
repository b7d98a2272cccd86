import { basename, join } from "node:path";
import {
  type Extracted,
  isSystemError,
  openRecord,
  type RecordOutcome,
  type SourceRecord,
} from "@pond/canonical/adapter";
import type { Dialect } from "./dialect.ts";
import type { Owner, SessionFiles } from "./discover.ts";
import { findLog, isPath, lastStep, logOf } from "./find-log.ts";
import { type Head, type LogOptions, readHead, readLog } from "./head.ts";
import { idInName, logSuffix, type Root, stemOf } from "./layout.ts";

/** What a session descends from. */
export type Descent = {
  readonly parent?: Extracted<string> | undefined;
  /** The last entry that was copied from the parent. */
  readonly cutPoint?: Extracted<string> | undefined;
  /** What it is of the session that its header names, whether the cut-point is known or not. */
  readonly relation?: "fork" | "agent";
};

/** Where logs are looked for, and how they are read. */
type Source = {
  readonly root: Root;
  readonly dialect: Dialect;
  readonly options: LogOptions;
};

/** Finds what a session descends from: as a fork by its header, as a sub-agent by its place. */
export async function descentOf(files: SessionFiles, head: Head, place: Source): Promise<Descent> {
  const origin = originOf(head.header);
  const above = files.owner && (await ownerOf(files, files.owner, place));
  if (origin === undefined) return { parent: above };
  const log = findLog(files.file, origin, place.root);
  const source = log && log !== files.file ? await headOf(log, place) : undefined;
  // A copy that lies in a folder of artifacts was cut from the session it names.
  const parent = source?.header.id("id") ?? idOf(head.header, origin) ?? above;
  if (parent === undefined) return {};
  const cutPoint =
    log && source ? await lastCopied(files.file, head, { log, source }, place) : undefined;
  if (above) return { parent: cutPoint ? parent : above, cutPoint, relation: "agent" };
  return { parent, cutPoint, relation: "fork" };
}

/** What the header names as its origin: the path of a log or the id of a session. */
function originOf(header: SourceRecord): string | undefined {
  // Version 1 called it by another name.
  const origin = header.peek("parentSession") ?? header.peek("branchedFrom");
  const isUsable = typeof origin === "string" && origin !== "" && origin.isWellFormed();
  return isUsable && origin !== header.peek("id") ? origin : undefined;
}

/** The id of a session whose log is gone: that in the name of the log, or the one given. */
function idOf(header: SourceRecord, origin: string): Extracted<string> | undefined {
  const id = isPath(origin) ? idInName(lastStep(origin)) : origin;
  return id === undefined ? undefined : openRecord(header.at, { id }).id("id");
}

/** The session that started a sub-agent: `A.B` and `A/B` belong to agent `A`, where it is there. */
async function ownerOf(
  files: SessionFiles,
  { folder, path }: Owner,
  place: Source,
): Promise<Extracted<string> | undefined> {
  for (const owner of ownersOf(folder, path)) {
    const log = logOf(owner, place.root);
    const head = log === undefined || log === files.file ? undefined : await headOf(log, place);
    const id = head?.header.id("id");
    if (id) return id;
  }
  const id = idInName(basename(folder));
  const at = { adapter: place.dialect.origin, uri: files.file, record: "path" };
  return id === undefined ? undefined : openRecord(at, { id }).id("id");
}

/** Logs that may be the parent's, the nearest first. */
function ownersOf(folder: string, path: string): readonly string[] {
  const owners: string[] = [];
  const place = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : undefined;
  const names = stemOf(basename(path)).split(".");
  for (let length = names.length - 1; length > 0; length--) {
    const name = `${names.slice(0, length).join(".")}${logSuffix}`;
    owners.push(join(folder, place ?? "", name));
  }
  for (let above = place; above !== undefined; ) {
    owners.push(join(folder, `${above}${logSuffix}`));
    above = above.includes("/") ? above.slice(0, above.lastIndexOf("/")) : undefined;
  }
  return [...owners, `${folder}${logSuffix}`];
}

/** The head of a log; undefined where it cannot be read, which reading that log will tell. */
async function headOf(log: string, { dialect, options }: Source): Promise<Head | undefined> {
  try {
    const head = await readHead(log, dialect, options);
    return head.kind === "head" ? head : undefined;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** The deepest entry of the copied beginning of a fork. Entries begun in version 1 have no names. */
async function lastCopied(
  file: string,
  head: Head,
  { log, source }: { readonly log: string; readonly source: Head },
  { dialect, options }: Source,
): Promise<Extracted<string> | undefined> {
  if (head.era.isBornV1 || source.era.isBornV1) return undefined;
  const known = new Set<unknown>();
  for await (const batch of readLog(log, dialect, options)) {
    for (const event of batch) {
      if (isBreak(event)) return undefined;
      if (event.kind === "record") known.add(event.record.peek("id"));
    }
  }
  let last: Extracted<string> | undefined;
  for await (const batch of readLog(file, dialect, options)) {
    for (const event of batch) {
      if (isBreak(event)) return undefined;
      if (event.kind !== "record" || isAside(event.record)) continue;
      if (!known.has(event.record.peek("id"))) return last;
      last = event.record.id("id") ?? last;
    }
  }
  return last;
}

/** True where an archived log cannot be unpacked further: what was copied behind it is not known. */
function isBreak(event: RecordOutcome): boolean {
  return event.kind === "fault" && event.fault.details.record === "file";
}

/** Records that a fork writes anew among those it copies. */
function isAside(record: SourceRecord): boolean {
  const type = record.peek("type");
  return type === "session" || type === "title" || type === "label";
}
