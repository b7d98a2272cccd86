import { mkdtemp, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

// Those of this process that are in use.
const inUse = new Set<string>();

/**
 * Lends a folder beside `path`, and removes it whatever happens. What a process that was killed
 * left of one is removed by the next that asks for the same path.
 */
export async function withScratchFolder<T>(
  path: string,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const prefix = `${path}.part-`;
  await removeAbandoned(prefix);
  const folder = await mkdtemp(`${prefix}${process.pid}-`);
  inUse.add(folder);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    inUse.delete(folder);
  }
}

async function removeAbandoned(prefix: string): Promise<void> {
  const home = dirname(prefix);
  for (const name of await readdir(home)) {
    if (!name.startsWith(basename(prefix))) continue;
    const folder = join(home, name);
    const owner = /^(\d+)-\w{6}$/.exec(name.slice(basename(prefix).length))?.[1];
    if (owner === undefined || inUse.has(folder) || isOtherRunning(Number(owner))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

/** True for a process other than this one. Its number may be another's by now: then it stays. */
function isOtherRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
