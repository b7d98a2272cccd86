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

const missingReason =
  "the `flock` program of util-linux is needed, or `perl`, and neither is on this machine";

/**
 * Programs that take the lock of a file without waiting, say so, and hold it until their input
 * ends, so also if this process is killed. macOS has no `flock`, but always had a `perl`. A full
 * path is never taken for an option.
 */
const holdersOf = (file: string): readonly (readonly [string, ...string[]])[] => [
  ["flock", "-x", "-n", file, "sh", "-c", "echo locked; exec cat"],
  ["perl", "-e", perlHolder, file],
];

// Its `die` would end with the number of the system's error, which may be that for a held lock.
const perlHolder = `
use Fcntl ":flock";
sub fail { print STDERR "cannot $_[0] lock file $ARGV[0]: $!\n"; exit 2 }
open my $lock, ">>", $ARGV[0] or fail "open";
flock $lock, LOCK_EX | LOCK_NB or $!{EWOULDBLOCK} ? exit 1 : fail "take";
syswrite STDOUT, "locked\n";
1 while sysread STDIN, my $ignored, 4096;
`;

/** As often as the library itself tries. */
const attemptMs = 50;

/**
 * Runs while this process holds the lock that phi-core's store takes: an exclusive flock(2) on a
 * file beside the session. Node has no flock, so another program holds it; the path is one of its
 * arguments and reaches no shell.
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
  for (const [program, ...words] of holdersOf(resolve(file))) {
    const outcome = await tryLockWith(program, words, file);
    if (outcome !== "no such program") return outcome === "taken" ? undefined : outcome;
  }
  throw new NoLockError(file, missingReason);
}

async function tryLockWith(
  program: string,
  words: readonly string[],
  file: string,
): Promise<(() => Promise<void>) | "taken" | "no such program"> {
  const holder = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
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
  if (start instanceof Error) {
    // The second if a folder of the PATH is not for this user.
    if ("code" in start && (start.code === "ENOENT" || start.code === "EACCES"))
      return "no such program";
    throw new NoLockError(file, start.message, { cause: start });
  }
  if (start === lockedExitCode) return "taken";
  throw new NoLockError(file, complaint.trim() || `${program} ended with ${String(start)}`);
}

/** The exit code of both if somebody else has the lock. */
const lockedExitCode = 1;
