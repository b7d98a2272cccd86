import { replaceFile } from "./replace-file.ts";
import type { Settings } from "./settings.ts";
import { readStateFile, stateFile } from "./state-directory.ts";

/** Writes down which sessions a search showed, in order, so that their numbers can be typed. */
export async function rememberSearch(settings: Settings, ids: readonly string[]): Promise<void> {
  await replaceFile(fileOf(settings), JSON.stringify(ids));
}

/** True where `typed` can be a number of a search; it can be the beginning of an id as well. */
export function isNumber(typed: string): boolean {
  return /^[1-9]\d{0,3}$/.test(typed);
}

/** The session the last search of this store showed with that number, where `typed` is one. */
export async function numberedSession(
  settings: Settings,
  typed: string,
): Promise<string | undefined> {
  if (!isNumber(typed)) return undefined;
  const ids = await readStateFile(fileOf(settings));
  const id: unknown = Array.isArray(ids) ? ids[Number(typed) - 1] : undefined;
  return typeof id === "string" ? id : undefined;
}

function fileOf(settings: Settings): string {
  return stateFile(settings, "last-search");
}
