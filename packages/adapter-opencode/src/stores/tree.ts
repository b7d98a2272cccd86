import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type FaultEvent, isJsonObject } from "@pond/canonical";
import {
  leadsOutsideReason,
  openRecord,
  type RecordCount,
  type SourceRecord,
} from "@pond/canonical/adapter";
import { fault } from "../faults.ts";
import { isLinkOut } from "../links.ts";
import { origin } from "../origin.ts";
import { cutMessage } from "./cut-message.ts";
import { NotJson, readJsonFile } from "./json-file.ts";
import { siblingPaths } from "./siblings.ts";
import type { Stored, StoredMessage, StoredSession, StoredSide } from "./stored.ts";
import { readStored, readStoredOrFault } from "./tree-file.ts";
import { jsonNames, type TreeSession } from "./tree-layout.ts";

/**
 * A session of a JSON tree. A full disk or a power cut leaves its own file empty or cut off, and
 * its messages whole.
 *
 * @param isAlone - False if another store has the session, too.
 * @throws {NotJson} if its own file holds no record, it has no messages, and no store has it.
 * @throws if a file cannot be read.
 */
export function readTree(
  home: string,
  session: TreeSession,
  prefix: string,
  isAlone: boolean,
): StoredSession {
  const heads = jsonNames(home, session.messages).map((name) => headOf(home, session, name));
  const own =
    !isAlone || heads.some(({ newestMs }) => newestMs > 0)
      ? readOwnRecord(home, session)
      : readStored(home, session.path, { id: session.id });
  return {
    ...own,
    store: "tree",
    schema: 1,
    path: `${prefix}${session.path}`,
    worktree: () => projectOf(home, session),
    siblingPaths: () => siblingPaths(home, session),
    isLive: true,
    newestMs: Math.max(0, ...timesOf(own), ...heads.map(({ newestMs }) => newestMs)),
    messages: function* (count) {
      for (const { name } of heads.toSorted(byTime)) yield* readMessage(home, session, name, count);
    },
    sides: (count) => sidesOf(home, session, count),
  };
}

/** The record of a session, or what its place says about it if its file is broken. */
function readOwnRecord(
  home: string,
  { path, id }: TreeSession,
): Stored & Pick<StoredSession, "isCut" | "faults"> {
  const own = readStoredOrFault(home, path, { id });
  if (!("kind" in own)) return own;
  const at = { adapter: origin, uri: join(home, path), record: "file" };
  return { record: openRecord(at, { id }), row: undefined, isCut: true, faults: [own] };
}

type Head = { readonly name: string; readonly createdMs: number; readonly newestMs: number };

/** The order that the client uses since it has a database: by time, then by id. */
function byTime(left: Head, right: Head): number {
  if (left.createdMs !== right.createdMs) return left.createdMs - right.createdMs;
  return left.name < right.name ? -1 : 1;
}

function headOf(home: string, session: TreeSession, name: string): Head {
  const message = readStoredOrFault(home, `${session.messages}/${name}.json`, {});
  const times = "kind" in message ? [] : timesOf(message);
  return { name, createdMs: times.at(0) ?? 0, newestMs: Math.max(0, ...times) };
}

function* readMessage(
  home: string,
  session: TreeSession,
  name: string,
  count: RecordCount | undefined,
): Generator<StoredMessage | FaultEvent> {
  const path = `${session.messages}/${name}.json`;
  const message = readStoredOrFault(home, path, { id: name, sessionID: session.id });
  const partNames = jsonNames(home, session.partsOf(name));
  count?.add(1 + partNames.length);
  const parts: Stored[] = [];
  const faults: FaultEvent[] = [];
  for (const part of partNames) {
    const place = `${session.partsOf(name)}/${part}.json`;
    const stored = readStoredOrFault(home, place, {
      id: part,
      sessionID: session.id,
      messageID: name,
    });
    if ("kind" in stored) faults.push(stored);
    else parts.push(stored);
  }
  if ("kind" in message) {
    yield message;
    yield* faults;
    const ids = { id: name, sessionID: session.id };
    if (parts.length > 0) yield cutMessage({ uri: join(home, path), record: "file" }, ids, parts);
    return;
  }
  yield* faults;
  yield { kind: "message", schema: 1, ...message, parts, records: 1 + parts.length };
}

/** The lists that are in files beside a session. */
export function* sidesOf(
  home: string,
  { sides }: Pick<TreeSession, "sides">,
  count: RecordCount | undefined,
): Generator<StoredSide | FaultEvent> {
  for (const [name, path] of Object.entries(sides)) {
    const file = join(home, path);
    // What cannot be looked at may be there.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) continue;
    count?.add(1);
    try {
      if (isLinkOut(file, home)) throw new NotJson(leadsOutsideReason);
      const { value, encodedBytes } = readJsonFile(file);
      const at = { adapter: origin, uri: file, record: "file" };
      yield { kind: "side", name, record: openRecord(at, { value }, { encodedBytes }) };
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      yield { ...fault(file, error.message, error), records: 1 };
    }
  }
}

function projectOf(home: string, { project }: TreeSession): SourceRecord | undefined {
  if (!project || !existsSync(join(home, project))) return undefined;
  const stored = readStoredOrFault(home, project, {});
  return "kind" in stored ? undefined : stored.record;
}

/** The times of a record in milliseconds; the first is its creation. */
function timesOf({ record }: Stored): readonly number[] {
  const time = record.peek("time") ?? createdOfOld(record);
  if (!isJsonObject(time)) return [];
  const { created, ...others } = time;
  return [created, ...Object.values(others)].map((value) =>
    typeof value === "number" ? value : 0,
  );
}

/** Messages of 2025 have their times in `metadata`. */
function createdOfOld(record: SourceRecord) {
  const metadata = record.peek("metadata");
  return isJsonObject(metadata) ? metadata["time"] : undefined;
}
