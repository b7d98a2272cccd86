import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const inMemory = "/dev/shm";
// Many times the 0.4 GB that tests were seen to use at once. One of them writes a line of 300 MB.
const enough = 8 * 1024 ** 3;

/** A folder in memory while this process runs; undefined if no folder there would do. */
export function memoryFolder(
  memory: string = inMemory,
  enoughBytes: number = enough,
): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < enoughBytes) return undefined;
    // A container may share the memory, but has its own process ids.
    const prefix = `pond-tests-${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}-`;
    removeLeft(memory, prefix);
    const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
    process.on("exit", () => remove(folder, 20));
    // The mode of /tmp, because some tests run as another user.
    chmodSync(folder, 0o1777);
    // Containers often forbid to run programs there, and some tests write programs.
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    execFileSync(program);
    return folder;
  } catch {
    return undefined;
  }
}

/** Removes the folders of processes that were killed. */
function removeLeft(memory: string, prefix: string): void {
  for (const name of readdirSync(memory)) {
    if (name.startsWith(prefix) && !isRunning(Number.parseInt(name.slice(prefix.length), 10)))
      remove(join(memory, name), 1);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

const pauseMs = 100;

/** Processes that tests started may still write there. Files that stay do not fail the tests. */
function remove(folder: string, attempts: number): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch {
      if (attempt === attempts) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}
