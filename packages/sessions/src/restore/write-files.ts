import { lstat, open, realpath, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder, type RestoredFile } from "@pond/canonical/adapter";
import { codeOf, TargetExistsError, TargetUnwritableError, UnsafePathError } from "../errors.ts";
import { appendLines } from "./append-lines.ts";
import { setIncreasingMtime } from "./increasing-mtime.ts";
import { draftPathOf, LeftoverDrafts } from "./leftover-drafts.ts";
import { checkPath } from "./safe-path.ts";
import { placeDraft } from "./target-path.ts";

/** How restored files are put on disk. */
export type WriteOptions = {
  /** Replaces existing files. */
  readonly isForced?: boolean;
  /** How the client itself writes a file, if it has a protocol of its own for that. */
  readonly save?: (path: string, content: RestoredFile["content"]) => Promise<void>;
  /** Shared by many calls, so that they read no folder twice. Default: each call has its own. */
  readonly leftoverDrafts?: LeftoverDrafts;
};

type Target = { readonly file: RestoredFile; readonly path: string };

/**
 * Writes restored files below a folder, each at once or not at all. Files are private to the user.
 * A file that sessions share gets the lines that follow its last one. Every other file is later
 * than those before it, including those of earlier calls, because clients continue what was written
 * last.
 *
 * @returns The path of each file.
 * @throws {TargetExistsError} if another file is there already, or two have one path that they do
 * not share; thrown before anything is written.
 * @throws {UnsafePathError} if a path or a link on the way leads out of the folder.
 * @throws {TargetUnwritableError} if the system refuses to write; the same call then continues. Also
 * if the disk takes a name for that of another file: that one is not replaced, even if forced.
 */
export async function writeFiles(
  files: readonly RestoredFile[],
  folder: string,
  { isForced = false, save, leftoverDrafts = new LeftoverDrafts() }: WriteOptions = {},
): Promise<string[]> {
  const root = resolve(folder);
  const targets = files.map((file) => ({ file, path: join(root, file.path) }));
  const paths = new Set<string>();
  const shared = new Set<string>();
  const present = new Set<string>();
  for (const target of targets) {
    checkPath(target.file);
    const isShared = target.file.shared !== undefined;
    if (paths.has(target.path) && !(isShared && shared.has(target.path))) {
      throw new TargetExistsError(target.path);
    }
    paths.add(target.path);
    if (isShared) shared.add(target.path);
    const isFree = await checkTargetPath(root, target, isForced);
    if (!isFree) present.add(target.path);
  }
  for (const path of paths) await leftoverDrafts.removeOf(path);
  for (const { file, path } of targets) {
    if (present.has(path)) continue;
    try {
      await makeFolder(dirname(path));
      if (file.shared) await appendLines(path, file.content, file.shared);
      else {
        // One of these files may have taken it.
        await refuseOtherName(path);
        if (save) await save(path, file.content);
        else await writeAtomically(path, file.content, isForced);
      }
    } catch (error) {
      throw TargetUnwritableError.from(path, error);
    }
  }
  return targets.map(({ path }) => path);
}

async function writeAtomically(
  path: string,
  content: RestoredFile["content"],
  isForced: boolean,
): Promise<void> {
  const draft = draftPathOf(path);
  const file = await open(draft, "wx", 0o600);
  try {
    try {
      for (const piece of content) await file.writeFile(piece);
      await setIncreasingMtime(file);
    } finally {
      await file.close();
    }
    await placeDraft(draft, path, isForced);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Checks that no step below the folder itself, which is the user's choice, is a link.
 *
 * @returns False if the very same file is there already: sessions share what they attach.
 */
async function checkTargetPath(
  root: string,
  { file, path }: Target,
  isForced: boolean,
): Promise<boolean> {
  const steps = file.path.split("/");
  for (let depth = 1; depth <= steps.length; depth++) {
    const step = join(root, ...steps.slice(0, depth));
    const kind = await kindOf(step);
    if (kind === undefined) return true;
    if (kind === "link") throw new UnsafePathError(file.session, path);
    const isLast = depth === steps.length;
    if (isLast && kind === "file" && file.shared) return true;
    if (isLast && kind === "file" && !isForced && (await isSame(step, file.content))) return false;
    if (isLast && kind === "file") await refuseOtherName(step);
    // A folder in the place of the file, or a file in the place of a folder, is never replaced.
    if (kind === (isLast ? "folder" : "file") || (isLast && !isForced)) {
      throw new TargetExistsError(step);
    }
  }
  return true;
}

/**
 * Refuses to write where another file is: a disk that ignores case, as those of macOS do, or how an
 * accent is written, finds `Ab` for `ab`.
 */
async function refuseOtherName(path: string): Promise<void> {
  try {
    // The system's own: Node's synchronous one keeps the name that it is given.
    const name = basename(await realpath(path));
    if (name === basename(path)) return;
    const other = join(dirname(path), name);
    throw new TargetUnwritableError(path, `this disk takes its name for that of ${other}`);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

/** True if a file holds exactly these pieces; a piece is compared at a time. */
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
    throw TargetUnwritableError.from(path, error);
  }
}
