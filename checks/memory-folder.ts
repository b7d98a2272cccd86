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
// Many times what was seen of tests at once, 0.4 GB: one of them writes a line of 300 MB.
const enough = 8 * 1024 ** 3;

/** A folder in memory, for as long as this process runs; undefined where none would do. */
export function memoryFolder(
  memory: string = inMemory,
  enoughBytes: number = enough,
): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < enoughBytes) return undefined;
    // A container may share the memory, and has processes of its own.
    const prefix = `pond-tests-${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}-`;
    removeLeft(memory, prefix);
    const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
    process.on("exit", () => remove(folder, 20));
    // As /tmp is: some tests run as another user.
    chmodSync(folder, 0o1777);
    // Containers often forbid programs there, and tests write some.
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    execFileSync(program);
    return folder;
  } catch {
    return undefined;
  }
}

/** Removes the folders of those who were killed. */
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

/** What was started by tests may write there still; what stays all the same is no failure of theirs. */
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
