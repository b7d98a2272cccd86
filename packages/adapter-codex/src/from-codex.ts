import { readdirSync, statSync } from "node:fs";
import type { FaultEvent } from "@pond/canonical";
import { fileReader, type Reader } from "@pond/canonical/adapter";
import { discover, type Thread } from "./discover.ts";
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
  return fileReader<Thread>(origin, path, () => {
    const trees = openTrees(path);
    // Which files a thread has is known only when all have been seen.
    const threads = new Map<string, Thread>();
    function* all(): Generator<Thread | FaultEvent> {
      threads.clear();
      for (const found of discover(trees)) {
        if (found.kind === "files") threads.set(found.key, found);
        yield found;
      }
    }
    return {
      all,
      filesOf: (key) => {
        if (!threads.has(key)) Array.from(all());
        return threads.get(key);
      },
      measure: ({ files }) => measure(files),
      read: (thread, signal, count) => readSession(thread, { ...options, signal, count }),
    };
  });
}

function openTrees(path: string): readonly Tree[] {
  const isFolder = statSync(path).isDirectory();
  return treesOf(path, isFolder, isFolder ? readdirSync(path) : []);
}
