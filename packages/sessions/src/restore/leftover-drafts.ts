import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../errors.ts";

type Draft = { readonly name: string; readonly owner: number };

/** The path of a new draft of a file, beside it. */
export function draftPathOf(path: string): string {
  const name = `${nameInDrafts(path)}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
  return join(dirname(path), name);
}

// File systems take 255 bytes, and a draft adds up to 24.
const maxNameBytes = 255 - 24;

/** The name of the file, or the beginning of a long one. */
function nameInDrafts(path: string): string {
  const bytes = Buffer.from(basename(path)).subarray(0, maxNameBytes);
  // A character that is cut is left out.
  return new TextDecoder().decode(bytes, { stream: true });
}

/**
 * The drafts that killed restores left. A folder is read once for all files that are written there,
 * because a client may keep every session in one.
 */
export class LeftoverDrafts {
  readonly #byFolder: Map<string, ReadonlyMap<string, readonly Draft[]>> = new Map();

  /** Removes the drafts of this file that processes left which have ended. */
  async removeOf(path: string): Promise<void> {
    const folder = dirname(path);
    const drafts = this.#byFolder.get(folder) ?? (await draftsIn(folder));
    this.#byFolder.set(folder, drafts);
    for (const { name, owner } of drafts.get(nameInDrafts(path)) ?? []) {
      if (!isRunning(owner)) await rm(join(folder, name), { force: true });
    }
  }
}

/** By the name of the file, as drafts have it. */
async function draftsIn(folder: string): Promise<ReadonlyMap<string, readonly Draft[]>> {
  const drafts = new Map<string, Draft[]>();
  for (const name of await namesIn(folder)) {
    const [, file, owner] = /^(.+)\.(\d+)-[0-9a-f]{8}\.tmp$/.exec(name) ?? [];
    if (file === undefined) continue;
    drafts.set(file, [...(drafts.get(file) ?? []), { name, owner: Number(owner) }]);
  }
  return drafts;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = codeOf(error);
    // Whether the folder can be made is for the code that makes it to find out.
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** True for an existing process; its id may be another's by now. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}
