import { existsSync } from "node:fs";
import { join } from "node:path";
import { logSuffix, sessionsPrefix, stemOf } from "./layout.ts";

/**
 * Where omp has moved a log, or what is beside it. When omp starts in a directory whose folder has
 * the name of an earlier release, which is how pond writes it, it renames that by the path below
 * the user's home, or below the folder for temporary files.
 */
export function ompMovedTo(home: string, path: string): string | undefined {
  const [prefix, folder = "", name, ...below] = path.split("/");
  const encoded = /^--(.+)--$/.exec(folder)?.[1];
  if (`${prefix}/` !== sessionsPrefix || encoded === undefined || name === undefined) {
    return undefined;
  }
  const log = `${below.length > 0 ? name : stemOf(name)}${logSuffix}`;
  const hasLog = (each: string): boolean => existsSync(join(home, sessionsPrefix, each, log));
  const moved = hasLog(folder) ? undefined : newNames(encoded).find(hasLog);
  return moved && [prefix, moved, name, ...below].join("/");
}

/**
 * The possible present names of the folder, because nothing in its name says where the home ends.
 */
function newNames(encoded: string): readonly string[] {
  const steps = encoded.split("-").map((step) => `-${step}`);
  const rests = [...steps, ""].map((_, at) => steps.slice(at).join(""));
  return rests.flatMap((rest) => [rest || "-", `-tmp${rest}`]);
}
