import { readdirSync, statSync } from "node:fs";
import { fileReader, measureFiles, type Reader } from "@pond/canonical/adapter";
import { AgentParents, parentState } from "./agent-parents.ts";
import { Directories } from "./directories.ts";
import { discover, filesOf, type SessionFiles } from "./discover.ts";
import { type Root, rootOf } from "./layout.ts";
import { origin } from "./origin.ts";
import { readSession } from "./read-session.ts";

/** Options for reading session files of Claude Code. */
export type ClaudeCodeOptions = {
  /**
   * Longest line that is parsed, in bytes; a longer one is reported and marked. Default 256 MiB.
   */
  readonly maxLineBytes?: number;
};

/**
 * Reads the sessions of Claude Code below `path`: the client's home, its `projects` folder, one
 * project folder, or one session file with everything that belongs to it. Touches no file before it
 * is asked.
 */
export function fromClaudeCode(path: string, options: ClaudeCodeOptions = {}): Reader {
  return fileReader<SessionFiles>(origin, path, () => {
    const root = openRoot(path);
    const { projects } = root;
    const directories = new Directories(projects);
    const agentParents = new AgentParents();
    return {
      all: () => {
        directories.forget();
        agentParents.forget();
        return discover(root);
      },
      filesOf: (key) => filesOf(projects, key),
      measure: ({ file, sidecars }) => measureFiles(file, sidecars),
      parentState: ({ file }) => parentState(file),
      read: (files, signal, count) =>
        readSession({ projects, directories, agentParents }, files, { ...options, signal, count }),
    };
  });
}

function openRoot(path: string): Root {
  const isFolder = statSync(path).isDirectory();
  return rootOf(path, isFolder, isFolder ? readdirSync(path) : []);
}
