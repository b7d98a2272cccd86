import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Adapter } from "@pond/canonical/adapter";
import type { Restored } from "@pond/sessions";
import { possibleStoredIds } from "./possible-stored-ids.ts";

/** Files, and the folder that they go into. */
export type FilesInFolder = { readonly restored: Restored; readonly folder: string };

/**
 * The log of a session that its client was told to keep outside of its home: it continues there,
 * and a second one in the home would be another place of the session. Undefined if there is none,
 * if the home has one, or if not everything that is restored is beside it.
 */
export async function findExternalLog(
  restored: Restored,
  id: string,
  adapter: Adapter,
  folder: string,
  homes: readonly string[],
): Promise<FilesInFolder | undefined> {
  const main = restored.files.find((file) => file.session === id);
  if (!main?.part.isNative || main.shared || existsSync(join(folder, main.path))) return undefined;
  const beside = main.path.slice(0, -basename(main.path).length);
  if (!restored.files.every(({ path }) => path.startsWith(beside))) return undefined;
  for (const log of homes) {
    const isLog =
      basename(log) === basename(main.path) && statSync(log, { throwIfNoEntry: false })?.isFile();
    if (!isLog || !(await sessionIdsIn(log, adapter)).includes(id)) continue;
    const files = restored.files.map((file) => ({ ...file, path: file.path.slice(beside.length) }));
    return { restored: { ...restored, files }, folder: dirname(log) };
  }
  return undefined;
}

/** The names that the session in a log may have; unknown if the log cannot be read. */
async function sessionIdsIn(log: string, adapter: Adapter): Promise<readonly string[]> {
  try {
    const reader = adapter.from(log);
    for await (const found of reader.sessions()) {
      if (found.kind !== "source") continue;
      for await (const event of reader.read(found.key)) {
        if (event.kind === "session") return await possibleStoredIds(event.session);
      }
    }
  } catch (error) {
    const { isSystemError } = await import("@pond/canonical/adapter");
    if (!isSystemError(error)) throw error;
  }
  return [];
}
