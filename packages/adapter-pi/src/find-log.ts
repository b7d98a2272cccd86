import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSystemError } from "@pond/canonical/adapter";
import { logSuffix, type Root } from "./layout.ts";

/** True for the path of a log, false for the id of a session. */
export function isPath(origin: string): boolean {
  return origin.endsWith(logSuffix) || /[\\/]/.test(origin);
}

/** The log of an origin: logs move with their folders, so it is looked for by its name. */
export function findLog(file: string, origin: string, { sessions }: Root): string | undefined {
  const beside = dirname(file);
  if (!isPath(origin)) {
    const name = namesIn(beside).find((name) => name.endsWith(`_${origin}${logSuffix}`));
    const above = name === undefined ? namesIn(dirname(beside)) : [];
    const other = above.find((name) => name.endsWith(`_${origin}${logSuffix}`));
    if (name !== undefined) return join(beside, name);
    return other === undefined ? undefined : join(dirname(beside), other);
  }
  const name = lastStep(origin);
  const folder = lastStep(origin.slice(0, -name.length - 1));
  const places = [join(beside, name), join(sessions, folder, name), join(sessions, name)];
  return places.find((place) => statSync(place, { throwIfNoEntry: false })?.isFile());
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
