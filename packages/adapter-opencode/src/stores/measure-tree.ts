import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileMark } from "@pond/canonical/adapter";
import type { Summary } from "./summaries.ts";
import { jsonNames, sidesOfDatabase, type TreeSession } from "./tree-layout.ts";

type FileState = Pick<Summary, "fingerprint" | "bytes">;

/** The state of the files beside the log of a session that a database holds; none has most often. */
export function measureSides(home: string, id: string): readonly FileState[] {
  return Object.values(sidesOfDatabase(id)).flatMap((path) => {
    const stats = statSync(join(home, path), { bigint: true, throwIfNoEntry: false });
    return stats ? [{ fingerprint: fileMark(stats), bytes: Number(stats.size) }] : [];
  });
}

/**
 * The state of a session's files: size, time and identity of each. The client writes in place, so
 * that a folder tells nothing of what changed in it.
 */
export function measureTree(home: string, session: TreeSession): Summary {
  const hash = createHash("sha256");
  let bytes = 0;
  const add = (path: string): void => {
    // One that the client removed just now is not there; the session still is.
    const stats = statSync(join(home, path), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return;
    bytes += Number(stats.size);
    hash.update(`${path}\0${fileMark(stats)}\0`);
  };
  add(session.path);
  const messages = jsonNames(join(home, session.messages));
  for (const message of messages) {
    add(`${session.messages}/${message}.json`);
    const parts = session.partsOf(message);
    for (const part of jsonNames(join(home, parts))) add(`${parts}/${part}.json`);
  }
  for (const path of Object.values(session.sides)) if (existsSync(join(home, path))) add(path);
  const fingerprint = hash.digest("hex").slice(0, 32);
  return { fingerprint, bytes, messages: messages.length, updatedMs: 0 };
}
