import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FaultEvent, ReadEvent } from "@pond/canonical";
import {
  fileFault,
  isGone,
  isSystemError,
  type Reader,
  reasonOf,
  type SourceSession,
  type Surroundings,
} from "@pond/canonical/adapter";
import { origin } from "./origin.ts";
import { readSession } from "./read-session.ts";
import { restedMark } from "./session-file.ts";

export type PhiCoreOptions = {
  /** The time now, in ms; what is running in a session that has rested an hour is over. */
  readonly now?: () => number;
};

/**
 * Reads the phi-core sessions of a folder, `<session id>.json` each, or one such file. Touches
 * nothing before it is asked.
 */
export function fromPhiCore(path: string, { now = Date.now }: PhiCoreOptions = {}): Reader {
  const fileOf = (key: string): string =>
    statSync(path).isDirectory() ? join(path, basename(key)) : join(dirname(path), basename(key));

  const fingerprintOf = (
    file: string,
  ): { readonly fingerprint: string; readonly bytes: number } => {
    const { size, mtimeNs, mtimeMs, ino } = statSync(file, { bigint: true });
    const mark = restedMark(Number(mtimeMs), now());
    return { fingerprint: `${size}.${mtimeNs}.${ino}${mark}`, bytes: Number(size) };
  };

  return {
    origin,

    async *sessions(signal): AsyncIterable<SourceSession | FaultEvent> {
      try {
        for (const key of keysIn(path)) {
          signal?.throwIfAborted();
          try {
            yield { kind: "source", key, ...fingerprintOf(fileOf(key)) };
          } catch (error) {
            if (!isSystemError(error)) throw error;
            if (!isGone(error)) yield fileFault(origin, fileOf(key), reasonOf(error), error);
          }
        }
      } catch (error) {
        if (!isSystemError(error)) throw error;
        yield fileFault(origin, path, reasonOf(error), error);
      }
    },

    async fingerprint(key) {
      try {
        return fingerprintOf(fileOf(key)).fingerprint;
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },

    async *read(key, signal): AsyncIterable<ReadEvent> {
      try {
        for (const event of readSession(fileOf(key), now())) {
          signal?.throwIfAborted();
          yield event;
        }
      } catch (error) {
        if (!isSystemError(error)) throw error;
        yield fileFault(origin, key, reasonOf(error), error);
      }
    },
  };
}

/** Files that can be sessions: not the lock beside one, nor a draft of one. */
function keysIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [basename(path)];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map(({ name }) => name)
    .sort();
}

/** phi-core is a library: the program that uses it chooses the folder. None is looked at unasked. */
export function phiCoreHomes({ env }: Surroundings): readonly string[] {
  const folder = env["PHI_CORE_SESSIONS"];
  return folder ? [folder] : [];
}
