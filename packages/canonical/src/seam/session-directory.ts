import type { Session } from "../session.ts";

/**
 * The directory that a session worked in. Undefined where its project is none of any system: some
 * sources have no directory, and the address of a repository or the name of an agent for one.
 */
export function directoryOf({ project }: Pick<Session, "project">): string | undefined {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(project) ? project : undefined;
}
