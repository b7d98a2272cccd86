import type { SessionId } from "../ids.ts";
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

/** The family of a lineage; safe where parents form a circle. */
export function familyOf({ root, descendants }: Lineage): Family {
  const members = new Map<SessionId, SessionContent>(
    [root, ...descendants].map((content) => [content.session.id, content]),
  );
  const parentOf = (session: Session): Session | undefined =>
    session.parent_session_id === undefined || isFork(session)
      ? undefined
      : members.get(session.parent_session_id)?.session;
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

/** A fork has a cut-point, or says that it is one where its source names none. */
function isFork(session: Session): boolean {
  return session.parent_message_id !== undefined || sourceOf(session)["relation"] === "fork";
}
