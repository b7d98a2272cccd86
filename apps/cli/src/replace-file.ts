import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "./directories.ts";
import { ConfigError } from "./errors.ts";

/**
 * The text of a file, with its byte order mark; undefined if there is none.
 *
 * @throws {ConfigError} if it is not UTF-8: written again, it would be another file.
 * @throws {Error} if it cannot be read.
 */
export async function readText(file: string): Promise<string | undefined> {
  const bytes = await readBytes(file);
  return bytes && textOf(bytes, file);
}

/** @throws {ConfigError} if it is not UTF-8. */
export function textOf(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ConfigError(`${file}: is not UTF-8: save it as UTF-8`, { file }, { cause });
  }
}

/** The bytes of a file; undefined if there is none. @throws {Error} if it cannot be read. */
export async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Replaces a file with text or bytes, at once or not at all. A link stays one, and the file keeps
 * its permissions; a new file is for its user alone.
 *
 * @throws {ConfigError} for a broken link.
 * @throws {TargetUnwritableError} if the system refuses to write; its error for a full disk names
 * no file.
 */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  try {
    makeFolder(dirname(file));
    await writeAtomically(await linkTargetOf(file), content);
  } catch (error) {
    const { TargetUnwritableError } = await import("@pond/sessions");
    throw TargetUnwritableError.from(file, error);
  }
}

async function writeAtomically(target: string, content: string | Buffer): Promise<void> {
  const mode = (await stat(target).catch(() => undefined))?.mode ?? 0o600;
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, content, { mode: mode & 0o777, flag: "wx" });
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
}

async function linkTargetOf(file: string): Promise<string> {
  const there = await lstat(file).catch(() => undefined);
  if (!there?.isSymbolicLink()) return file;
  try {
    return await realpath(file);
  } catch (cause) {
    const reason = "is a link to a file that does not exist: create the file, or remove the link";
    throw new ConfigError(`${file}: ${reason}`, { file }, { cause });
  }
}

/**
 * Copies a file beside itself, as `<file>.bak-<time>`.
 *
 * @returns The copy's path; null if there was nothing to copy.
 */
export async function backUp(file: string, now: Date): Promise<string | null> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  for (let count = 1; ; count++) {
    const copy = `${file}.bak-${time}${count === 1 ? "" : `-${count}`}`;
    try {
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "ENOENT") return null;
      if (code !== "EEXIST") throw error;
    }
  }
}
