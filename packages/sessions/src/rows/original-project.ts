import { isJsonObject, type JsonObject, type Session } from "@pond/canonical";
import { bagOf } from "./option-bag.ts";

// A label is stored as plain text, which cannot hold half a character; a path that is not Unicode
// does.

/**
 * A session under a project that can be stored; the project as its source says it is kept with
 * pond's own facts.
 */
export function withStorableProject(session: Session): Session {
  const { project, options } = session;
  // Nothing is checked yet.
  if (typeof project !== "string" || project.isWellFormed()) return session;
  if (Object.hasOwn(options, "pond") && !isJsonObject(options["pond"])) return session;
  const pond = { ...bagOf(options, "pond"), project };
  return { ...session, project: project.toWellFormed(), options: { ...options, pond } };
}

/** A stored session with its project as its source says it. */
export function withOriginalProject(session: Session): Session {
  const { project: original, ...pond } = bagOf(session.options, "pond");
  // A different one, as in an archive whose texts were replaced, says nothing about it.
  if (typeof original !== "string" || original.toWellFormed() !== session.project) return session;
  const { pond: _, ...others } = session.options;
  const options: JsonObject = Object.keys(pond).length > 0 ? { ...others, pond } : others;
  return { ...session, project: original, options };
}
