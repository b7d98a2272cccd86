import { dirname } from "node:path/posix";
import type { SourceRecord } from "@pond/canonical/adapter";
import { readStoredOrFault } from "./tree-file.ts";
import { jsonNames, type TreeSession, treeSession } from "./tree-layout.ts";

/**
 * Where each other session in the same folder of the 2025 tree was run, from its first answer: that
 * tree has no project files. None in `global`, the folder of everything outside of repositories.
 */
export function* siblingPaths(home: string, { id, path }: TreeSession): Generator<SourceRecord> {
  const folder = dirname(path);
  if (!folder.startsWith("project/") || folder.startsWith("project/global/")) return;
  for (const name of jsonNames(home, folder)) {
    const sibling = name === id ? undefined : treeSession(`${folder}/${name}.json`);
    const found = sibling && firstPath(home, sibling);
    if (found) yield found;
  }
}

function firstPath(home: string, { messages }: TreeSession): SourceRecord | undefined {
  for (const name of jsonNames(home, messages)) {
    const stored = readStoredOrFault(home, `${messages}/${name}.json`, {});
    // A file that holds no record is a fault of its own session.
    const path = "kind" in stored ? undefined : pathIn(stored.record);
    if (path) return path;
  }
  return undefined;
}

/** Where a message says that it was run; messages of 2025 have it in `metadata`. */
export function pathIn(message: SourceRecord): SourceRecord | undefined {
  return message.record("path") ?? message.record("metadata")?.record("assistant")?.record("path");
}
