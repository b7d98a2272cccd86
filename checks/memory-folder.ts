import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const memory = "/dev/shm";
// Many times what was seen of tests at once, 0.4 GB: one of them writes a line of 300 MB.
const enoughBytes = 8 * 1024 ** 3;

/** A folder in memory, for as long as this process runs; undefined where none would do. */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < enoughBytes) return undefined;
    const folder = mkdtempSync(join(memory, "pond-tests-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
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
