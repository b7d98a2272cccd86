import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { recordCountOf, type SessionEvent, stringifyJson } from "@pond/canonical";
import {
  type Extracted,
  fileFingerprint,
  isSystemError,
  openRecord,
  type SourceRecord,
} from "@pond/canonical/adapter";
import { agentLogKind, continuedId, type Fork, forkOf } from "./copied-agents.ts";
import type { Dialect } from "./dialect.ts";
import type { Owner, SessionFiles } from "./discover.ts";
import { type Head, type LogOptions, readHead, readLog } from "./head.ts";
import { importedSession } from "./imported.ts";
import { idInName, logSuffix, stemOf } from "./layout.ts";
import { isPath, type LogIndex, lastSegment } from "./log-index.ts";
import { headerOf } from "./log-start.ts";
import { isUnpackFault, type OriginEntries } from "./origin-entries.ts";

/** What a session descends from. */
export type Descent = {
  /**
   * Its own id, if that differs from the one in its header: for an agent that went on in a fork.
   */
  readonly id?: Extracted<string> | undefined;
  readonly parent?: Extracted<string> | undefined;
  /** The last entry that was copied from the parent. */
  readonly cutPoint?: Extracted<string> | undefined;
  /** Its relation to the session that its header names, whether the cut-point is known or not. */
  readonly relation?: "fork" | "agent";
  /** What could not be looked up, because a log is missing now. */
  readonly unresolved?: SessionEvent["unresolved"] | undefined;
};

/** Where logs are looked for, and how they are read. */
type Source = {
  readonly logs: LogIndex;
  readonly origins: OriginEntries;
  readonly dialect: Dialect;
  readonly options: LogOptions;
};

/**
 * Finds what a session descends from: for a fork by its header, for a sub-agent by its place, for
 * an import of omp's by what follows it.
 */
export async function descentOf(files: SessionFiles, head: Head, place: Source): Promise<Descent> {
  const { file, owner } = files;
  const origin = originOf(head.header);
  const fork = owner && forkOf(owner.folder, place.logs);
  const above: Descent = owner ? await agentParentOf(files, owner, fork, place) : {};
  const isAgent = above.parent !== undefined;
  const id = owner && fork && idInFork(files, owner, fork, place);
  if (id) return { ...above, id, ...(origin !== undefined && { relation: "agent" }) };
  if (origin === undefined && owner === undefined && place.dialect.hasImports) {
    const imported = await importedSession(files.file, place);
    return imported ? { parent: imported, relation: "fork" } : {};
  }
  if (origin === undefined) return above;
  const log = place.logs.find(file, origin);
  const source = log && log !== file ? await headOf(log, place) : undefined;
  // A copy in a folder of artifacts was cut from the session it names.
  const parent = source?.header.id("id") ?? idOfMissing(head.header, origin) ?? above.parent;
  if (log === undefined || source === undefined) {
    if (isAgent) return { ...above, relation: "agent", unresolved: "parent" };
    if (parent === undefined) return { unresolved: "parent" };
    return { parent, relation: "fork", unresolved: isPath(origin) ? "parent" : "cut_point" };
  }
  if (parent === undefined) return {};
  const { cutPoint, unresolved } = await lastCopied(file, head, { log, source }, place);
  if (!isAgent) return { parent, cutPoint, relation: "fork", unresolved };
  if (cutPoint) return { parent, cutPoint, relation: "agent", unresolved };
  return { ...above, relation: "agent", unresolved: unresolved ? "parent" : above.unresolved };
}

/** What the header names as its origin: the path of a log or the id of a session. */
function originOf(header: SourceRecord): string | undefined {
  // Version 1 has another name for it.
  const origin = header.peek("parentSession") ?? header.peek("branchedFrom");
  const isUsable = typeof origin === "string" && origin !== "" && origin.isWellFormed();
  return isUsable && origin !== header.peek("id") ? origin : undefined;
}

/**
 * What {@link descentOf} looks up beside a log: which of the logs exist that may have started it,
 * and the state of the one it was cut from.
 */
export function parentState({ file, owner }: SessionFiles, logs: LogIndex): string {
  const { parentSession, branchedFrom, id } = headerOf(file) ?? {};
  const origin = parentSession ?? branchedFrom;
  const isNamed = typeof origin === "string" && origin !== "" && origin !== id;
  const source = isNamed ? logs.find(file, origin) : undefined;
  const stats = source && statSync(source, { bigint: true, throwIfNoEntry: false });
  const agents = owner ? parentCandidates(owner.path).map((path) => join(owner.folder, path)) : [];
  const above = owner ? [...agents, `${owner.folder}${logSuffix}`] : [];
  const ids = above.map((place) => {
    const log = logs.at(place);
    return (log && headerOf(log)?.["id"]) ?? null;
  });
  return stringifyJson([...ids, stats ? fileFingerprint(stats) : null]);
}

/** The id of a session whose log is gone: the one in the name of the log, or the one given. */
function idOfMissing(header: SourceRecord, origin: string): Extracted<string> | undefined {
  const id = isPath(origin) ? idInName(lastSegment(origin)) : origin;
  return id === undefined ? undefined : openRecord(header.at, { id }).id("id");
}

