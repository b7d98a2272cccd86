import type { ReadEvent, Session, SessionId } from "@pond/canonical";
import type { Labels } from "../rows/to-rows.ts";

/** The names of a session and its parent if their ids are stored for another client. */
export type QualifiedNames = {
  readonly id: string;
  readonly parentId: string | undefined;
  /** Labels of the sessions that have the ids it would otherwise have. */
  readonly bases: readonly Labels[];
};

/** The id of a client's session if its own id is stored for another client already. */
export function qualifiedId(agent: string, id: string): string {
  return `${agent}:${id}`;
}

/** The id inside such a name; undefined for any other text. */
export function unqualifiedId(agent: string, name: string): string | undefined {
  const before = qualifiedId(agent, "");
  return name.startsWith(before) ? name.slice(before.length) : undefined;
}

/** The ids of sessions with such a name, by the id that another client has, too. */
export function qualifiedIds(
  sessions: Iterable<readonly [id: string, { readonly sourceAgent: string }]>,
): Map<string, readonly string[]> {
  const qualified = new Map<string, readonly string[]>();
  for (const [id, { sourceAgent }] of sessions) {
    const own = unqualifiedId(sourceAgent, id);
    if (own) qualified.set(own, [...(qualified.get(own) ?? []), id]);
  }
  return qualified;
}

/** The same event in a session of that name. */
export function renamed(event: ReadEvent, { id, parentId }: QualifiedNames): ReadEvent {
  const session_id = id as SessionId;
  switch (event.kind) {
    case "session": {
      const parent = parentId === undefined ? {} : { parent_session_id: parentId as SessionId };
      const session: Session = { ...event.session, ...parent, id: session_id };
      return { ...event, session };
    }
    case "message":
      return { ...event, message: { ...event.message, session_id } };
    case "part":
      return { ...event, part: { ...event.part, session_id } };
    case "fault":
    case "pending":
      return event;
  }
}
