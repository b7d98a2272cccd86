import { readdirSync, statSync } from "node:fs";
import type { FaultEvent, ReadEvent } from "@pond/canonical";
import {
  isGone,
  isSystemError,
  type Reader,
  reasonOf,
  type SourceSession,
} from "@pond/canonical/adapter";
import { discover, filesOf } from "./discover.ts";
import { fault } from "./faults.ts";
import { measure } from "./fingerprint.ts";
import { type Root, rootOf } from "./layout.ts";
import { origin } from "./origin.ts";
import { readSession } from "./read-session.ts";

export type ClaudeCodeOptions = {
  /** Longest line that is parsed, in bytes; a longer one is reported and marked. Default 256 MiB. */
  readonly maxLineBytes?: number;
};

/**
 * Reads the sessions of Claude Code below `path`: the client's home, its `projects` folder, one
 * project folder, or one session file with what belongs to it. Touches nothing before it is asked.
 */
export function fromClaudeCode(path: string, options: ClaudeCodeOptions = {}): Reader {
  let known: Root | undefined;
  const root = (): Root => {
    known ??= openRoot(path);
    return known;
  };

  return {
    origin,

    async *sessions(signal): AsyncIterable<SourceSession | FaultEvent> {
      let found: Root;
      try {
        found = root();
      } catch (error) {
        yield fault(path, reasonOf(error), error);
        return;
      }
      for (const files of discover(found)) {
        signal?.throwIfAborted();
        if (files.kind === "fault") {
          yield files;
          continue;
        }
        try {
          yield { kind: "source", key: files.key, ...measure(files) };
        } catch (error) {
          if (!isGone(error)) yield fault(files.file, reasonOf(error), error);
        }
      }
    },

    async fingerprint(key) {
      try {
        const files = filesOf(root().projects, key);
        return files && measure(files).fingerprint;
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },

    read(key, signal): AsyncIterable<ReadEvent> {
      try {
        const { projects } = root();
        const files = filesOf(projects, key);
        if (files) return readSession(projects, files, { ...options, signal });
        return only(fault(key, "no such session"));
      } catch (error) {
        if (!isSystemError(error)) throw error;
        return only(fault(path, reasonOf(error), error));
      }
    },
  };
}

async function* only(event: ReadEvent): AsyncIterable<ReadEvent> {
  yield event;
}

function openRoot(path: string): Root {
  const isFolder = statSync(path).isDirectory();
  return rootOf(path, isFolder, isFolder ? readdirSync(path) : []);
}
