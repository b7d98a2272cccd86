import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PondError } from "@pond/canonical";

/** Another program was writing the session for as long as the library itself would wait. */
export class LockedError extends PondError {
  override readonly name = "LockedError";
  readonly code = "locked";
  readonly details: { readonly file: string };

  constructor(file: string) {
    super(`another program is writing this session: ${file}`);
    this.details = { file };
  }
}

/** The lock that the library takes cannot be taken here. */
export class NoLockError extends PondError {
  override readonly name = "NoLockError";
  readonly code = "no_lock";
  readonly details: { readonly program: string; readonly file: string };

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`the session cannot be locked: ${reason}`, options);
    this.details = { program: "flock", file };
  }
}

const missingReason = "the `flock` program of util-linux is needed, and it is not on this machine";

/** As often as the library itself tries. */
const attemptMs = 50;

/**
 * Runs while this process holds the lock that phi-core's store takes: an exclusive flock(2) on a
 * file beside the session. Node has no flock, so the `flock` program of util-linux holds it; the
 * path is one of its arguments and reaches no shell.
 *
 * @throws {LockedError} if somebody else held it for `patienceMs`.
 * @throws {NoLockError} if there is no such program, or no lock can be had in that folder.
 */
export async function withLock<T>(
  file: string,
  patienceMs: number,
  run: () => Promise<T>,
): Promise<T> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const release = await tryLock(file);
    if (release) {
      try {
        return await run();
      } finally {
        await release();
      }
    }
    if (Date.now() >= until) throw new LockedError(file);
    await sleep(attemptMs);
  }
}

/** @returns A function that releases the lock; undefined if somebody else has it. */
async function tryLock(file: string): Promise<(() => Promise<void>) | undefined> {
  // A full path is never taken for an option. `cat` ends when its input does, so also if this
  // process is killed.
  const holder = spawn("flock", ["-x", "-n", resolve(file), "sh", "-c", "echo locked; exec cat"], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let complaint = "";
  holder.stderr.on("data", (data: Buffer) => {
    complaint += data.toString();
  });
  const ended = new Promise<number | null>((resolve) => holder.once("close", resolve));
  const start = await Promise.race([
    once(holder.stdout, "data").then(() => "held" as const),
    new Promise<Error>((resolve) => holder.once("error", resolve)),
    ended,
  ]);
  if (start === "held") {
    return async () => {
      holder.stdin.end();
      await ended;
    };
  }
  if (start instanceof Error) throw new NoLockError(file, missingReason, { cause: start });
  if (start === lockedExitCode) return undefined;
  throw new NoLockError(file, complaint.trim() || `flock ended with ${String(start)}`);
}

/** The exit code of `flock -n` if somebody else has the lock. */
const lockedExitCode = 1;