/** The id of an agent's session that a fork continues, or has alone. */
function idInFork(
  { file }: SessionFiles,
  { path }: Owner,
  fork: Fork,
  { logs, dialect }: Source,
): Extracted<string> | undefined {
  if (agentLogKind(fork, file, path, logs) === "own") return undefined;
  const at = { adapter: dialect.origin, uri: file, record: "path" };
  return openRecord(at, { id: continuedId(fork, path) }).id("id");
}

/** The session that started a sub-agent: `A.B` and `A/B` belong to agent `A`, if that is there. */
async function agentParentOf(
  files: SessionFiles,
  { folder, path }: Owner,
  fork: Fork | undefined,
  place: Source,
): Promise<Pick<Descent, "parent" | "unresolved">> {
  const at = { adapter: place.dialect.origin, uri: files.file, record: "path" };
  let hasMissing = false;
  for (const owner of parentCandidates(path)) {
    const log = place.logs.at(join(folder, owner));
    const kind = log && agentLogKind(fork, log, owner, place.logs);
    // It is not a session of the fork's.
    if (kind === "copy") continue;
    const head = log === undefined || log === files.file ? undefined : await headOf(log, place);
    const own = head?.header.id("id");
    const continued = kind === "continued" && fork ? continuedId(fork, owner) : undefined;
    const parent = continued === undefined ? own : openRecord(at, { continued }).id("continued");
    if (own && parent) return { parent, unresolved: hasMissing ? "parent" : undefined };
    hasMissing = true;
  }
  const log = place.logs.at(`${folder}${logSuffix}`);
  const head = log === undefined ? undefined : await headOf(log, place);
  const id = head?.header.id("id");
  // The header of a fork says whose agents are in its folder, too.
  const isUnsure = hasMissing || head?.lost !== undefined;
  if (id) return { parent: id, unresolved: isUnsure ? "parent" : undefined };
  const named = idInName(basename(folder));
  const parent = named === undefined ? undefined : openRecord(at, { id: named }).id("id");
  return { parent, unresolved: "parent" };
}

/** Paths of logs in a folder of artifacts that may be the parent's, the nearest first. */
function parentCandidates(path: string): readonly string[] {
  const owners: string[] = [];
  const place = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : undefined;
  const names = stemOf(basename(path)).split(".");
  for (let length = names.length - 1; length > 0; length--) {
    const name = `${names.slice(0, length).join(".")}${logSuffix}`;
    owners.push(place === undefined ? name : `${place}/${name}`);
  }
  for (let above = place; above !== undefined; ) {
    owners.push(`${above}${logSuffix}`);
    above = above.includes("/") ? above.slice(0, above.lastIndexOf("/")) : undefined;
  }
  return owners;
}

/** The head of a log; undefined if it cannot be read, which reading that log will report. */
async function headOf(log: string, { dialect, options }: Source): Promise<Head | undefined> {
  try {
    const head = await readHead(log, dialect, options);
    return head.kind === "head" ? head : undefined;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/**
 * The deepest entry of the copied beginning of a fork. Entries begun in version 1 have no names.
 */
async function lastCopied(
  file: string,
  head: Head,
  { log, source }: { readonly log: string; readonly source: Head },
  { origins, dialect, options }: Source,
): Promise<Pick<Descent, "cutPoint" | "unresolved">> {
  if (head.era.isBornV1 || source.era.isBornV1) return {};
  const { ids: known, isWhole, isBroken } = await origins.of(log, dialect, options);
  if (isBroken) return { unresolved: "cut_point" };
  const began = timeOf(head.header);
  let last: Extracted<string> | undefined;
  let isDamaged = false;
  for await (const batch of readLog(file, dialect, options)) {
    for (const event of batch) {
      if (isUnpackFault(event)) return { unresolved: "cut_point" };
      if (event.kind !== "record") {
        isDamaged ||= recordCountOf(event) > 0;
        continue;
      }
      const { record } = event;
      if (isRewrittenByFork(record)) continue;
      // Something damaged in the origin was copied if it is older than the fork.
      const isOlder = timeOf(record) < began;
      const isCopied = known.has(record.peek("id")) || (!isWhole && isOlder);
      if (!isCopied) {
        const isNamed = isDamaged && known.has(record.peek("parentId"));
        const cutPoint = (isNamed && record.id("parentId")) || last;
        // It was copied: its origin is not written, or not brought here, as far as that.
        return { cutPoint, unresolved: isOlder ? "cut_point" : undefined };
      }
      last = record.id("id") ?? last;
      isDamaged = false;
    }
  }
  return isDamaged ? { unresolved: "cut_point" } : { cutPoint: last };
}

/**
 * In milliseconds; for a record without a time, a number that is neither before nor after any
 * other.
 */
function timeOf(record: SourceRecord): number {
  const time = record.peek("timestamp");
  return typeof time === "string" ? Date.parse(time) : Number.NaN;
}

/** Records that a fork writes anew among those that it copies. */
function isRewrittenByFork(record: SourceRecord): boolean {
  const type = record.peek("type");
  return type === "session" || type === "title" || type === "label";
}
