import type { SessionId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { Lineage, NativeParent } from "../seam/codec.ts";
import { sourceOf } from "../seam/source-options.ts";
import type { Session } from "../session.ts";

/** How the sessions of one lineage belong together. */
export type Family = {
  /** The session that this one was forked from or is a sub-agent of; undefined for the topmost. */
  readonly aboveOf: (session: Session) => Session | undefined;
  /** The session whose sub-agent this is; undefined for a fork and for one that stands by itself. */
  readonly parentOf: (session: Session) => Session | undefined;
  /** The session that stands by itself at the top of this one's chain of parents. */
  readonly mainOf: (session: Session) => Session;
  /** Where the client has a session that it wrote itself; undefined for one that is translated. */
  readonly nativePath: (session: Session) => string | undefined;
};

/**
 * The family of a lineage. The topmost session stands by itself, also where it descends from one
 * that is below it; safe where other parents form a circle.
 *
 * @param parents - What the root descends from, as writers are given it; the root is topmost without.
 */
export function familyOf(
  { root, descendants }: Lineage,
  parents: readonly NativeParent[] = [],
): Family {
  const members = new Map<SessionId | undefined, Session>(
    [...parents, root, ...descendants].map(({ session }) => [session.id, session]),
  );
  const paths = new Map(parents.map(({ session, path }) => [session.id, path]));
  const topmost = parents.at(-1) ?? root;
  const aboveOf = (session: Session): Session | undefined =>
    session.id === topmost.session.id ? undefined : members.get(session.parent_session_id);
  const parentOf = (session: Session): Session | undefined =>
    isSubAgent(session) ? aboveOf(session) : undefined;
  const mainOf = (session: Session): Session => {
    const seen = new Set<SessionId>();
    let main = session;
    for (let above = parentOf(main); above && !seen.has(main.id); above = parentOf(main)) {
      seen.add(main.id);
      main = above;
    }
    return main;
  };
  return { aboveOf, parentOf, mainOf, nativePath: ({ id }) => paths.get(id) };
}

/** True where another session started this one, wherever that is. */
export function isSubAgent(
  session: Session,
): session is Session & { readonly parent_session_id: SessionId } {
  return session.parent_session_id !== undefined && !isFork(session);
}

function isFork(session: Session): boolean {
  return saysFork(sourceOf(session), session.parent_message_id !== undefined);
}

/**
 * True where a session with a parent is a fork of it, and no sub-agent. A fork has a cut-point, where
 * its source does not say what it is: agents are cut off, too.
 *
 * @param source - What `options.source` of the session holds.
 * @param hasCut - Whether it names the message of its parent that it was cut at.
 */
export function saysFork({ relation }: JsonObject, hasCut: boolean): boolean {
  return relation === undefined ? hasCut : relation === "fork";
}
