import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FaultEvent, ReadEvent } from "@pond/canonical";
import {
  type Environment,
  fileFault,
  fileFingerprint,
  fileReader,
  isDecodedName,
  isSystemError,
  leadsOutsideReason,
  type measureFiles,
  notUtf8Reason,
  type Reader,
  type RecordCount,
  reasonOf,
} from "@pond/canonical/adapter";
import { origin } from "./origin.ts";
import { parentMark } from "./parent-file.ts";
import { readSession } from "./read-session.ts";
import { idleMark } from "./session-file.ts";

/** Options for reading sessions of phi-core. */
export type PhiCoreOptions = {
  /**
   * The current time, in ms: what is running in a session that was left alone for an hour is over.
   */
  readonly now?: () => number;
};

type SessionFile = { readonly kind: "files"; readonly key: string; readonly file: string };

/**
 * Reads the phi-core sessions of a folder, `<session id>.json` each, or one such file. Touches no
 * file before it is asked.
 */
export function fromPhiCore(path: string, { now = Date.now }: PhiCoreOptions = {}): Reader {
  return fileReader<SessionFile>(origin, path, () => {
    const isFolder = statSync(path).isDirectory();
    const folder = isFolder ? path : dirname(path);
    const found = (key: string): SessionFile => ({ kind: "files", key, file: join(folder, key) });
    return {
      all: () => (isFolder ? filesIn(path, found) : [found(basename(path))]),
      filesOf: (key) => (basename(key) === key ? found(key) : undefined),
      measure: ({ file }) => measure(file, now()),
      read: (files, signal, count) => readFile(files, { now: now(), signal, count }),
    };
  });
}

type ReadOptions = {
  readonly now: number;
  readonly signal: AbortSignal | undefined;
  readonly count: RecordCount | undefined;
};

async function* readFile(
  { file }: SessionFile,
  { now, signal, count }: ReadOptions,
): AsyncIterable<ReadEvent> {
  try {
    for (const event of readSession(file, now, count)) {
      signal?.throwIfAborted();
      yield event;
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    yield fileFault(origin, file, reasonOf(error), error);
  }
}

/** Files that can be sessions: not the lock beside one, nor a draft of one. */
function* filesIn(
  folder: string,
  found: (name: string) => SessionFile,
): Generator<SessionFile | FaultEvent> {
  const entries = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name.endsWith(".json"))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of entries) {
    const file = join(folder, entry.name);
    if (!isDecodedName(entry.name, file)) yield fileFault(origin, file, notUtf8Reason);
    else if (entry.isFile()) yield found(entry.name);
    else if (entry.isSymbolicLink() && !isSiblingLink(file)) {
      yield fileFault(origin, file, leadsOutsideReason);
    }
  }
}

/** True for a link whose target is read where it is. */
function isSiblingLink(link: string): boolean {
  try {
    const target = realpathSync.native(link);
    return dirname(target) === realpathSync.native(dirname(link)) && target.endsWith(".json");
  } catch {
    return false;
  }
}

function measure(file: string, nowMs: number): ReturnType<typeof measureFiles> {
  const stats = statSync(file, { bigint: true });
  const idle = idleMark(Number(stats.mtimeMs), nowMs);
  const fingerprint = `${fileFingerprint(stats)}${idle}${parentMark(file)}`;
  return { fingerprint, bytes: Number(stats.size) };
}

/**
 * phi-core is a library: the program that uses it chooses the folder. None is looked at unasked.
 */
export function phiCoreHomes({ env }: Environment): readonly string[] {
  const folder = env["PHI_CORE_SESSIONS"];
  return folder ? [folder] : [];
}
