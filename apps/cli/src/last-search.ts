import { replaceFile } from "./replace-file.ts";
import type { Settings } from "./settings.ts";
import { readStateFile, stateFile } from "./state-directory.ts";

/** Records which sessions a search showed, in order, so that their numbers can be typed. */
export async function rememberSearch(settings: Settings, ids: readonly string[]): Promise<void> {
  await replaceFile(fileOf(settings), JSON.stringify(ids));
}

/** True if `typed` can be the number of a search result; it may also be the beginning of an id. */
export function isResultNumber(typed: string): boolean {
  return /^[1-9]\d{0,3}$/.test(typed);
}

/** The session that the last search of this store showed with this number, if `typed` is one. */
export async function numberedSession(
  settings: Settings,
  typed: string,
): Promise<string | undefined> {
  if (!isResultNumber(typed)) return undefined;
  const ids = await readStateFile(fileOf(settings));
  const id: unknown = Array.isArray(ids) ? ids[Number(typed) - 1] : undefined;
  return typeof id === "string" ? id : undefined;
}

function fileOf(settings: Settings): string {
  return stateFile(settings, "last-search");
}
