import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { RestoredFile } from "@pond/canonical/adapter";
import { TargetExistsError, UnsafePathError } from "./errors.ts";

export type WriteOptions = {
  /** Replace files that are there. */
  readonly isForced?: boolean;
};

/**
 * Writes restored files below a folder, each at once or not at all. Files are private to the user.
 *
 * @returns The paths written.
 * @throws {TargetExistsError} before anything is written, where a file is there already.
 * @throws {UnsafePathError} where a link on the way leads out of the folder.
 */
export async function writeFiles(
  files: readonly RestoredFile[],
  folder: string,
  { isForced = false }: WriteOptions = {},
): Promise<string[]> {
  const root = resolve(folder);
  const targets = files.map((file) => ({ file, path: join(root, file.path) }));
  for (const { file, path } of targets) {
    await refuseLinks(root, file, path);
    if (!isForced && (await kindOf(path)) !== undefined) throw new TargetExistsError(path);
  }
  for (const { file, path } of targets) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeOne(path, file.content);
  }
  return targets.map(({ path }) => path);
}

async function writeOne(path: string, content: RestoredFile["content"]): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  const file = await open(draft, "wx", 0o600);
  try {
    for (const piece of content) await file.writeFile(piece);
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

/** Below the folder itself, which is the user's choice, no step may be a link. */
async function refuseLinks(root: string, file: RestoredFile, path: string): Promise<void> {
  const steps = relative(root, path).split("/");
  for (let depth = 1; depth <= steps.length; depth++) {
    const kind = await kindOf(join(root, ...steps.slice(0, depth)));
    if (kind === "link") throw new UnsafePathError(file.session, path);
    if (kind === undefined) return;
  }
}

async function kindOf(path: string): Promise<"link" | "other" | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? "link" : "other";
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
