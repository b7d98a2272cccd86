import { basename, join } from "node:path";
import { type JsonObject, tryParseObject } from "@pond/canonical";
import {
  directoryOf,
  type InstalledSession,
  type Origin,
  type RestoredFile,
  type Resume,
} from "@pond/canonical/adapter";
import { idInName, logSuffix } from "./layout.ts";

/** How pi continues a session: by the path of its log, wherever that is. */
export function piResume(installed: InstalledSession): Resume {
  const log = logOf(installed);
  const commands = [["pi", "--session", join(installed.home, log.path)]];
  return { ...placeOf(installed, log, "pi"), commands };
}

/** How omp continues a session: by its id; one that is in no project's folder by its path. */
export function ompResume(installed: InstalledSession): Resume {
  const log = logOf(installed);
  const { path } = log;
  // It finds the ids of logs only in the folders of projects: no sub-agent's, none beside those.
  const isListed = path.split("/").length === 3;
  const id = isListed ? idInName(basename(path)) : undefined;
  return {
    ...placeOf(installed, log, "omp"),
    commands: [["omp", "--resume", id ?? join(installed.home, path)]],
  };
}

/**
 * Where a session is, as its own client says, which may have moved it since it was stored. A folder
 * that exists on no machine, such as the name that an old session has instead, is not changed into.
 */
function placeOf(
  { session }: InstalledSession,
  log: RestoredFile,
  origin: Origin,
): { readonly directory?: string } {
  const cwd = session.source_agent === origin ? headerOf(log)?.["cwd"] : undefined;
  const moved = typeof cwd === "string" ? directoryOf({ project: cwd }) : undefined;
  const directory = moved ?? directoryOf(session);
  return directory === undefined ? {} : { directory };
}

/** The header of a log: its first line, or the one after omp's line for the title. */
function headerOf({ content }: RestoredFile): JsonObject | undefined {
  let begin = "";
  for (const piece of content) {
    begin += Buffer.from(piece).toString();
    if (begin.split("\n", 3).length > 2) break;
  }
  const lines = begin.split("\n", 2).map(tryParseObject);
  return lines.find((line) => line?.["type"] === "session");
}

/** @throws {TypeError} if no log of the session was restored. */
function logOf({ session, files }: InstalledSession): RestoredFile {
  const log = files.find((file) => file.session === session.id && file.path.endsWith(logSuffix));
  if (log === undefined) throw new TypeError(`no log of session ${session.id} was restored`);
  return log;
}
