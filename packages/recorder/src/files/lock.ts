import { hash, randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { isJsonObject } from "@pond/canonical";
import { isAlive, startOf } from "./process.ts";

/** The process that holds a lock. */
export type LockHolder = {
  readonly host: string;
  readonly pid: number;
  /** When the process started, as its system counts; absent if the system does not say. */
  readonly start?: string;
};

/** The lock, or its holder. */
export type LockOutcome =
  | { readonly release: () => Promise<void> }
  | { readonly holder: LockHolder };

/**
 * Takes a lock file, without waiting. A lock is taken over if its process is gone, but never from
 * another machine, because that cannot be known here.
 */
export async function tryLock(file: string): Promise<LockOutcome> {
  for (;;) {
    if (await create(file)) return { release: () => rm(file, { force: true }) };
    const found = await read(file);
    // It was released in the meantime.
    if (found === undefined) continue;
    if (isHeld(found.holder)) return { holder: found.holder };
    // Only one of those who see a dead lock may remove it: the one that gets the lock on removing
    // exactly it.
    const takeover = await tryLock(`${file}.${found.digest}`);
    if ("holder" in takeover) return takeover;
    try {
      if ((await read(file))?.digest === found.digest) await rm(file, { force: true });
    } finally {
      await takeover.release();
    }
  }
}

function isHeld({ host, pid, start }: LockHolder): boolean {
  if (host !== hostname()) return true;
  // A process that got the id of a dead one started at another time.
  return isAlive(pid) && (start === undefined || startOf(pid) === start);
}

/** The lock file appears complete in one step: a half-written one would never be taken over. */
async function create(file: string): Promise<boolean> {
  const start = startOf(process.pid);
  const holder = { host: hostname(), pid: process.pid, ...(start !== undefined && { start }) };
  const nonce = randomBytes(8).toString("hex");
  const draft = `${file}.${nonce}`;
  try {
    // Flushed: an empty lock file, which a power cut could leave, would be held by nobody for ever.
    const text = JSON.stringify({ ...holder, nonce });
    await writeFile(draft, text, { flag: "wx", mode: 0o600, flush: true });
    await link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function read(
  file: string,
): Promise<{ readonly holder: LockHolder; readonly digest: string } | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  return { holder: parseHolder(text), digest: hash("sha256", text).slice(0, 16) };
}

/** A file that is not a lock of ours counts as held by no process on no machine. */
function parseHolder(text: string): LockHolder {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) {
      const { host, pid, start } = value;
      if (typeof host === "string" && typeof pid === "number") {
        return { host, pid, ...(typeof start === "string" && { start }) };
      }
    }
  } catch {
    // Handled below.
  }
  return { host: "", pid: 0 };
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
