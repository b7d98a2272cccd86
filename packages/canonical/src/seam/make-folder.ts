import { lstat, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and the missing folders above it, for this user alone. It goes one step at a time:
 * in a place that accepts no folder, such as `/proc` or an automounter's missing home, Node's
 * recursive way never comes to an end.
 *
 * @throws the system's error for the first folder that cannot be made.
 */
export async function makeFolder(path: string): Promise<void> {
  const steps = [path];
  for (let above = dirname(path); !(await isThere(above)); above = dirname(above)) {
    steps.unshift(above);
  }
  for (const step of steps) {
    await mkdir(step, { mode: 0o700 }).catch(async (error: unknown) => {
      if (!(await isFolder(step))) throw error;
    });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" && dirname(path) !== path) return false;
    throw error;
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
