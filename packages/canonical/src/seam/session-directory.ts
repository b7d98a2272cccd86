import type { Session } from "../session.ts";

/**
 * The directory that a session worked in. Undefined if its project is not a directory on any
 * system: some sources have none and use the address of a repository or the name of an agent
 * instead.
 */
export function directoryOf({ project }: Pick<Session, "project">): string | undefined {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(project) ? project : undefined;
}
