import { readdirSync, statSync } from "node:fs";
import type { FaultEvent, ReadEvent } from "@pond/canonical";
import { isGone, type Reader, reasonOf, type SourceSession } from "@pond/canonical/adapter";
import { discover, type Thread } from "./discover.ts";
import { fault, isReadError } from "./faults.ts";
import { measure } from "./fingerprint.ts";
import { type Tree, treesOf } from "./layout.ts";
import { origin } from "./origin.ts";
import { readSession } from "./read-session.ts";

/** How session files of Codex are read. */
export type CodexOptions = {
  /** Longest line that is parsed, in bytes; a longer one is reported and marked. Default 256 MiB. */
  readonly maxLineBytes?: number;
};

/**
 * Reads the sessions of Codex below `path`: the client's home, its `sessions` or
 * `archived_sessions` folder or a part of it, or one session file. Touches nothing before it is
 * asked.
 */
export function fromCodex(path: string, options: CodexOptions = {}): Reader {
  // Which files a thread has is known only when all have been seen.
  const threads = new Map<string, Thread>();
  const threadAt = (key: string): Thread | undefined => {
    if (!threads.has(key)) Array.from(find());
    return threads.get(key);
  };
  function* find(): Generator<Thread | FaultEvent> {
    for (const found of discover(openTrees(path))) {
      if (found.kind === "thread") threads.set(found.key, found);
      yield found;
    }
  }

  return {
    origin,

    async *sessions(signal): AsyncIterable<SourceSession | FaultEvent> {
      threads.clear();
      try {
        for (const found of find()) {
          signal?.throwIfAborted();
          if (found.kind === "fault") yield found;
          else {
            const measured = measure(found.files);
            if (measured) yield { kind: "source", key: found.key, ...measured };
          }
        }
      } catch (error) {
        if (!isReadError(error)) throw error;
        yield fault(path, reasonOf(error), error);
      }
    },

    async fingerprint(key) {
      try {
        const thread = threadAt(key);
        return thread && measure(thread.files)?.fingerprint;
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },

    async *read(key, signal, count): AsyncIterable<ReadEvent> {
      try {
        const thread = threadAt(key);
        if (thread) yield* readSession(thread, { ...options, signal, count });
        else yield fault(key, "no such session");
      } catch (error) {
        if (!isReadError(error)) throw error;
        yield fault(path, reasonOf(error), error);
      }
    },
  };
}

function openTrees(path: string): readonly Tree[] {
  const isFolder = statSync(path).isDirectory();
  return treesOf(path, isFolder, isFolder ? readdirSync(path) : []);
}
