import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { extname } from "node:path";
import type { NamedFile } from "./manifest-files.ts";

/**
 * True for a file that differs from what a manifest says, or that was written last and has no end.
 */
export async function isTorn({ path, bytes }: NamedFile, sinceMs: number): Promise<boolean> {
  // Synchronous, because there may be hundreds.
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (bytes !== undefined && found.size !== bytes)) return true;
  if (found.mtimeMs < sinceMs) return false;
  // A file without a recorded size and without a recognizable end cannot be judged.
  return footerOf(path) === undefined ? bytes === undefined : !(await hasFooter(path));
}

const footers: Readonly<Record<string, string>> = {
  ".manifest": "LANC",
  ".lance": "LANC",
  ".idx": "LANC",
  ".arrow": "ARROW1",
};

/** The bytes at the end of files of this kind, as far as they are known. */
function footerOf(path: string): string | undefined {
  return footers[extname(path)];
}

/** False for a file that a power cut has left without the end of its format. */
export async function hasFooter(path: string): Promise<boolean> {
  const footer = footerOf(path) ?? "";
  await using file = await open(path, "r");
  const { size } = await file.stat();
  if (size < footer.length) return false;
  const tail = Buffer.alloc(footer.length);
  await file.read(tail, 0, tail.length, size - tail.length);
  return tail.toString("latin1") === footer;
}
