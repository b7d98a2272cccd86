import { accessSync, constants } from "node:fs";
import { isAbsolute } from "node:path";
import { setFlagsFromString } from "node:v8";

const MiB = 1024 * 1024;

/** @inline */
type Work = "serving" | "batches";

// glibc reads them when a process starts, and never again. Buffers of up to a megabyte are kept for
// the next batch, or for the next search that reads every text: giving each back at once made
// batches three times as slow, and such a search twice as slow.
const allocator: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_TRIM_THRESHOLD_: String(8 * MiB),
  MALLOC_MMAP_THRESHOLD_: String(MiB),
};

// A list of settings that have no variable of their own. New memory comes 2 MB at a time: 4 kB at a
// time, allocating took longer than filling.
const tunables: readonly string[] = ["glibc.malloc.hugetlb=1"];

// V8 also reads these at the start. The short-lived objects of a batch fill 134 MB before V8
// collects them; in 17 MB it is as fast.
const flags: Readonly<Record<Work, readonly string[]>> = {
  serving: [],
  batches: ["--max-semi-space-size=8"],
};

// V8 accepts these while it runs. A heap for batches grows by what it holds, not by three times as
// much: for 700 grown sessions among a million messages that takes 85 MB less memory, and 6 % more
// of the processor.
const settings: Readonly<Record<Work, string>> = {
  serving: "--semi-space-growth-factor=1",
  batches: "--heap-growing-percent=100",
};

// The system gives this as Node's path if somebody started `ld.so node`, which takes no flags of
// Node.
const isLoader = /\/ld[^/]*\.so[^/]*$/;
// A file that whoever started it has opened. Node passes on none of them after the third.
const isDescriptor = /\/(?:dev|proc\/self)\/fd\/\d/;

/**
 * Returns memory that was needed under load to the system. For a process that stays to serve, or
 * that takes in a lot in batches.
 *
 * On Linux, if the environment does not set the allocator yet, the process restarts itself in
 * place, with the same id, arguments and streams; so call this before anything is opened or read.
 * It does not restart where that is not permitted, where its script came in on stdin, where an
 * argument names an open file, as `/dev/fd/3` does, or where whoever started it keeps a channel to
 * it.
 *
 * Otherwise the C allocator keeps what the engine frees (0.4 GB after an ingest of 100,000 events,
 * 0.5 GB after 400,000 messages), and V8 keeps 128 MB for short-lived objects. A server is hardly
 * faster for either.
 */
export function tuneMemory(work: Work): void {
  setFlagsFromString(settings[work]);
  const { connected, execve, env, execPath, execArgv, argv, platform } = process;
  const userTunables = env["GLIBC_TUNABLES"] ?? "";
  const isSet =
    Object.keys(allocator).some((name) => env[name] !== undefined) ||
    userTunables.includes("glibc.malloc.");
  if (platform !== "linux" || isSet || connected || execve === undefined) return;
  // A script that came in on stdin is read already.
  const [, script = "-"] = argv;
  if (script === "-" || isLoader.test(execPath)) return;
  if (argv.some((word) => isDescriptor.test(word))) return;
  try {
    if (!isAbsolute(execPath)) return;
    // Node aborts where the system cannot start it.
    accessSync(execPath, constants.X_OK);
    // The last of two counts: what it was started with stays.
    const args = [execPath, ...unsetFlags(flags[work], env), ...execArgv, ...argv.slice(1)];
    const GLIBC_TUNABLES = [userTunables, ...tunables].filter(Boolean).join(":");
    execve(execPath, args, { ...env, ...allocator, GLIBC_TUNABLES });
  } catch {
    // A worker thread, or Node's permissions: to take more memory is no reason not to start.
  }
}

/** Those that `NODE_OPTIONS` does not name, which come before all others. */
function unsetFlags(flags: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const nodeOptions = (env["NODE_OPTIONS"] ?? "").replaceAll("_", "-");
  return flags.filter((flag) => !nodeOptions.includes(flag.replace(/=.*/, "")));
}
