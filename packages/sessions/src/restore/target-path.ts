import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { link, rename } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { codeOf, TargetExistsError, TargetUnwritableError } from "../errors.ts";

// As many as Linux follows.
const maxLinks = 40;

/**
 * The place where a file asked for at `file` is written: the target of a link, even if nothing is
 * there yet, so that the link stays one.
 *
 * @throws {TargetExistsError} if something is at `file`, unless forced.
 * @throws {TargetUnwritableError} if that is not a file, so that replacing it would destroy it (a
 * folder, a pipe, a device), or if there can be none.
 */
export function resolveTargetPath(file: string, isForced: boolean): string {
  try {
    const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    if (isThere && !isForced) throw new TargetExistsError(file);
    const place = resolveLinks(file);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) return place;
    const what = found.isDirectory() ? "a folder is there" : "what is there is not a file";
    throw new TargetUnwritableError(file, what);
  } catch (error) {
    throw TargetUnwritableError.from(file, error);
  }
}

function resolveLinks(file: string): string {
  let path = file;
  for (let links = 0; links < maxLinks; links++) {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
    const target = readlinkSync(path);
    // Not joined by `join`: only the system knows where `..` leads after a link to a folder.
    const next = isAbsolute(target) ? target : `${dirname(path)}/${target}`;
    path = join(realpathSync.native(dirname(next)), basename(next));
  }
  throw new TargetUnwritableError(file, "its links lead in a circle");
}

/**
 * Gives a complete file its name. Unforced, it is linked if possible: renaming would replace what
 * appeared there in the meantime.
 *
 * @throws {TargetExistsError} if something is there, unless forced.
 */
export async function placeDraft(draft: string, place: string, isForced: boolean): Promise<void> {
  if (isForced) return rename(draft, place);
  try {
    await link(draft, place);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw new TargetExistsError(place, { cause: error });
    // Not every file system has hard links.
    await rename(draft, place);
  }
}
