import { type CopySyncOptions, chmodSync, cpSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Copies a file or folder for a client that writes to it: what it is copied from may be read-only. */
export function copyWritable(
  from: string,
  to: string,
  { filter }: Pick<CopySyncOptions, "filter"> = {},
): void {
  cpSync(from, to, { recursive: true, ...(filter && { filter }) });
  makeWritable(to);
}

function makeWritable(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  chmodSync(path, stats.mode | 0o600 | (stats.isDirectory() ? 0o100 : 0));
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(path)) makeWritable(join(path, name));
}
