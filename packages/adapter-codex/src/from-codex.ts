import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import { fileReader, type Reader } from "@pond/canonical/adapter";
import { discover } from "./discover.ts";
import { type Place, placeOf } from "./layout.ts";
import { measure } from "./measure.ts";
import { origin } from "./origin.ts";
import { readSession } from "./read-session.ts";
import { nameFile, ThreadNames } from "./thread-names.ts";
import { type Thread, Threads } from "./threads.ts";

/** Options for reading session files of Codex. */
export type CodexOptions = {
  /**
   * Longest line that is parsed, in bytes; a longer one is reported and marked. Default 256 MiB.
   */
  readonly maxLineBytes?: number;
};

/**
 * Reads the sessions of Codex below `path`: the client's home, its `sessions` or
 * `archived_sessions` folder or a part of it, or one session file. For a home or a folder of one,
 * the names of its threads are read as well. Touches no file before it is asked.
 */
export function fromCodex(path: string, options: CodexOptions = {}): Reader {
  return fileReader<Thread>(origin, path, () => {
    const { trees, home } = openPlace(path);
    const names = new ThreadNames(home && join(home, nameFile));
    let threads = new Threads();
    function* all(): Generator<Thread | FaultEvent> {
      threads = new Threads();
      const found = new Threads();
      yield* discover(trees, found);
      // Which files a thread has is known only when all have been seen, and a listing may be left.
      threads = found;
      yield* threads;
    }
    return {
      prepare: () => names.refresh(),
      *all() {
        yield* names.faults;
        yield* all();
      },
      filesOf: (key) => {
        const known = threads.get(key);
        if (known) return known;
        for (const _ of all());
        return threads.get(key);
      },
      measure: ({ files }) => measure(files, names),
      read: (thread, signal, count) => readSession(thread, names, { ...options, signal, count }),
    };
  });
}

function openPlace(path: string): Place {
  const isFolder = statSync(path).isDirectory();
  return placeOf(path, isFolder, isFolder ? readdirSync(path) : []);
}
