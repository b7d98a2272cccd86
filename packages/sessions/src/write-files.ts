import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { RestoredFile } from "@pond/canonical/adapter";
import { TargetExistsError, UnsafePathError } from "./errors.ts";
import { checkPath } from "./safe-path.ts";

export type WriteOptions = {
  /** Replace files that are there. */
  readonly isForced?: boolean;
  /** How the client itself writes a file, where it has a protocol of its own for that. */
  readonly save?: (path: string, content: RestoredFile["content"]) => Promise<void>;
};

type Target = { readonly file: RestoredFile; readonly path: string };

/**
 * Writes restored files below a folder, each at once or not at all. Files are private to the user.
 *
 * @returns The paths written.
 * @throws {TargetExistsError} where another file is there already, or two have one path; before
 * anything is written.
 * @throws {UnsafePathError} where a path or a link on the way leads out of the folder.
 */
export async function writeFiles(
  files: readonly RestoredFile[],
  folder: string,
  { isForced = false, save }: WriteOptions = {},
): Promise<string[]> {
  const root = resolve(folder);
  const targets = files.map((file) => ({ file, path: join(root, file.path) }));
  const paths = new Set<string>();
  const present = new Set<string>();
  for (const target of targets) {
    checkPath(target.file);
    if (paths.has(target.path)) throw new TargetExistsError(target.path);
    paths.add(target.path);
    const isFree = await checkWay(root, target, isForced);
    if (!isFree) present.add(target.path);
  }
  for (const { file, path } of targets) {
    if (present.has(path)) continue;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (save) await save(path, file.content);
    else await writeOne(path, file.content, isForced);
  }
  return [...paths];
}

async function writeOne(
  path: string,
  content: RestoredFile["content"],
  isForced: boolean,
): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  const file = await open(draft, "wx", 0o600);
  try {
    try {
      for (const piece of content) await file.writeFile(piece);
    } finally {
      await file.close();
    }
    if (isForced) await rename(draft, path);
    else await place(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Renaming would replace a file that came meanwhile; linking does not. */
async function place(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw new TargetExistsError(path, { cause: error });
    // Not every file system has hard links.
    await rename(draft, path);
  }
}

/**
 * Below the folder itself, which is the user's choice, no step may be a link.
 *
 * @returns False where the very same file is there already: sessions share what they attach.
 */
async function checkWay(root: string, { file, path }: Target, isForced: boolean): Promise<boolean> {
  const steps = file.path.split("/");
  for (let depth = 1; depth <= steps.length; depth++) {
    const step = join(root, ...steps.slice(0, depth));
    const kind = await kindOf(step);
    if (kind === undefined) return true;
    if (kind === "link") throw new UnsafePathError(file.session, path);
    const isLast = depth === steps.length;
    if (isLast && kind === "file" && !isForced && (await isSame(step, file.content))) return false;
    // A folder where the file goes, or a file where a folder goes, is never replaced.
    if (kind === (isLast ? "folder" : "file") || (isLast && !isForced)) {
      throw new TargetExistsError(step);
    }
  }
  return true;
}

/** True where a file holds exactly these pieces; a piece is compared at a time. */
async function isSame(path: string, content: RestoredFile["content"]): Promise<boolean> {
  const file = await open(path, "r");
  try {
    for (const piece of content) {
      const expected = Buffer.from(piece);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(expected.length));
      if (bytesRead < expected.length || !buffer.equals(expected)) return false;
    }
    return (await file.read(Buffer.alloc(1))).bytesRead === 0;
  } finally {
    await file.close();
  }
}

async function kindOf(path: string): Promise<"link" | "folder" | "file" | undefined> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return "link";
    return stats.isDirectory() ? "folder" : "file";
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
