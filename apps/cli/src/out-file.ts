import { randomUUID } from "node:crypto";
import { lstatSync, realpathSync, statSync } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "./errors.ts";

/**
 * Asked before all the work, which would end with words of the system.
 *
 * @throws {UsageError} where no file can be written there.
 */
export function refuseNoPlace(typed: string, example: string): void {
  if (typed === "-") {
    throw new UsageError(
      `"-" would be a file of that name, not stdout: name one, such as ${example}, or say ./-`,
    );
  }
  const file = resolve(typed);
  if (typed.endsWith("/")) {
    throw new UsageError(`${typed} names a folder: name a file in it, such as ${typed}${example}`, {
      path: file,
    });
  }
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    throw new UsageError(`${file} is no file: name one, such as ${example}`, { path: file });
  }
  const folder = dirname(file);
  if (there === undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${folder} is no folder: make it first, or name another`, {
      path: folder,
    });
  }
}

/**
 * Writes a file that its owner alone can read, whole or not at all. Forced, it replaces what a link
 * leads to, and the link stays.
 *
 * @returns Its size in bytes.
 * @throws {TargetExistsError} where there is such a file, unless forced.
 * @throws {TargetUnwritableError} where the system refuses to write.
 */
export async function writeOutFile(
  path: string,
  pieces: AsyncIterable<string>,
  isForced: boolean,
): Promise<number> {
  const file = resolve(path);
  const { TargetExistsError, TargetUnwritableError } = await import("@pond/sessions");
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  if (isThere && !isForced) throw new TargetExistsError(file);
  const place = statSync(file, { throwIfNoEntry: false }) ? realpathSync(file) : file;
  const draft = `${place}.${randomUUID()}.tmp`;
  try {
    const bytes = await writeDraft(draft, pieces);
    if (isForced) await rename(draft, place);
    else await moveTo(draft, place, (cause) => new TargetExistsError(file, { cause }));
    return bytes;
  } catch (error) {
    throw TargetUnwritableError.from(file, error);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeDraft(draft: string, pieces: AsyncIterable<string>): Promise<number> {
  await using file = await open(draft, "wx", 0o600);
  let bytes = 0;
  for await (const piece of pieces) {
    const buffer = Buffer.from(piece);
    await file.writeFile(buffer);
    bytes += buffer.length;
  }
  await file.sync();
  return bytes;
}

/** Renaming would replace a file that came meanwhile; linking does not. */
async function moveTo(draft: string, place: string, taken: (cause: unknown) => Error) {
  try {
    await link(draft, place);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") throw taken(error);
    // Not every file system has hard links.
    await rename(draft, place);
  }
}
