import { existsSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import type { FaultEvent, ReadEvent } from "@pond/canonical";
import {
  isSystemError,
  openRecord,
  type RecordOutcome,
  reasonOf,
  type SourceRecord,
  sessionEvent,
} from "@pond/canonical/adapter";
import type { AgentParent, AgentParents } from "./agent-parents.ts";
import type { Directories } from "./directories.ts";
import type { SessionFiles, SidecarFile } from "./discover.ts";
import { fault } from "./faults.ts";
import { type Head, headOf, readHead } from "./head.ts";
import { agentSuffix, agentsFolder, projectSlug, sessionPath, sessionSuffix } from "./layout.ts";
import { origin } from "./origin.ts";
import { type LogOptions, readLog } from "./read-log.ts";
import { type Reading, RecordIds } from "./records/envelope.ts";
import { HelperConversation } from "./records/helper-conversation.ts";
import { PromptQueue } from "./records/queue.ts";
import { readRecord } from "./records/record.ts";
import { readSidecar } from "./records/sidecar.ts";

/** Where a session is read from. */
export type Place = {
  readonly projects: string;
  /** The directories that the sessions of each folder there worked in. */
  readonly directories: Directories;
  readonly agentParents: AgentParents;
};

/**
 * The events of one session: the session itself, its records in file order, its sidecars. It is one
 * generator without delegation, because either would make every event wait for more promises.
 */
export async function* readSession(
  place: Place,
  files: SessionFiles,
  { count, ...options }: LogOptions,
): AsyncIterable<ReadEvent> {
  try {
    let reading: Reading | undefined;
    let records = 0;
    let reason = notAttributable;
    let flags: Pick<FaultEvent, "isLeftover" | "isRetryable"> = {};
    let isFirst = true;
    for await (const entries of readLog(files.file, { ...options, count })) {
      if (isFirst) {
        isFirst = false;
        const printed = printedRunReason(entries);
        if (printed !== undefined) reason = printed;
        else {
          // The rest of the file may say what the first chunk does not.
          const head = headOf(entries);
          const whole = head.isComplete ? head : await readHead(files.file, options);
          if (!whole.isOwn && !liesBelowSession(files)) reason = notOfClient;
          else {
            reading = await openReading(place, files, whole, options);
            // A title and notes about files hold nothing to continue. The prompt of a run that
            // ended early may get a directory from the next session beside it.
            if (whole.createdAt) flags = { isRetryable: true };
            else if (!whole.hasRows) flags = { isLeftover: true };
          }
          if (reading) yield reading.session;
        }
      }
      for (const entry of entries) {
        if (entry.kind !== "record") yield entry;
        else if (reading === undefined) records++;
        else for (const event of readRecord(entry.record, reading)) yield event;
      }
    }
    // Dropped rather than given an invented project or time.
    if (reading === undefined && records > 0) {
      yield { ...fault(files.file, reason), records, ...flags };
    }
    for (const sidecar of reading ? files.sidecars : []) {
      count?.add(1);
      if (reading) for (const event of openSidecar(sidecar, reading)) yield event;
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!isSystemError(error)) throw error;
    yield fault(files.file, reasonOf(error), error);
  }
}

function openSidecar(sidecar: SidecarFile, reading: Reading): readonly ReadEvent[] {
  try {
    return readSidecar(sidecar, reading);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [{ ...fault(sidecar.file, reasonOf(error), error), records: 1, isLogWhole: true }];
  }
}

const notAttributable =
  "no record holds a working directory and a time: not ingested (`model-project-non-empty`)";

const notOfClient =
  "no record has a `sessionId` or a `uuid`: not a log of Claude Code, not ingested";

/** True for the log of an agent: its place says whose it is, whatever its records say. */
function liesBelowSession({ key }: SessionFiles): boolean {
  return sessionPath(key)?.root !== undefined;
}

/** Why the printed output of a run becomes no session; undefined for anything else. */
function printedRunReason(entries: readonly RecordOutcome[]): string | undefined {
  const records = entries.flatMap((entry) => (entry.kind === "record" ? [entry.record] : []));
  // Rows of a session name it in this way, whatever else is among them.
  if (records.some((record) => record.peek("sessionId") !== undefined)) return undefined;
  for (const record of records) {
    const [id, cwd] = [record.peek("session_id"), record.peek("cwd")];
    const isStart = record.peek("type") === "system" && record.peek("subtype") === "init";
    if (!isStart || typeof id !== "string" || typeof cwd !== "string") continue;
    const place = `projects/${projectSlug(cwd)}/${id}${sessionSuffix}`;
    return `output of \`--output-format stream-json\`, not a session file: not ingested; the session itself is ${place}, where it was kept`;
  }
  return undefined;
}

/** What is known before the first record; undefined if the file cannot become a session. */
async function openReading(
  { projects, directories, agentParents }: Place,
  files: SessionFiles,
  head: Head,
  options: LogOptions,
): Promise<Reading | undefined> {
  const main = mainFile(projects, files.key);
  const project =
    head.project ??
    (main !== undefined && existsSync(main)
      ? (await readHead(main, options)).project
      : undefined) ??
    (head.createdAt && (await directories.of(files.key, options)));
  if (head.createdAt === undefined || project === undefined) return undefined;

  const starter = starterOf(files, agentParents);
  const place = placeOf(files, head, starter);
  const agentOf = place.string("parent");
  const parentSessionId = agentOf ?? forkParent(files, head);
  const isCutLost =
    parentSessionId !== undefined && head.contextEnd === undefined && head.isCutDamaged;
  const cut = head.contextEnd ?? (isCutLost ? undefined : head.fork?.message);
  const relation = head.contextEnd ? "agent" : isCutLost && !agentOf ? "fork" : undefined;
  const session = sessionEvent({
    id: place.requireString("id"),
    parentSessionId,
    parentMessageId: parentSessionId && cut,
    sourceAgent: origin,
    createdAt: head.createdAt,
    project,
    unresolved: starter.isGone ? "parent" : isCutLost ? "cut_point" : undefined,
    source: {
      path: place.requireString("path"),
      // A session with the history of the one that started it is not a fork because of a cut-point,
      // and a fork may lack one.
      relation: parentSessionId && relation,
    },
  });
  return {
    session,
    anchor: head.createdAt,
    ids: new RecordIds(),
    toolNames: new Map(),
    questions: new Set(),
    queue: new PromptQueue(),
    helperConversation: new HelperConversation(),
  };
}

/** The log of the main session that an agent belongs to. */
function mainFile(projects: string, key: string): string | undefined {
  const path = sessionPath(key);
  return path?.root && join(projects, path.slug, `${path.root}${sessionSuffix}`);
}

/** What the place of a file says about its session, as a record to extract from. */
function placeOf(files: SessionFiles, head: Head, { log }: AgentParent): SourceRecord {
  const path = sessionPath(files.key);
  const name = path?.name ?? files.key;
  // The place of an agent's file beside its main session does not say whose it is, but its records
  // do.
  const root = path?.isOldAgent ? head.recordedId : path?.root;
  const place = name.startsWith(`${agentsFolder}/`) ? name : `${agentsFolder}/${name}`;
  const id = path?.isOldAgent && root !== undefined ? `${root}/${place}` : name;
  const agent =
    root !== undefined && log ? agentId(log, { file: files.file, root, id }) : undefined;
  const parent = agent ?? root;
  const at = { adapter: origin, uri: files.file, record: "path" };
  return openRecord(at, { id, path: files.key, ...(parent !== undefined && { parent }) });
}

/** The agent that started this one, if its descriptor names one. */
function starterOf({ file, sidecars }: SessionFiles, agentParents: AgentParents): AgentParent {
  const hasDescriptor = sidecars.some(({ path }) => path.endsWith(agentSuffix));
  return hasDescriptor ? agentParents.of(file) : { isGone: false };
}

/** The session id of an agent, from one that it started. */
function agentId(
  log: string,
  { file, root, id }: { readonly file: string; readonly root: string; readonly id: string },
): string {
  const isBeside = dirname(log) === dirname(file);
  const folder = isBeside ? posix.dirname(id) : `${root}/${agentsFolder}`;
  return `${folder}/${basename(log, sessionSuffix)}`;
}

/**
 * The session that a main one was forked from. A session that names itself would descend from
 * itself.
 */
function forkParent({ key }: SessionFiles, { fork }: Head) {
  const path = sessionPath(key);
  const isOther = fork !== undefined && fork.sessionId !== path?.name;
  return path?.root === undefined && isOther ? fork.session : undefined;
}
