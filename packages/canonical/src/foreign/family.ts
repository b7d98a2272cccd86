import type { SessionId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { Lineage, NativeParent } from "../seam/codec.ts";
import { sourceOf } from "../seam/source-options.ts";
import type { Session } from "../session.ts";

/** How the sessions of one lineage are related. */
export type Family = {
  /**
   * The session that this one was forked from, or whose sub-agent it is; undefined for the topmost.
   */
  readonly anyParentOf: (session: Session) => Session | undefined;
  /** The session whose sub-agent this is; undefined for a fork and for a session on its own. */
  readonly parentOf: (session: Session) => Session | undefined;
  /** The session at the top of this one's chain of parents; it is nobody's sub-agent. */
  readonly mainOf: (session: Session) => Session;
  /**
   * Where the client keeps a session that it wrote itself; undefined for one that is translated.
   */
  readonly nativePath: (session: Session) => string | undefined;
};

/**
 * The family of a lineage. The topmost session counts as one without a parent, even if it descends
 * from a session below it. Parents that form a circle elsewhere do no harm.
 *
 * @param parents - The sessions that the root descends from, as writers get them. Without them the
 * root is topmost.
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
  const anyParentOf = (session: Session): Session | undefined =>
    session.id === topmost.session.id ? undefined : members.get(session.parent_session_id);
  const parentOf = (session: Session): Session | undefined =>
    isSubAgent(session) ? anyParentOf(session) : undefined;
  const mainOf = (session: Session): Session => {
    const seen = new Set<SessionId>();
    let main = session;
    for (let above = parentOf(main); above && !seen.has(main.id); above = parentOf(main)) {
      seen.add(main.id);
      main = above;
    }
    return main;
  };
  return { anyParentOf, parentOf, mainOf, nativePath: ({ id }) => paths.get(id) };
}

/** True if another session started this one, wherever that one is. */
export function isSubAgent(
  session: Session,
): session is Session & { readonly parent_session_id: SessionId } {
  return session.parent_session_id !== undefined && !isFork(session);
}

function isFork(session: Session): boolean {
  return saysFork(sourceOf(session), session.parent_message_id !== undefined);
}

/**
 * True if a session with a parent is a fork of it rather than a sub-agent. The source decides; if
 * it does not say, a session with a cut-point is a fork. The cut-point does not come first, because
 * sub-agents are cut off at a message, too.
 *
 * @param source - What the session's `options.source` holds.
 * @param hasCut - Whether the session names the message of its parent where it was cut off.
 */
export function saysFork({ relation }: JsonObject, hasCut: boolean): boolean {
  return relation === undefined ? hasCut : relation === "fork";
}
