import { type BigIntStats, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ReadEvent } from "@pond/canonical";
import {
  fileFault,
  fileMark,
  fileReader,
  isSystemError,
  type measureFiles,
  type Reader,
  type RecordCount,
  reasonOf,
  type Surroundings,
} from "@pond/canonical/adapter";
import { origin } from "./origin.ts";
import { readSession } from "./read-session.ts";
import { restedMark } from "./session-file.ts";

/** How sessions of phi-core are read. */
export type PhiCoreOptions = {
  /** The time now, in ms; what is running in a session that has rested an hour is over. */
  readonly now?: () => number;
};

type SessionFile = { readonly kind: "files"; readonly key: string; readonly file: string };

/**
 * Reads the phi-core sessions of a folder, `<session id>.json` each, or one such file. Touches
 * nothing before it is asked.
 */
export function fromPhiCore(path: string, { now = Date.now }: PhiCoreOptions = {}): Reader {
  return fileReader<SessionFile>(origin, path, () => {
    const isFolder = statSync(path).isDirectory();
    const folder = isFolder ? path : dirname(path);
    const found = (key: string): SessionFile => ({ kind: "files", key, file: join(folder, key) });
    return {
      all: () => (isFolder ? namesIn(path) : [basename(path)]).map(found),
      filesOf: (key) => (basename(key) === key ? found(key) : undefined),
      measure: ({ file }) => measure(statSync(file, { bigint: true }), now()),
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
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map(({ name }) => name)
    .sort();
}

function measure(stats: BigIntStats, nowMs: number): ReturnType<typeof measureFiles> {
  const rested = restedMark(Number(stats.mtimeMs), nowMs);
  return { fingerprint: `${fileMark(stats)}${rested}`, bytes: Number(stats.size) };
}

/** phi-core is a library: the program that uses it chooses the folder. None is looked at unasked. */
export function phiCoreHomes({ env }: Surroundings): readonly string[] {
  const folder = env["PHI_CORE_SESSIONS"];
  return folder ? [folder] : [];
}
