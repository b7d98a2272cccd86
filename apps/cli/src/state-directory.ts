import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "./context.ts";
import type { Settings } from "./settings.ts";

/** What this machine saw, for one store: another store has to be told everything. */
export function storeStateDirectory(
  { settings }: Pick<Context, "settings">,
  storeId: string,
): string {
  return join(settings.directories.state, storeId);
}

/**
 * A file of this machine about the store of these settings; it is known even if the store does not
 * exist.
 */
export function stateFile({ location, directories }: Settings, folder: string): string {
  const name = createHash("sha256").update(location).digest("hex").slice(0, 32);
  return join(directories.state, folder, `${name}.json`);
}

/**
 * The content of a file of this folder; undefined if there is none. It may have been cut by a power
 * cut, or changed by hand: then nothing is known, either.
 */
export async function readStateFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** True for a time in the form of such a file. */
export function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
