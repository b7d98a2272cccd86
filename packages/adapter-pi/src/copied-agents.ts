import { statSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, tryParseObject } from "@pond/canonical";
import { isSystemError } from "@pond/canonical/adapter";
import { archivedSuffix, logSuffix, stemOf } from "./layout.ts";
import type { LogIndex } from "./log-index.ts";
import { bytesAt, headerOf } from "./log-start.ts";

/** A session that was cut from another. Its folder of artifacts begins as a copy of that one's. */
export type Fork = {
  readonly id: string;
  /** When it was cut, as it says itself. */
  readonly began: number;
  /** The folder that was copied; undefined if the session beside it is gone. */
  readonly source: string | undefined;
};

/** The fork whose folder of artifacts this is; undefined if it belongs to any other session. */
export function forkOf(folder: string, logs: LogIndex): Fork | undefined {
  const file = logs.at(`${folder}${logSuffix}`);
  const header = file === undefined ? undefined : headerOf(file);
  const origin = header?.["parentSession"] ?? header?.["branchedFrom"];
  const id = header?.["id"];
  if (file === undefined || header === undefined || typeof id !== "string") return undefined;
  if (typeof origin !== "string" || origin === "" || origin === id) return undefined;
  const log = logs.find(file, origin);
  if (log === file) return undefined;
  return { id, began: timeOf(header), source: log === undefined ? undefined : stemOf(log) };
}

/**
 * What the log of an agent in a folder of artifacts is. `own`: a session of its own. `copy`: it
 * says nothing beyond the log it was copied from, and is kept as a file. `continued`: a copy that
 * went on, or whose original log is gone; it is a session of the fork's, and not the one that the
 * agent began as.
 *
 * @param path - Of the log in that folder.
 */
export function agentLogKind(
  fork: Fork | undefined,
  log: string,
  path: string,
  logs: LogIndex,
): "own" | "copy" | "continued" {
  const header = fork && headerOf(log);
  if (fork === undefined || header === undefined) return "own";
  // A fork starts its agents later.
  if (fork.source === undefined) return timeOf(header) <= fork.began ? "continued" : "own";
  const source = logs.at(join(fork.source, path));
  const isCopied = source !== undefined && headerOf(source)?.["id"] === header["id"];
  if (!isCopied) return "own";
  return hasMoreEntries(log, source) ? "continued" : "copy";
}

/** The id of the session that a fork made from an agent's. */
export function continuedId({ id }: Fork, path: string): string {
  return `${id}:${stemOf(path)}`;
}

function timeOf({ timestamp }: JsonObject): number {
  return typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
}

/** True if a copy has an entry that the log it was copied from lacks. */
function hasMoreEntries(copy: string, source: string): boolean {
  // The client compresses no logs of agents.
  if (copy.endsWith(archivedSuffix) || source.endsWith(archivedSuffix)) return false;
  try {
    const [own, other] = [statSync(copy).size, statSync(source).size];
    if (tailsMatch(copy, source, Math.min(own, other))) return own > other;
    // A session is read in pieces, however long it is; a file that is kept is not.
    if (Math.max(own, other) > maxComparedBytes) return true;
    const known = new Set(entryKeysIn(source, other));
    return entryKeysIn(copy, own).some((entry) => !known.has(entry));
  } catch (error) {
    // What cannot be read now is reported where it is read.
    if (isSystemError(error)) return false;
    throw error;
  }
}

/** True if logs that only grow are equal up to there: only the end is compared. */
function tailsMatch(copy: string, source: string, length: number): boolean {
  const from = Math.max(0, length - tailBytes);
  return bytesAt(copy, from, length - from).equals(bytesAt(source, from, length - from));
}

const tailBytes = 4 * 1024;
const maxComparedBytes = 64 * 1024 * 1024;

/**
 * What names each entry: its id, or else its whole text. The header and the title are rewritten.
 */
function entryKeysIn(log: string, size: number): readonly string[] {
  return bytesAt(log, 0, size)
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const { type, id } = tryParseObject(line) ?? {};
      if (line.trim() === "" || type === "session" || type === "title") return [];
      return typeof id === "string" ? [id] : [line];
    });
}
