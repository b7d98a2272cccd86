import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isSystemError } from "@pond/canonical/adapter";
import { filesIn } from "./folders.ts";
import { isSessionStem, logSuffix, stemOf } from "./layout.ts";

/** Where a client keeps its files, as far as it matters for which logs are read there. */
export type OmpFolders = {
  /** The homes of agents. */
  readonly agents: readonly string[];
  /** The folders that hold them, and what else is kept beside them. */
  readonly roots: readonly string[];
  /** The homes of security scans. */
  readonly scans: readonly string[];
};

/**
 * The logs that omp was told to keep elsewhere: it notes the path of each, in a file for each. Logs
 * that are read at their own place, and copies of sessions that somebody else hosts, are left out.
 */
export function customSessionFiles({ agents, roots, scans }: OmpFolders): readonly string[] {
  const logs = [...agents, ...roots].flatMap((folder) =>
    filesIn(join(folder, customFilesFolder)).flatMap(logIn),
  );
  const read = [
    ...[...agents, ...scans].map((home) => join(home, "sessions")),
    ...agents.map((home) => join(home, "archive", "sessions")),
    ...roots.map((root) => join(root, "collab")),
    // A sub-agent is read with its session.
    ...logs.map((log) => stemOf(realOf(log))),
  ];
  const known = new Set(read.map(realOf));
  const homes = new Set(agents.map(realOf));
  return logs.filter((log) => {
    const real = realOf(log);
    const isBeside = homes.has(dirname(real)) && isSessionStem(basename(real));
    return !isBeside && !foldersAbove(real).some((folder) => known.has(folder));
  });
}

export const customFilesFolder = "custom-session-files";

function logIn(note: string): readonly string[] {
  const log = textOf(note).trim();
  const isLog = isAbsolute(log) && log.endsWith(logSuffix);
  return isLog && existsSync(log) && statSync(log).isFile() ? [log] : [];
}

/** The content of a note; empty if it cannot be read, or is too long for a path. */
function textOf(note: string): string {
  try {
    return statSync(note).size > maxPathBytes ? "" : readFileSync(note, "utf8");
  } catch (error) {
    if (isSystemError(error)) return "";
    throw error;
  }
}

const maxPathBytes = 64 * 1024;

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}

/** A path with its links resolved; unchanged if nothing is there. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isSystemError(error)) return path;
    throw error;
  }
}
