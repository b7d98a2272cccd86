import type { SessionId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { Lineage, SessionContent } from "../seam/codec.ts";
import { sourceOf } from "../seam/source-options.ts";
import type { Session } from "../session.ts";

/** Who is whose sub-agent among the sessions of one lineage. */
export type Family = {
  /** The session whose sub-agent this is; undefined for a fork and for one that stands by itself. */
  readonly parentOf: (session: Session) => Session | undefined;
  /** The session that stands by itself at the top of this one's chain of parents. */
  readonly mainOf: (session: Session) => Session;
};

/**
 * The family of a lineage. Its root stands by itself, also where it descends from one that is below
 * it; safe where other parents form a circle.
 */
export function familyOf({ root, descendants }: Lineage): Family {
  const members = new Map<SessionId, SessionContent>(
    [root, ...descendants].map((content) => [content.session.id, content]),
  );
  const parentOf = (session: Session): Session | undefined =>
    session.id !== root.session.id && isSubAgent(session)
      ? members.get(session.parent_session_id)?.session
      : undefined;
  const mainOf = (session: Session): Session => {
    const seen = new Set<SessionId>();
    let main = session;
    for (let above = parentOf(main); above && !seen.has(main.id); above = parentOf(main)) {
      seen.add(main.id);
      main = above;
    }
    return main;
  };
  return { parentOf, mainOf };
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
