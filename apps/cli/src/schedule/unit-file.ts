import { readFile, rm } from "node:fs/promises";
import { UsageError } from "../errors.ts";
import { replaceFile } from "../replace-file.ts";
import { mark } from "./scheduler.ts";

/** The text of a file of pond's; undefined if there is none, or it is somebody else's. */
export async function readOwn(file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text?.includes(mark) ? text : undefined;
}

/**
 * Writes a file of pond's.
 *
 * @returns False if it says exactly that already.
 * @throws {UsageError} if somebody else's file is there.
 */
export async function writeOwn(file: string, text: string): Promise<boolean> {
  const there = await readFile(file, "utf8").catch(() => undefined);
  if (there === text) return false;
  if (there !== undefined && !there.includes(mark)) {
    throw new UsageError(`${file} exists already and is not from pond: move it away`, { file });
  }
  await replaceFile(file, text);
  return true;
}

/** Removes the files that are pond's. @returns False if none was. */
export async function removeOwn(files: readonly string[]): Promise<boolean> {
  let isRemoved = false;
  for (const file of files) {
    if ((await readOwn(file)) === undefined) continue;
    await rm(file);
    isRemoved = true;
  }
  return isRemoved;
}
