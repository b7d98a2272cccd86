import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(process.env["POND_CORPUS"] ?? join("..", "shared", "corpus"));

/** The folder of real session files, if this machine has any; prints a line if it has none. */
export function corpusFolder(client: string): string | undefined {
  const path = join(folder, client);
  if (existsSync(path)) return path;
  console.warn(`skipped: no corpus at ${path}; POND_CORPUS names another place`);
  return undefined;
}
