import { basename, join } from "node:path";
import type { Installed, Resume } from "@pond/canonical/adapter";
import { idInName, logSuffix } from "./layout.ts";

/** How pi goes on with a session: by the path of its log, wherever that lies. */
export function piResume(installed: Installed): Resume {
  const path = logOf(installed);
  return { ...directoryOf(installed), commands: [["pi", "--session", join(installed.home, path)]] };
}

/** How omp goes on with a session: by its id; one that lies in no project's folder by its path. */
export function ompResume(installed: Installed): Resume {
  const path = logOf(installed);
  // It finds the ids of logs in the folders of projects alone: no sub-agent's, none beside those.
  const isListed = path.split("/").length === 3;
  const id = isListed ? idInName(basename(path)) : undefined;
  return {
    ...directoryOf(installed),
    commands: [["omp", "--resume", id ?? join(installed.home, path)]],
  };
}

/** A folder of no machine's, such as the name that an old session has for one, is not gone to. */
function directoryOf({ session }: Installed): { readonly directory?: string } {
  const isAbsolute = /^(?:\/|[A-Za-z]:[\\/])/.test(session.project);
  return isAbsolute ? { directory: session.project } : {};
}

/** @throws {TypeError} where no log of the session was restored. */
function logOf({ session, files }: Installed): string {
  const log = files.find((file) => file.session === session.id && file.path.endsWith(logSuffix));
  if (log === undefined) throw new TypeError(`no log of session ${session.id} was restored`);
  return log.path;
}
