import type { Lineage, RestoredFile } from "@pond/canonical/adapter";
import { writeExport } from "./native/export.ts";
import { restoreSession } from "./native/restored-session.ts";
import { writeTree } from "./native/tree.ts";
import { writeDatabase } from "./native/write-database.ts";

/** The form in which sessions are written: as they were kept, or one that is asked for. */
export type Generation = "same" | "export" | "tree" | "database";

/**
 * Writes sessions of this client with every value they had (`adapter-native-restore-lossless`).
 * Those of a database become exports, which the client imports into whatever database it has.
 */
export function* writeNative(
  { root, descendants }: Lineage,
  generation: Generation,
  hasFile?: (path: string) => boolean,
): Generator<RestoredFile> {
  const isExport = generation === "same" && hasFile !== undefined && !readsTree(hasFile);
  const asked = isExport ? "export" : generation;
  for (const content of [root, ...descendants]) {
    const session = restoreSession(content);
    const form = asked === "same" ? session.store : asked;
    // A tree has no place for what came later in 2.x.
    const isTree = form === "tree" && session.schema === 1 && !session.continued;
    const write = isTree ? writeTree : writeExport;
    if (asked === "database") yield writeDatabase(session, content.session.id);
    else yield* write(session, content.session.id);
  }
}

/**
 * True for a client that reads its tree: releases up to 1.1 do. Later ones read it at most once,
 * before they make their database, and those from 1.16 on never: a client without a tree in use is
 * one of them.
 */
function readsTree(hasFile: (path: string) => boolean): boolean {
  const isInUse = hasFile("storage/session") || hasFile("project");
  return isInUse && !databases.some(hasFile);
}

/** For the channels on which the client is released. */
const databases = ["opencode.db", "opencode-dev.db", "opencode-next.db"];
