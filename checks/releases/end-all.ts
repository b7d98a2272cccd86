import { globSync, readFileSync } from "node:fs";

/**
 * Ends a process that leads a group, its whole group, and every process whose environment names a
 * folder: clients start commands in sessions of their own, which do not end with the client.
 */
export function endAllOf(folder: string, leader: number | undefined): void {
  if (leader !== undefined) end(-leader);
  // Without /proc, those processes end when they are done.
  for (const path of globSync("/proc/[0-9]*/environ")) {
    if (environmentAt(path).includes(folder)) end(Number(path.split("/")[2]));
  }
}

function environmentAt(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // The process has ended, or belongs to somebody else.
    return "";
  }
}

function end(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch (error) {
    // It has ended.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
