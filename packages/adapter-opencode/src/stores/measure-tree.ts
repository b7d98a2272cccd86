import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileFingerprint, isSystemError } from "@pond/canonical/adapter";
import type { Summary } from "./summaries.ts";
import { jsonNames, sidesOfDatabase, type TreeSession } from "./tree-layout.ts";

type FileState = Pick<Summary, "fingerprint" | "bytes">;

/** The state of the files beside the log of a session in a database; most often there are none. */
export function measureSides(home: string, id: string): readonly FileState[] {
  return Object.values(sidesOfDatabase(id)).flatMap((path) => {
    const state = stateOf(join(home, path));
    return state ? [state] : [];
  });
}

/** Undefined for a missing file; the reason for one that cannot be looked at. */
function stateOf(file: string): FileState | undefined {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats && { fingerprint: fileFingerprint(stats), bytes: Number(stats.size) };
  } catch (error) {
    if (isSystemError(error)) return { fingerprint: `${error}`, bytes: 0 };
    throw error;
  }
}

/**
 * The state of a session's files: size, time and identity of each. The client writes in place, so a
 * folder does not tell that something in it changed.
 */
export function measureTree(home: string, session: TreeSession): Summary {
  const hash = createHash("sha256");
  let bytes = 0;
  const add = (path: string): void => {
    // A file that the client removed a moment ago is missing; the session is still there.
    const state = stateOf(join(home, path));
    if (state === undefined) return;
    bytes += state.bytes;
    hash.update(`${path}\0${state.fingerprint}\0`);
  };
  add(session.path);
  const messages = jsonNames(home, session.messages);
  for (const message of messages) {
    add(`${session.messages}/${message}.json`);
    const parts = session.partsOf(message);
    for (const part of jsonNames(home, parts)) add(`${parts}/${part}.json`);
  }
  for (const path of Object.values(session.sides)) add(path);
  const fingerprint = hash.digest("hex").slice(0, 32);
  return { fingerprint, bytes, messages: messages.length, updatedMs: 0 };
}
