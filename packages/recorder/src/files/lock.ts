import { hash, randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { isJsonObject } from "@pond/canonical";
import { isAlive, startOf } from "./process.ts";

/** Who holds a lock. */
export type LockHolder = {
  readonly host: string;
  readonly pid: number;
  /** When the process began, as its system counts; absent where it does not say. */
  readonly start?: string;
};

/** A lock, or who has it. */
export type LockOutcome =
  | { readonly release: () => Promise<void> }
  | { readonly holder: LockHolder };

/**
 * Takes the lock that a file is, without waiting. A lock whose process is gone is taken over; one
 * of another machine never is, because nobody here can tell.
 */
export async function tryLock(file: string): Promise<LockOutcome> {
  for (;;) {
    if (await create(file)) return { release: () => rm(file, { force: true }) };
    const found = await read(file);
    // It was released meanwhile.
    if (found === undefined) continue;
    if (isHeld(found.holder)) return { holder: found.holder };
    // One of those who see a dead lock removes it: whoever has the lock on removing exactly it.
    const taking = await tryLock(`${file}.${found.digest}`);
    if ("holder" in taking) return taking;
    try {
      if ((await read(file))?.digest === found.digest) await rm(file, { force: true });
    } finally {
      await taking.release();
    }
  }
}

function isHeld({ host, pid, start }: LockHolder): boolean {
  if (host !== hostname()) return true;
  // A process that got the number of a dead one began at another time.
  return isAlive(pid) && (start === undefined || startOf(pid) === start);
}

/** The whole lock appears at once: one that is half written would never be taken over. */
async function create(file: string): Promise<boolean> {
  const start = startOf(process.pid);
  const holder = { host: hostname(), pid: process.pid, ...(start !== undefined && { start }) };
  const nonce = randomBytes(8).toString("hex");
  const draft = `${file}.${nonce}`;
  try {
    // Flushed: an empty lock, as a power cut could leave it, would be nobody's for ever.
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
  return { holder: holderIn(text), digest: hash("sha256", text).slice(0, 16) };
}

/** What is no lock of ours is held by nobody we know: by no process, on no machine. */
function holderIn(text: string): LockHolder {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) {
      const { host, pid, start } = value;
      if (typeof host === "string" && typeof pid === "number") {
        return { host, pid, ...(typeof start === "string" && { start }) };
      }
    }
  } catch {
    // Below.
  }
  return { host: "", pid: 0 };
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
