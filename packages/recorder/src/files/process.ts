import { readFileSync } from "node:fs";

/** True while a process of this machine has that number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be signalled, but it is there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** When a process began, in words of its system; undefined where that has no `/proc` or it is over. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in parentheses and may hold anything; 20 fields come behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // One that is over is there until its parent asks, which in a container may be never.
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
