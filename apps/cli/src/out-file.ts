import { randomUUID } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "./errors.ts";

/**
 * Checked before all the work, which would end with the system's message.
 *
 * @throws {UsageError} if no file can be written there.
 */
export function refuseUnwritablePath(typed: string, example: string): void {
  if (typed === "-") {
    throw new UsageError(
      `"-" would be a file of that name, not stdout: name one, such as ${example}, or write ./-`,
    );
  }
  const file = resolve(typed);
  if (typed.endsWith("/")) {
    throw new UsageError(`${typed} names a folder: name a file in it, such as ${typed}${example}`, {
      path: file,
    });
  }
  const stats = statsOf(file);
  if (stats !== undefined && !stats.isFile()) {
    throw new UsageError(`${file} is not a file: name one, such as ${example}`, { path: file });
  }
  const folder = dirname(file);
  if (stats === undefined && !statsOf(folder)?.isDirectory()) {
    throw new UsageError(`${folder} is not a folder: create it first, or name another`, {
      path: folder,
    });
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new UsageError(`no file can be at ${path} (${code}): name another`, { path });
  }
}

/**
 * Writes a file that only its owner can read, whole or not at all. Forced, it replaces the target
 * of a link, and the link stays.
 *
 * @returns Its size in bytes.
 * @throws {TargetExistsError} if there is such a file, unless forced.
 * @throws {TargetUnwritableError} if the system refuses to write.
 */
export async function writeOutFile(
  path: string,
  pieces: AsyncIterable<string>,
  isForced: boolean,
): Promise<number> {
  const { placeDraft, TargetUnwritableError, resolveTargetPath } = await import("@pond/sessions");
  const file = resolve(path);
  const place = resolveTargetPath(file, isForced);
  const draft = `${place}.${randomUUID()}.tmp`;
  try {
    const bytes = await writeDraft(draft, pieces);
    await placeDraft(draft, place, isForced);
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
