import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSystemError } from "@pond/canonical/adapter";
import { counterpartOf, isLogName, logAt, logSuffix, type Root, stemOf } from "./layout.ts";

/** True for the path of a log, false for the id of a session. */
export function isPath(origin: string): boolean {
  return origin.endsWith(logSuffix) || /[\\/]/.test(origin);
}

/** The log of an origin: logs move with their folders, so it is looked for by its name. */
export function findLog(file: string, origin: string, root: Root): string | undefined {
  const beside = dirname(file);
  if (!isPath(origin)) return findById([beside, dirname(beside)], origin, root);
  const { sessions } = root;
  const name = lastStep(origin);
  const folder = lastStep(origin.slice(0, -name.length - 1));
  const places = [join(beside, name), join(sessions, folder, name), join(sessions, name)];
  for (const place of places) {
    const log = logOf(place, root);
    if (log !== undefined) return log;
  }
  return undefined;
}

function findById(folders: readonly string[], id: string, root: Root): string | undefined {
  const isOrigin = (name: string): boolean =>
    isLogName(name, root) && stemOf(name).endsWith(`_${id}`);
  for (const place of folders) {
    for (const folder of [place, counterpartOf(place, root) ?? []].flat()) {
      const name = namesIn(folder).find(isOrigin);
      if (name !== undefined) return join(folder, name);
    }
  }
  return undefined;
}

/** The log that is said to lie at a path; it may have gone to the archive since, or come back. */
export function logOf(path: string, root: Root): string | undefined {
  const other = counterpartOf(path, root);
  return logAt(path, root) ?? (other === undefined ? undefined : logAt(other, root));
}

/** The name at the end of a path of any system; empty where it would lead elsewhere. */
export function lastStep(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  // It comes from the file, and must not lead out of the folder it is looked for in.
  return name === "." || name === ".." || name.includes("\0") ? "" : name;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}
