import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileReader, measureFiles, type Reader, type TextSplitter } from "@pond/canonical/adapter";
import { realOf } from "./custom-session-files.ts";
import type { Dialect } from "./dialect.ts";
import { Directories } from "./directories.ts";
import { Discovery, type SessionFiles } from "./discover.ts";
import { ompAgents, ompCustomSessionFiles } from "./homes.ts";
import { agentHomeOfScans, logSuffix, type Root, rootOf } from "./layout.ts";
import { parentState } from "./lineage.ts";
import { LogIndex } from "./log-index.ts";
import { OriginEntries } from "./origin-entries.ts";
import { readSession } from "./read-session.ts";
import { unknownSessionDirs } from "./session-dir.ts";

/** Options for reading sessions of pi and of omp. */
export type PiOptions = {
  /**
   * Longest line that is parsed, in bytes; a longer one is reported and marked. Default 256 MiB.
   */
  readonly maxLineBytes?: number;
  /**
   * Folder of the files that omp's logs refer to. Default: `blobs` in the client's home; for a
   * session folder of the user's own also the one in omp's home on this machine.
   */
  readonly blobs?: string;
  /**
   * Who spoke in prompts that omp imported from another client, by omp's name for that: `claude`
   * and `codex`. Default: a human typed everything in them.
   */
  readonly prompts?: Readonly<Record<string, TextSplitter>>;
};

/** A reader of one client's files. Touches no file before it is asked. */
export function createReader(dialect: Dialect, path: string, options: PiOptions): Reader {
  const { blobs, prompts = {}, ...limits } = options;
  return fileReader<SessionFiles>(dialect.origin, path, () => {
    const names = statSync(path).isDirectory() ? readdirSync(path) : undefined;
    const root = rootOf(path, names, dialect);
    const logs = new LogIndex(root);
    const origins = new OriginEntries();
    const directories = new Directories(dialect.origin);
    const discovery = new Discovery(root, logs, dialect.origin);
    const folders = blobs === undefined ? blobFolders(root) : [blobs];
    return {
      all: function* () {
        directories.forget();
        const others = dialect.hasSessionDir && !root.isHome ? ompLogPaths() : new Set();
        for (const found of discovery.all()) {
          if (found.kind === "fault" || !others.has(mainLog(found))) yield found;
        }
        if (dialect.hasSessionDir && root.isHome)
          yield* unknownSessionDirs(dialect.origin, root.home);
      },
      filesOf: (key) => discovery.filesOf(key),
      measure: ({ file, sidecars }) => measureFiles(file, sidecars),
      parentState: (files) => parentState(files, logs),
      read: (files, signal, count) =>
        readSession(files, {
          logs,
          origins,
          directories,
          dialect,
          blobs: dialect.hasBlobs ? folders : [],
          prompts: dialect.hasImports ? prompts : {},
          options: { ...limits, signal, count },
        }),
    };
  });
}

/** The log that a session is read with: that of a sub-agent is in the folder beside it. */
function mainLog({ file, owner }: SessionFiles): string {
  return owner ? `${owner.folder}${logSuffix}` : file;
}

/** Both clients keep their sessions where one variable says, and omp notes its own. */
function ompLogPaths(): ReadonlySet<string> {
  const logs = ompCustomSessionFiles({ home: homedir(), env: process.env });
  return new Set([...logs, ...logs.map(realOf)]);
}

function blobFolders(root: Root): readonly string[] {
  const beside = agentHomeOfScans(root);
  const isWhole = root.isHome && beside === undefined;
  const agents = isWhole ? [] : ompAgents({ home: homedir(), env: process.env });
  return [root.home, beside ?? [], agents].flat().map((folder) => join(folder, "blobs"));
}
