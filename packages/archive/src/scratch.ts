import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { TargetUnwritableError } from "@pond/sessions";

// Folders that this process is using.
const inUse = new Set<string>();

/**
 * Lends a folder beside `path`, and removes it in any case. What a killed process left is removed
 * by the next process of the same user that asks for the same path.
 *
 * @param refused - Makes the error if no folder can be made there.
 */
export async function withScratchFolder<T>(
  path: string,
  use: (folder: string) => Promise<T>,
  refused: (error: unknown) => unknown = (error) => TargetUnwritableError.from(path, error),
): Promise<T> {
  const folder = await makeFolder(path).catch((error: unknown) => {
    throw refused(error);
  });
  inUse.add(folder);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    inUse.delete(folder);
  }
}

async function makeFolder(path: string): Promise<string> {
  const prefix = `${path}.part-`;
  await removeAbandoned(prefix);
  return mkdtemp(`${prefix}${process.pid}-`);
}

async function removeAbandoned(prefix: string): Promise<void> {
  const home = dirname(prefix);
  for (const name of await readdir(home)) {
    if (!name.startsWith(basename(prefix))) continue;
    const folder = join(home, name);
    const owner = /^(\d+)-\w{6}$/.exec(name.slice(basename(prefix).length))?.[1];
    if (owner === undefined || inUse.has(folder) || isOtherRunning(Number(owner))) continue;
    // Temporary folders are shared: it may belong to another user, who has to remove it.
    if (!(await isOurs(folder))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

/** False for a folder of another user, and for one that is gone. */
async function isOurs(folder: string): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  return stats !== undefined && (process.getuid?.() ?? stats.uid) === stats.uid;
}

/**
 * True for a running process other than this one. If its id belongs to another process by now, the
 * folder stays.
 */
function isOtherRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
