import { readFileSync } from "node:fs";

/** True while a process of this machine has that id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but it exists.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * When a process started, in its system's units; undefined if there is no `/proc` or the process is
 * over.
 */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name is in parentheses and may hold anything; 20 fields follow it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A process that ended stays there until its parent asks, which in a container may be never.
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
