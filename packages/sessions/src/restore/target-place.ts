import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { link, rename } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { codeOf, TargetExistsError, TargetUnwritableError } from "../errors.ts";

// As many as Linux follows.
const maxLinks = 40;

/**
 * Where a file that is asked for at `file` comes to be: what a link leads to, also where nothing is
 * there yet, so that the link stays one.
 *
 * @throws {TargetExistsError} where something is at `file`, unless forced.
 * @throws {TargetUnwritableError} where that is no file, so that to replace it would destroy it: a
 *   folder, a pipe, a device; or where there can be none.
 */
export function targetPlace(file: string, isForced: boolean): string {
  try {
    const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    if (isThere && !isForced) throw new TargetExistsError(file);
    const place = behindLinks(file);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) return place;
    const what = found.isDirectory() ? "a folder is there" : "what is there is not a file";
    throw new TargetUnwritableError(file, what);
  } catch (error) {
    throw TargetUnwritableError.from(file, error);
  }
}

function behindLinks(file: string): string {
  let path = file;
  for (let links = 0; links < maxLinks; links++) {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
    const target = readlinkSync(path);
    // Not put together by `join`: what `..` leads to behind a link to a folder only the system knows.
    const next = isAbsolute(target) ? target : `${dirname(path)}/${target}`;
    path = join(realpathSync.native(dirname(next)), basename(next));
  }
  throw new TargetUnwritableError(file, "its links lead in a circle");
}

/**
 * Gives a file that is whole its name. Unforced it is linked, where that can be: renaming would
 * replace what came there meanwhile.
 *
 * @throws {TargetExistsError} where something is there, unless forced.
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
